"""Signals at random moments of whole runs: the kill -9 of a night, and the polite ones."""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

from faults.scene import STAGES, Outcome, Scene, ended

_POLITE = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
Finding = tuple[str, str]  # what was done, what is wrong


def kills(
    scene: Scene, count: int, chance: random.Random, counts: Counter[str]
) -> Iterator[Finding]:
    """Kill -9 of the whole process group, until `count` of them came in time."""
    for label, known in _until("kill -9", count, chance, counts):
        after, hit = interrupted(scene, known, signal.SIGKILL, chance)
        counts[label] += hit
        yield from [(label, what) for what in scene.judge(after, (0, -9))]


def polite_signals(
    scene: Scene, count: int, chance: random.Random, counts: Counter[str]
) -> Iterator[Finding]:
    """Ctrl-C, SIGTERM and a lost connection: the answer is 128 + signal, with nothing left over."""
    for number in _POLITE:
        for label, known in _until(number.name, -(-count // len(_POLITE)), chance, counts):
            after, hit = interrupted(scene, known, number, chance)
            counts[label] += hit
            # Before its handlers are there, and after they are gone, Python dies of the signal.
            allowed = (0, 128 + number, -number) if not after.said else (0, 128 + number)
            yield from [(label, what) for what in scene.judge(after, allowed)]


def interrupted(
    scene: Scene, known: int, number: signal.Signals, chance: random.Random
) -> tuple[Outcome, bool]:
    """A run that gets a signal after a random time; how it ended, and whether it was in time."""
    moment = chance.uniform(0, 1.05 * scene.usual_seconds(known))
    scene.prepare(known, occupied=chance.random() < 0.5)
    process = scene.start(scene.command("--jobs", chance.choice("12")))
    time.sleep(moment)
    hit = process.poll() is None
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)
    return ended(process), hit


def _until(
    label: str, count: int, chance: random.Random, counts: Counter[str]
) -> Iterator[tuple[str, int]]:
    """Stages known at the start of each trial, until enough were hit; twice as many at most."""
    for _ in range(2 * count):
        if counts[label] >= count:
            return
        yield label, chance.randrange(len(STAGES))
