"""The dense regressor from the compiled kernel: Y with tau = Y phi, for many samples at once."""

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from threading import local
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray

from robotid.errors import UsageError
from robotid.information import kernel
from robotid.information.lanes import LANES
from robotid.information.layout import Layout
from robotid.information.program import Program, program_of
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]
_CHUNK = 2048


class Motion(NamedTuple):
    """Samples of a motion: q (T, nq), qd and qdd (T, nv)."""

    q: Array
    qd: Array
    qdd: Array


def default_threads() -> int:
    """How many threads numba would use; `NUMBA_NUM_THREADS` sets it."""
    return int(numba.config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]


def signals_of(robot: RobotTree, **given: ArrayLike) -> Array:
    """Samples as the kernel reads them: one signal after the other, shape (signals, T).

    Args:
        robot: the robot.
        given: q (T, nq), qd, qdd and (where needed) tau (T, nv), in this order.
    """
    samples = len(np.asarray(given["q"]))
    widths = {name: robot.nq if name == "q" else robot.nv for name in given}
    result, at = np.empty((sum(widths.values()), samples)), 0
    for name, values in given.items():
        if np.shape(values) != (samples, widths[name]):
            wanted = (samples, widths[name])
            said = f"{name} has shape {np.shape(values)}, robot {robot.name} needs {wanted}"
            raise UsageError("wrong-shape", said)
        rows, columns = result[at : at + widths[name]], np.asarray(values)
        for begin in range(0, samples, _CHUNK):  # what fits the cache is turned faster
            rows[:, begin : begin + _CHUNK] = columns[begin : begin + _CHUNK].T
        at += widths[name]
    return result


@lru_cache(maxsize=16)
def _whole_program(robot: RobotTree) -> Program:
    layout = Layout(robot)
    return program_of(layout, [np.arange(columns.size) for columns in layout.columns])


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
    program, signals = _whole_program(robot), signals_of(robot, q=q, qd=qd, qdd=qdd)
    shape = signals.shape[1], robot.nv, 10 * robot.bodies
    Y = np.empty(shape) if out is None else out
    if Y.shape != shape or Y.dtype != np.float64 or not Y.flags.c_contiguous:
        raise UsageError("wrong-shape", f"out has to be a plain float64 array of shape {shape}")
    flat = Y.reshape(-1)
    extra = 10 * len(program.pairs) + -(-kernel.TOGETHER * Y[0].size // LANES)
    count = threads or default_threads()

    def work(first: int) -> None:
        memory = working_memory(len(signals), robot.bodies, extra)
        kernel.regressor_batches(signals, first, count, *program[:6], memory, flat)

    if count == 1:
        work(0)
    else:
        list(_threads(count).map(work, range(count)))
    return Y


@lru_cache(maxsize=4)
def _threads(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count)


_kept = local()


def working_memory(signals: int, bodies: int, widest: int = 0) -> Array:
    """Memory for the kernels, kept by each thread.

    Giving it back and getting it anew would stop the other threads for longer than a batch takes.
    """
    size = kernel.runs_needed(signals, bodies, widest) * LANES
    memory: Array = getattr(_kept, "memory", np.empty(0))
    if memory.size < size:
        memory = _kept.memory = np.empty(size)
    return memory


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
