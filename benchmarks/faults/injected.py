"""Errors and kills at chosen system calls of whole runs, put there by strace.

A run without a fault is traced first, its main process and its worker each for itself. Of their
calls those count that touch a file of the run: pipeline, logs, cache, output, standard output. Then
runs are made in which exactly one such call fails or kills its process. strace counts calls per
thread; each seal of a file has its own, so there the first call of a thread is met.
"""

import random
import re
import shlex
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from faults.scene import Outcome, Scene, Trial, ended

_DISK = ("SIGKILL", "EIO", "ENOSPC")
CALLS = {  # system call -> what happens to it
    "write": (*_DISK, "EDQUOT", "EINTR"),
    "fsync": (*_DISK, "EDQUOT"),
    "rename": (*_DISK, "ESTALE"),
    "renameat2": ("SIGKILL", "EINVAL"),
    "mkdir": (*_DISK, "EACCES"),
    "openat": ("SIGKILL", "EIO", "EMFILE", "ESTALE", "EACCES", "EINTR"),
    "close": ("SIGKILL", "EIO", "EINTR"),
    "linkat": (*_DISK, "EMLINK"),
}
_ANSWERS = {  # what happens -> exit codes that tell it; 0 where it could be helped
    "SIGKILL": (0, -signal.SIGKILL, 75),
    "EMFILE": (0, 75),
    "EACCES": (0, 77),
    "EINTR": (0, 74),
    "EINVAL": (0,),
    "EMLINK": (0,),
}
_BROKEN_DISK = (0, 74)
_PROCESSES = ("main", "worker")
_STARTS = (0, 3)  # stages that are cached: none, or all before the fit
_CALL = re.compile(r"(?:\d+ +)?(?P<call>\w+)\(")


class Point(NamedTuple):
    """A system call of a run: process, cached stages, which call of its kind, what happens."""

    process: str
    known: int
    call: str
    number: int
    fault: str


def injected(scene: Scene, count: int, chance: random.Random) -> Iterator[Trial]:
    """So many faults, spread evenly over processes, calls and kinds of faults."""
    for point in _choose(_points(scene), count, chance) if count else ():
        after, met = _attempt(scene, point, occupied=chance.random() < 0.5)
        wrong = scene.judge(after, _ANSWERS.get(point.fault, _BROKEN_DISK))
        where = f"{point.call} {point.number}, {point.process}, {point.known} stages known"
        yield Trial(f"{point.fault} at a call", met, [f"{where}: {what}" for what in wrong])


def _points(scene: Scene) -> list[Point]:
    """Every call of clean runs that touches their files, with every fault it can have."""
    points = []
    for known in _STARTS:
        scene.prepare(known, occupied=True)
        done, logs = _traced(scene, dict.fromkeys(_PROCESSES, f"-etrace={','.join(CALLS)}"))
        assert done.code == 0, done
        for process, lines in logs.items():
            for call, number in sorted(_numbered(lines, str(scene.root))):
                points += [Point(process, known, call, number, f) for f in CALLS[call]]
    return points


def _numbered(lines: list[str], folder: str) -> set[tuple[str, int]]:
    """Calls and their numbers, counted per thread, of those that name a folder."""
    seen: Counter[tuple[str, str]] = Counter()
    found = set()
    for line in lines:
        match = _CALL.match(line)
        if match is not None:
            call, thread = match["call"], line[: match.start("call")]
            seen[thread, call] += 1
            if folder in line:
                found.add((call, seen[thread, call]))
    return found


def _choose(points: list[Point], count: int, chance: random.Random) -> list[Point]:
    """Points in turn from every group of process, call and fault."""
    groups = defaultdict(list)
    for point in points:
        groups[point.process, point.call, point.fault].append(point)
    queues = [chance.sample(group, len(group)) for _, group in sorted(groups.items())]
    chance.shuffle(queues)
    longest = max(map(len, queues))
    in_turn = [queue[turn] for turn in range(longest) for queue in queues if turn < len(queue)]
    return in_turn[:count]


def _attempt(scene: Scene, point: Point, *, occupied: bool) -> tuple[Outcome, bool]:
    """A run with the fault of a point; how it ended, and whether the fault was met."""
    scene.prepare(point.known, occupied=occupied)
    kind = "signal" if point.fault.startswith("SIG") else "error"
    inject = f"-einject={point.call}:{kind}={point.fault}:when={point.number}"
    after, logs = _traced(scene, {point.process: f"-etrace={point.call} {inject}"})
    lines = logs[point.process]
    return after, any("INJECTED" in line or "+++ killed by" in line for line in lines)


def _traced(scene: Scene, options: dict[str, str]) -> tuple[Outcome, dict[str, list[str]]]:
    """A run of which some processes are traced, each by a strace with options of its own.

    strace stands aside (-D), so that each process keeps its number and its parent.
    """
    strace = {
        process: f"strace -D -y -qq -o {scene.root / process} {words}".split()
        for process, words in options.items()
    }
    for process in options:
        (scene.root / process).unlink(missing_ok=True)
    worker = sys.executable
    if "worker" in options:
        worker = str(scene.root / "start-worker")
        words = [*strace["worker"], "-f", sys.executable]
        Path(worker).write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
        Path(worker).chmod(0o755)
    done = ended(scene.start([*strace.get("main", []), *scene.command(worker=worker)]))
    return done, {process: _lines(scene.root / process) for process in options}


def _lines(log: Path) -> list[str]:
    return log.read_text(errors="replace").splitlines() if log.exists() else []
