"""A whole log to parameters, against what a user writes with scipy, Pinocchio and numpy."""

from pathlib import Path

import numpy as np
from fit import NOISE, RATE_HZ, our_functions, panda_log, their_script
from robots import excitation

from peers.comparison import Task, Way
from robotid.information.regressor import Motion, row_columns
from robotid.signals.threads import Threads


def tasks(_: Path, *, quick: bool) -> list[Task]:
    """The task; what is right are torques of another motion without noise."""
    samples = int((6.0 if quick else 120.0) * RATE_HZ)
    layout, (q, qd, _), tau = panda_log(samples, NOISE)
    rng = np.random.default_rng(2)
    log = {
        "q": q + 1e-5 * rng.normal(size=q.shape),
        "qd": qd + 1e-3 * rng.normal(size=q.shape),
        "tau": tau,
    }
    columns = {"t": np.arange(len(q)) * (10**9 // int(RATE_HZ))}
    for name, values in log.items():
        for j, joint in enumerate(layout.robot.joint_names):
            columns[f"{name}.{joint}"] = np.ascontiguousarray(values[:, j])
    threads = Threads().__enter__()
    _, trim = our_functions(layout, columns, threads)
    other = Motion(*excitation(layout.robot, 2000, 100.0, seed=7))
    W = row_columns(layout, other)
    truth = np.concatenate([layout.robot.phi.ravel(), np.tile([0.8, 0.5, 0.0, 0.1], 7)])

    def torques(phi: np.ndarray) -> np.ndarray:
        return np.column_stack([w @ phi[c] for w, c in zip(W, layout.columns, strict=True)])

    def ours() -> np.ndarray:
        found, _ = our_functions(layout, columns, threads)
        return found.around(np.zeros(layout.parameters))

    def right(phi: np.ndarray) -> str:
        error = np.sqrt(np.mean((torques(phi) - torques(truth)) ** 2))
        return f"torques of another motion within {error:.2g} N m"

    ways = {
        "robotid filter, factors, least squares": Way(ours, right, ("robotid",)),
        "scipy, a Pinocchio loop, numpy.linalg.lstsq": Way(
            lambda: their_script(layout, log, trim), right, ("scipy", "pin", "numpy")
        ),
    }
    size = f"{samples / RATE_HZ:.0f} s of 7 joints at 1 kHz"
    return [Task("A log to base parameters", size, ways)]
