"""The dense regressor, against the loop a user writes today.

    python benchmarks/regressor.py [--samples 20000] [--repeat 25]

The loop calls Pinocchio's `computeJointTorqueRegressor` for each sample. Both fill an array of
shape (samples, joints, 10 bodies), in turn, several times; the ratios are those of the medians.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

import numpy as np
import pinocchio as pin

sys.path.insert(0, str(Path(__file__).parent.parent))
from robots import benchmark_robots, excitation

from robotid.information.regressor import dense_regressor
from tests.reference_models import pinocchio_model

AT_LEAST = 8.0


def loop(model, data, motion, Y) -> None:
    for sample, (q, qd, qdd) in enumerate(zip(*motion, strict=True)):
        Y[sample] = pin.computeJointTorqueRegressor(model, data, q, qd, qdd)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=20000)
    parser.add_argument("--repeat", type=int, default=25)
    options = parser.parse_args()
    failed = False
    for name, robot in benchmark_robots().items():
        motion = excitation(robot, options.samples)
        model = pinocchio_model(robot)
        data = model.createData()
        shape = (options.samples, robot.nv, 10 * robot.bodies)
        ours, theirs = np.zeros(shape), np.zeros(shape)
        times: dict[str, list[float]] = {"ours": [], "loop": []}
        for _ in range(options.repeat):
            began = time.perf_counter()
            dense_regressor(robot, *motion, out=ours)
            between = time.perf_counter()
            loop(model, data, motion, theirs)
            times["ours"].append(between - began)
            times["loop"].append(time.perf_counter() - between)
        error = np.abs(ours - theirs).max() / np.abs(theirs).max()
        middle = {which: statistics.median(values) for which, values in times.items()}
        ratio = middle["loop"] / middle["ours"]
        failed |= ratio < AT_LEAST or error > 1e-12
        print(
            f"{name}: {options.samples / middle['ours'] / 1e6:.2f} M samples/s, "
            f"{ratio:.1f} x the Pinocchio loop (at least {AT_LEAST:.0f}); "
            f"largest difference {error:.0e}"
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
