"""How near fits come to the truth of logs that MuJoCo made: exact, filtered, and with noise.

    python benchmarks/recovery.py [--seeds 100] [--duration 20]

Shipped robots with a fixed base; links differ from the robot file by a fifth, joints have Coulomb
and viscous friction and rotors. Errors are of base parameters, relative to their true values (where
these are zero: to the largest of their kind), with

    exact      q, qd, qdd of the engine, ordinary least squares
    filtered   q, qd of the log through the default filter; the corners of Coulomb friction are lost
    intervals  share of true values in 95 % intervals, white noise of 5 % on the exact torque (wls),
               pooled over parameters and seeds; the same after the filter is shown and not judged
    encoder    noise on q and qd only, filtered: median bias of the mean over seeds, against
               filtered without noise
"""

import argparse
import os
import sys
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from robotid.fitting.linear import ols, wls
from tests.fitting.recovery import (
    ARMS,
    as_filtered,
    as_simulated,
    inside,
    known,
    relative_errors,
    torque_error,
    torque_noise,
    truth_of,
)

MOST_ERROR = 1e-6
COVERAGE = 0.93, 0.97
NOISE = 0.05
ENCODER = {"q": 1e-4, "qd": 1e-2}  # [rad, rad/s], standard deviations
ENCODER_SEEDS = 10
CHANCE = 0.674 / ENCODER_SEEDS**0.5  # median of what a mean is off by, in standard deviations


def encoder_bias(log) -> str:
    """What noise on positions and velocities does to parameters, beyond scatter."""
    without = ols(as_filtered(log), log.base)
    rng = np.random.default_rng(3)
    shape = log.simulated.motion.q.shape
    found = [
        ols(
            as_filtered(log, {name: std * rng.normal(size=shape) for name, std in ENCODER.items()}),
            log.base,
        )
        for _ in range(ENCODER_SEEDS)
    ]
    if any(one.base.rank != without.base.rank for one in found):
        return "other parameters are determined"
    shift = np.mean([one.beta for one in found], axis=0) - without.beta
    scatter = np.std([one.beta for one in found], axis=0, ddof=1)
    size = np.abs(truth_of(log, without))
    share = np.abs(shift)[size > 0] / size[size > 0]
    return (
        f"bias {np.median(share):.1e}, {np.median(np.abs(shift) / scatter):.1f} of the scatter "
        f"(by chance {CHANCE:.1f})"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--duration", type=float, default=20.0)
    parser.add_argument("--robots", nargs="+", default=list(ARMS))
    options = parser.parse_args()
    began, failed = time.perf_counter(), False
    pooled: list[np.ndarray] = []
    for name in options.robots:
        log = known(name, options.duration)
        exact = as_simulated(log)
        found, smooth = ols(exact, log.base), ols(as_filtered(log), log.base)
        worst = relative_errors(log, found).max()
        off = relative_errors(log, smooth)
        wrong = worst > MOST_ERROR or found.base.rank != log.base.rank
        held = [
            inside(log, wls(as_simulated(log, torque_noise(log, NOISE, seed)), log.base))
            for seed in range(options.seeds)
        ]
        pooled += held
        failed |= wrong
        print(
            f"{name} ({log.base.rank} base parameters): exact, largest error {worst:.0e} (at most "
            f"{MOST_ERROR:.0e}); filtered, median {np.median(off):.1e}, nine of ten below "
            f"{np.quantile(off, 0.9):.1e}, torque {torque_error(exact, smooth):.1e}; "
            f"{np.mean(held):.1%} inside; encoder {encoder_bias(log)}{'  FAIL' if wrong else ''}",
            flush=True,
        )
    smooth_log = known("panda", options.duration, friction="viscous", friction_share=0.05)
    after = [
        inside(smooth_log, wls(as_filtered(smooth_log, {"tau": noise}), smooth_log.base))
        for noise in (torque_noise(smooth_log, NOISE, seed) for seed in range(options.seeds // 2))
    ]
    share = np.mean(np.concatenate(pooled))
    outside = not COVERAGE[0] <= share <= COVERAGE[1]
    print(
        f"intervals of 95 %: the truth is inside {share:.2%} ({COVERAGE[0]:.0%} to "
        f"{COVERAGE[1]:.0%}; {options.seeds} seeds, {sum(x.size for x in pooled)} intervals); "
        f"panda with viscous friction, filtered: {np.mean(np.concatenate(after)):.1%}"
        f"{'  FAIL' if outside else ''}"
    )
    print(f"{time.perf_counter() - began:.0f} s")
    return int(failed or outside)


if __name__ == "__main__":
    sys.exit(main())
