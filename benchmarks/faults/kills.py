"""Signals at random moments of whole runs: the kill -9 of a night, and the polite ones."""

import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import suppress

from faults.scene import STAGES, Outcome, Scene, Trial, ended

_POLITE = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def kills(scene: Scene, count: int, chance: random.Random) -> Iterator[Trial]:
    """Kill -9 of the whole process group, until `count` of them came in time."""
    return _trials(scene, signal.SIGKILL, (0, -signal.SIGKILL), count, chance)


def polite_signals(scene: Scene, count: int, chance: random.Random) -> Iterator[Trial]:
    """Ctrl-C, SIGTERM and a lost connection: the answer is 128 + signal, with nothing left over."""
    for number in _POLITE:
        # Before its handlers are there Python dies of the signal itself, as a shell expects.
        allowed = (0, 128 + number, -number)
        yield from _trials(scene, number, allowed, -(-count // len(_POLITE)), chance)


def _trials(
    scene: Scene,
    number: signal.Signals,
    allowed: tuple[int, ...],
    count: int,
    chance: random.Random,
) -> Iterator[Trial]:
    """Runs with a signal, until enough of them were hit; twice as many at most."""
    met = 0
    for _ in range(2 * count):
        if met < count:
            after, hit = _interrupted(scene, number, chance)
            if _python_was_starting(after):
                after, hit = Outcome(-number, ""), False
            met += hit
            yield Trial(number.name, hit, scene.judge(after, allowed))


def _python_was_starting(after: Outcome) -> bool:
    """Whether Ctrl-C met Python before the first line of robotid: all frames are its own."""
    return "KeyboardInterrupt" in after.said and "robotid" not in after.said


def _interrupted(
    scene: Scene, number: signal.Signals, chance: random.Random
) -> tuple[Outcome, bool]:
    """A run that gets a signal after a random time; how it ended, and whether it was in time."""
    known = chance.randrange(len(STAGES))
    moment = chance.uniform(0, 1.05 * scene.usual_seconds(known))
    scene.prepare(known, occupied=chance.random() < 0.5)
    process = scene.start(scene.command("--jobs", chance.choice("12")))
    time.sleep(moment)
    hit = process.poll() is None
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)
    return ended(process), hit
