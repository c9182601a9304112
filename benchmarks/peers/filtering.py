"""Zero-phase filter and accelerations: `filter`, against scipy and numpy, in memory."""

from pathlib import Path

import numpy as np
from filtering import CUTOFF_HZ, JOINTS, ORDER, RATE_HZ, motion, ours, theirs

from peers.comparison import Right, Task, Way
from robotid.signals.butterworth import design
from robotid.signals.options import FilterOptions
from robotid.signals.plan import signals_of
from robotid.signals.threads import Threads
from robotid.signals.zero_phase import LowPass


def tasks(_: Path, *, quick: bool) -> list[Task]:
    """The task; truth is a known motion with noise on it."""
    samples = 20_000 if quick else 1_000_000
    names = [f"{signal}.j{j}" for signal in ("q", "qd", "tau") for j in range(JOINTS)]
    signals = signals_of(names, [f"j{j}" for j in range(JOINTS)], FilterOptions())
    truth = motion(samples)
    values = np.vstack(truth) + np.random.default_rng(1).normal(0, 1e-3, (3 * JOINTS, samples))
    low_pass = LowPass([CUTOFF_HZ] * len(names), ORDER, RATE_HZ)
    sections, trim = design(CUTOFF_HZ, ORDER, RATE_HZ), low_pass.settled
    inside = truth[2][:, trim:-trim]

    def robotid() -> np.ndarray:
        with Threads() as threads:
            found = ours(values, low_pass, signals, threads)
        return np.stack([found[f"qdd.j{j}"] for j in range(JOINTS)])

    def scipy() -> np.ndarray:
        return theirs(values, sections, trim)[1][:, trim:-trim]

    def right(found: np.ndarray) -> Right:
        error = float(np.sqrt(np.mean((found - inside) ** 2) / np.mean(inside**2)))
        return Right(f"accelerations within {100 * error:.2g} % of the truth", error)

    ways = {
        "robotid filter": Way(robotid, right, ("robotid", "numba")),
        "scipy.signal.sosfiltfilt, numpy.gradient": Way(scipy, right, ("scipy", "numpy")),
    }
    size = f"{samples:,} samples of {JOINTS} joints"
    return [Task("Filtering and differentiating", size, ways, 1e-3)]
