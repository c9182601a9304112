"""How costs grow: with samples, joints, recordings and workers. Facts for bench.py and scale.py."""

import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from fleet import Fleet

Rows = list[dict[str, float]]

SIZES = {
    "samples": (10_000, 100_000, 1_000_000, 17_500_000),
    "joints": (2, 4, 7, 12, 20, 30),
    "recordings": (1, 10, 50, 200),
    "workers": (1, 2),
}
SMALL = {"samples": (10_000, 20_000), "joints": (2, 3), "recordings": (1, 2), "workers": (1, 2)}


def of_samples(counts: Sequence[int]) -> Rows:
    """One recording of a Panda at 1 kHz, from CSV to a fit, in one process."""
    return [{"x": float(count), **_of_fleet(1, count)} for count in counts]


def of_recordings(counts: Sequence[int], samples: int) -> Rows:
    """So many recordings together, and what one more costs."""
    return [{"x": float(count), **_of_fleet(count, samples, more=True)} for count in counts]


def _of_fleet(recordings: int, samples: int, *, more: bool = False) -> dict[str, float]:
    folder = Path(tempfile.mkdtemp(prefix="robotid-growth-"))
    try:
        fleet = Fleet(folder / "fleet", samples)
        fleet.record(recordings)
        took = fleet.run()
        found = {**took._asdict(), "kept_bytes": fleet.kept, "log_bytes": fleet.log_bytes}
        if more:
            fleet.record(1)
            found["one_more_s"] = fleet.run().seconds
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
        robot = random_tree(count, bodies=count, floating=False, kinds=("revolute",))
        layout = Layout(robot, ("viscous", "coulomb", "offset", "rotor"))
        motion = excitation(robot, samples, 1000.0)
        tau = dense_regressor(robot, *motion) @ robot.phi.ravel()
        tau += np.random.default_rng(0).normal(size=tau.shape) * 0.01 * np.abs(tau).mean()
        keys = ("q", "qd", "qdd")
        signals = signals_of(robot, **dict(zip(keys, motion, strict=True)), tau=tau)
        factored(layout, signals[:, :2000], 1)
        times: dict[str, list[float]] = {"factors_s": [], "structure_s": [], "fit_s": []}
        for _ in range(repeat):
            began = time.perf_counter()
            blocks = factored(layout, signals, 1)
            passed = time.perf_counter()
            base = base_parameters(layout.robot, layout.terms)
            known = time.perf_counter()
            found = wls(together([Part(1.0, blocks)], layout.parameters), base)
            consistent_fit(found.system, layout)
            times["factors_s"].append(passed - began)
            times["structure_s"].append(known - passed)
            times["fit_s"].append(time.perf_counter() - known)
        middle = {name: statistics.median(own) for name, own in times.items()}
        rows.append({"x": float(count), "samples": float(samples), **middle})
    return rows


def of_workers(counts: Sequence[int], *, small: bool) -> Rows:
    """Trainings that do not depend on each other, on a cluster of so many workers."""
    from cluster import Place, trained

    with tempfile.TemporaryDirectory(prefix="robotid-growth-") as name:
        times = trained(Place(Path(name)), counts, small=small)
    return [{"x": float(n), "seconds": statistics.median(times[n])} for n in counts]


def measured(*, quick: bool) -> dict[str, Any]:
    """All of it, for JSON."""
    sizes = SMALL if quick else SIZES
    return {
        "samples": of_samples(sizes["samples"]),
        "joints": of_joints(sizes["joints"], 2000 if quick else 50_000, 1 if quick else 3),
        "recordings": of_recordings(sizes["recordings"], 10_000 if quick else 20_000),
        "workers": of_workers(sizes["workers"], small=quick),
    }
