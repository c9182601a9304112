"""What friction terms cost, and how well widths are found among candidates.

    python benchmarks/friction.py [--samples 200000] [--repeat 5]

Speed: samples of an excitation trajectory to factors, with the four default terms and with longer
lists, in turn. Widths: torques of the robot file plus Stribeck friction whose width lies on the
grid, between its values, or beyond it, with noise of 1 % of each joint's torque; what is chosen,
and the error of the fitted torque besides the noise.
"""

import argparse
import os
import statistics
import sys
import time
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
from robots import benchmark_robots, excitation

from robotid.fitting.candidates import choose_widths
from robotid.fitting.evidence import Evidence
from robotid.information.factorise import Factoriser
from robotid.information.layout import Layout
from robotid.information.regressor import dense_regressor, signals_of
from robotid.information.stream import block_edges, factor_blocks

RATE_HZ = 1000.0
NOISE = 0.01  # of the standard deviation of each joint's torque
LISTS = {
    "default": ("viscous", "coulomb", "offset", "rotor"),
    "held sign": ("viscous", "coulomb-held", "offset", "rotor"),
    "asymmetric": ("viscous-asymmetric", "coulomb-asymmetric", "offset", "rotor"),
    "load": ("viscous", "coulomb", "load", "offset", "rotor"),
    "5 Stribeck widths": ("viscous", "coulomb", "stribeck", "offset", "rotor"),
    "5 and 5 widths": (
        "viscous", "coulomb(0.005,0.01,0.02,0.05,0.1)", "stribeck", "offset", "rotor",
    ),
}  # fmt: skip


def factored(layout: Layout, signals):
    factoriser = Factoriser(layout)
    blocks = list(factor_blocks(factoriser, [signals], block_edges(signals.shape[1], RATE_HZ)))
    factoriser.close()
    return Evidence(tuple(map(tuple, blocks)), layout.parameters)


def speed(robot, signals, repeat: int) -> None:
    layouts = {name: Layout(robot, terms) for name, terms in LISTS.items()}
    times: dict[str, list[float]] = {name: [] for name in layouts}
    for turn in range(repeat + 1):
        for name, layout in layouts.items():
            began = time.perf_counter()
            evidence = factored(layout, signals)
            if turn:
                times[name].append(time.perf_counter() - began)
    usual = statistics.median(times["default"])
    for name, values in times.items():
        ratio = statistics.median(values) / usual
        print(f"{name}: {layouts[name].parameters} parameters, {ratio:.2f} x the default's time")
    layout = layouts["5 and 5 widths"]
    took = []
    for _ in range(repeat):
        began = time.perf_counter()
        choose_widths(evidence, layout)
        took.append(time.perf_counter() - began)
    print(
        f"choosing among {len(layout.candidates)} terms of 5 widths each, {len(evidence.blocks)} "
        f"blocks: {1e3 * statistics.median(took):.0f} ms"
    )


def widths(robot, motion, rigid) -> None:
    layout = Layout(robot, ("viscous", "coulomb", "stribeck", "offset", "rotor"))
    rng = np.random.default_rng(1)
    size = rigid.std(axis=0)
    qd = motion[1]
    for true in (0.05, 0.07, 0.1, 0.14, 0.2, 1.0):
        sign = np.clip(qd / 0.02, -1.0, 1.0)
        tau = rigid + 0.1 * size * sign * (1.0 + 0.5 * np.exp(-((qd / true) ** 2)))
        noise = NOISE * size * rng.normal(size=tau.shape)
        signals = signals_of(robot, q=motion[0], qd=qd, qdd=motion[2], tau=tau + noise)
        found = choose_widths(factored(layout, signals), layout)
        excess = []
        for joint, factor in enumerate(found.evidence.merged()):
            left = max(0.0, factor.rho**2 / factor.count - NOISE**2 * size[joint] ** 2)
            excess.append(np.sqrt(left) / size[joint])
        chosen = sorted({choice.chosen for choice in found.choices})
        edge = sum(choice.at_edge for choice in found.choices)
        print(
            f"width {true:g} rad/s: chosen {', '.join(f'{w:g}' for w in chosen)}, "
            f"{edge} of {len(found.choices)} at the edge of the grid; error besides the noise at "
            f"most {100 * max(excess):.2f} % of a joint's torque"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=200_000)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    name, robot = next(iter(benchmark_robots().items()))
    motion = excitation(robot, options.samples, RATE_HZ)
    rigid = dense_regressor(robot, *motion) @ robot.phi.ravel()
    print(f"{name}, {options.samples} samples")
    q, qd, qdd = motion
    noise = 0.05 * rigid.std(axis=0) * np.random.default_rng(1).normal(size=rigid.shape)
    speed(robot, signals_of(robot, q=q, qd=qd, qdd=qdd, tau=rigid + noise), options.repeat)
    widths(robot, motion, rigid)
    return 0


if __name__ == "__main__":
    sys.exit(main())
