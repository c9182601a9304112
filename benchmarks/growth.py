"""How costs grow: with samples, joints, recordings and workers. Facts for bench.py and scale.py.

Every figure is a median of several runs, with the least and the most beside it (`<name>_least`,
`<name>_most`).
"""

import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from fleet import Fleet

Rows = list[dict[str, float]]

REPEAT = 3
LIBRARIES = (
    *("robotid", "numpy", "numba", "scipy", "polars", "pyarrow", "torch", "clarabel"),
    *("dask", "distributed"),
)
SIZES = {
    "samples": (10_000, 100_000, 1_000_000, 17_500_000),
    "joints": (2, 4, 7, 12, 20, 30),
    "recordings": (1, 10, 50, 200),
    "workers": (1, 2),
}
SMALL = {"samples": (10_000, 20_000), "joints": (2, 3), "recordings": (1, 2), "workers": (1, 2)}


def of_samples(counts: Sequence[int], repeat: int) -> Rows:
    """One recording of a Panda at 1 kHz, from CSV to a fit, in one process."""
    return [
        {"x": float(count), **spread([_of_fleet(1, count) for _ in range(repeat)])}
        for count in counts
    ]


def of_recordings(counts: Sequence[int], samples: int, repeat: int) -> Rows:
    """So many recordings together, and what one more costs."""
    return [
        {
            "x": float(count),
            "samples": float(samples),
            **spread([_of_fleet(count, samples, more=True) for _ in range(repeat)]),
        }
        for count in counts
    ]


def spread(runs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Medians of all figures, and their least and most."""
    found = {}
    for name in runs[0]:
        own = [run[name] for run in runs]
        found[name] = statistics.median(own)
        found |= {f"{name}_least": min(own), f"{name}_most": max(own)}
    return found


def _of_fleet(recordings: int, samples: int, *, more: bool = False) -> dict[str, float]:
    folder = Path(tempfile.mkdtemp(prefix="robotid-growth-"))
    try:
        fleet = Fleet(folder / "fleet", samples)
        fleet.record(recordings)
        took = fleet.run()
        found = {**took._asdict(), "kept_bytes": fleet.kept, "log_bytes": fleet.log_bytes}
        found["factor_bytes"] = fleet.factors
        if more:
            fleet.record(1)
            again = fleet.run()
            found |= {
                "one_more_s": again.seconds,
                "one_more_cpu_s": again.cpu_s,
                "one_more_read_bytes": again.read_bytes,
            }
        return {name: float(value) for name, value in found.items()}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def of_joints(counts: Sequence[int], samples: int, repeat: int = 3) -> Rows:
    """Chains of so many joints: samples in memory to factors, and factors to links."""
    import numpy as np
    from fit import factored
    from robots import excitation

    from robotid.dynamics.base_parameters import base_parameters
    from robotid.fitting.evidence import Part, together
    from robotid.fitting.linear import wls
    from robotid.fitting.sdp import consistent_fit
    from robotid.information.layout import Layout
    from robotid.information.regressor import dense_regressor, signals_of
    from tests.reference_models import random_tree

    rows = []
    for count in counts:
        tree = random_tree(count, bodies=count, floating=False, kinds=("revolute",))
        robot = replace(tree, parents=tuple(range(-1, count - 1)))
        layout = Layout(robot, ("viscous", "coulomb", "offset", "rotor"))
        motion = excitation(robot, samples, 1000.0)
        tau = dense_regressor(robot, *motion) @ robot.phi.ravel()
        tau += np.random.default_rng(0).normal(size=tau.shape) * 0.01 * np.abs(tau).mean()
        keys = ("q", "qd", "qdd")
        signals = signals_of(robot, **dict(zip(keys, motion, strict=True)), tau=tau)
        factored(layout, signals[:, :2000], 1)
        runs = []
        for _ in range(repeat):
            began = time.perf_counter()
            blocks = factored(layout, signals, 1)
            passed = time.perf_counter()
            base = base_parameters(layout.robot, layout.terms)
            known = time.perf_counter()
            found = wls(together([Part(1.0, blocks)], layout.parameters), base)
            consistent_fit(found.system, layout)
            fitted = time.perf_counter()
            times = {"factors_s": passed - began, "structure_s": known - passed}
            runs.append({**times, "fit_s": fitted - known})
        rows.append({"x": float(count), "samples": float(samples), **spread(runs)})
    return rows


def of_workers(counts: Sequence[int], *, small: bool) -> Rows:
    """Trainings that do not depend on each other, on a cluster of so many workers."""
    from cluster import Place, trained

    with tempfile.TemporaryDirectory(prefix="robotid-growth-") as name:
        times = trained(Place(Path(name)), counts, small=small)
    return [{"x": float(n), **spread([{"seconds": s} for s in times[n]])} for n in counts]


def measured(*, quick: bool) -> dict[str, Any]:
    """All of it, for JSON."""
    sizes, repeat = SMALL if quick else SIZES, 1 if quick else REPEAT
    return {
        "versions": {name: version(name) for name in LIBRARIES},
        "samples": of_samples(sizes["samples"], repeat),
        "joints": of_joints(sizes["joints"], 2000 if quick else 50_000, repeat),
        "recordings": of_recordings(sizes["recordings"], 10_000 if quick else 20_000, repeat),
        "workers": of_workers(sizes["workers"], small=quick),
    }
