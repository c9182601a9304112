"""The dense regressor from the compiled kernel: Y with tau = Y phi, for many samples at once."""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray

from robotid.errors import UsageError
from robotid.information import kernel
from robotid.information.layout import Layout
from robotid.information.program import program_of
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]


class Motion(NamedTuple):
    """Samples of a motion: q (T, nq), qd and qdd (T, nv)."""

    q: Array
    qd: Array
    qdd: Array


def default_threads() -> int:
    """How many threads numba would use; `NUMBA_NUM_THREADS` sets it."""
    return int(numba.config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]


def signals_of(
    robot: RobotTree, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, tau: ArrayLike
) -> Array:
    """Samples as the kernel reads them: one signal after the other, shape (nq + 3 nv, T)."""
    samples = np.shape(q)[0]
    stacked = []
    for name, values in {"q": q, "qd": qd, "qdd": qdd, "tau": tau}.items():
        wanted = (samples, robot.nq if name == "q" else robot.nv)
        if np.shape(values) != wanted:
            said = f"{name} has shape {np.shape(values)}, robot {robot.name} needs {wanted}"
            raise UsageError("wrong-shape", said)
        stacked.append(np.asarray(values, dtype=np.float64).T)
    return np.ascontiguousarray(np.concatenate(stacked))


def dense_regressor(
    robot: RobotTree,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    threads: int | None = None,
    out: Array | None = None,
) -> Array:
    """Y with tau = Y phi, shape (T, nv, 10 bodies), as `dynamics.regressor` but on numpy arrays.

    Args:
        robot: the robot.
        q: configurations, shape (T, nq).
        qd: velocities, shape (T, nv).
        qdd: accelerations, shape (T, nv).
        threads: how many to use; the result does not depend on it.
        out: where to put the result.
    """
    layout = Layout(robot)
    program = program_of(layout, [np.arange(columns.size) for columns in layout.columns])
    signals = signals_of(robot, q, qd, qdd, np.zeros_like(qd, dtype=np.float64))
    Y = np.empty((signals.shape[1], robot.nv, 10 * robot.bodies)) if out is None else out
    count = threads or default_threads()

    def work(first: int) -> None:
        kernel.regressor_batches(signals, first, count, *program[:6], Y)

    with ThreadPoolExecutor(count) as pool:
        list(pool.map(work, range(count)))
    return Y


def random_motion(robot: RobotTree, samples: int, seed: int) -> Motion:
    """Random states that excite everything: angles all around, speeds of about 2, quaternions."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-np.pi, np.pi, (samples, robot.nq))
    if robot.floating:
        quaternion = rng.normal(size=(samples, 4))
        q[:, 3:7] = quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)
    qd, qdd = rng.normal(size=(2, samples, robot.nv))
    return Motion(q, 2.0 * qd, 4.0 * qdd)


def row_columns(layout: Layout, motion: Motion) -> list[Array]:
    """W of each row, shape (T, columns of the row): subtree, then the joint's own terms."""
    Y = dense_regressor(layout.robot, *motion, threads=1)
    return [_with_terms(layout, row, Y[:, row], motion) for row in range(layout.robot.nv)]


def _with_terms(layout: Layout, row: int, Y: Array, motion: Motion) -> Array:
    speed, rise = motion.qd[:, row], motion.qdd[:, row]
    values = {
        "viscous": speed,
        "coulomb": np.clip(speed / kernel.COULOMB_WIDTH, -1.0, 1.0),
        "offset": np.ones_like(speed),
        "rotor": rise,
    }
    own = [values[term] for term in layout.terms] if layout.joint(row) is not None else []
    links = layout.columns[row][: layout.columns[row].size - len(own)]
    return np.column_stack([Y[:, links], *own])
