"""Several ways to do one task: run in turns, so that a busy machine slows them alike."""

import statistics
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any, NamedTuple


class Right(NamedTuple):
    """How near a result is to what is right: in words, and as a number that is zero at best."""

    said: str
    error: float


class Way(NamedTuple):
    """One way to do a task.

    Args:
        call: does it once.
        right: judges what `call` gave; that takes no time of the way.
        packages: whose versions matter.
    """

    call: Callable[[], Any]
    right: Callable[[Any], Right]
    packages: tuple[str, ...] = ()


class Task(NamedTuple):
    """A task with the ways to do it.

    Args:
        name: of the task.
        size: of the data.
        ways: `ours` is the first of them.
        allowed: the error with which ours counts as done.
        about: what a reader has to know to judge the comparison.
    """

    name: str
    size: str
    ways: Mapping[str, Way]
    allowed: float
    about: str = ""


def measured(task: Task, repeat: int) -> dict[str, Any]:
    """Times of every way, what each of them got, and by how much ours is faster; for JSON.

    One round in which libraries are loaded and code is compiled does not count.
    """
    times: dict[str, list[float]] = {name: [] for name in task.ways}
    found: dict[str, Any] = {}
    for number in range(repeat + 1):
        for name, way in task.ways.items():
            began = time.perf_counter()
            found[name] = way.call()
            if number:
                times[name].append(time.perf_counter() - began)
    ours = next(iter(task.ways))
    middle = {name: statistics.median(own) for name, own in times.items()}
    right = {name: way.right(found[name]) for name, way in task.ways.items()}
    return {
        "task": task.name,
        "size": task.size,
        "about": " ".join(task.about.split()),
        "allowed": task.allowed,
        "repeat": repeat,
        "ways": {
            name: {
                "seconds": middle[name],
                "least": min(times[name]),
                "most": max(times[name]),
                "ratio": None if name == ours else middle[name] / middle[ours],
                "right": right[name].said,
                "error": float(right[name].error),
                "versions": {package: version(package) for package in way.packages},
            }
            for name, way in task.ways.items()
        },
    }
