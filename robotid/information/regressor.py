"""The dense regressor from the compiled kernel: Y with tau = Y phi, for many samples at once."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from threading import local
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robotid.cores import available
from robotid.dynamics.friction import column_values
from robotid.errors import UsageError
from robotid.information import kernel
from robotid.information.lanes import LANES
from robotid.information.layout import Layout
from robotid.information.program import Program, program_of
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]
_CHUNK = 2048
_PIECE = 6 * LANES  # samples that a thread takes at a time
_LINE = 8  # numbers in a line of the cache


class Motion(NamedTuple):
    """Samples of a motion: q (T, nq), qd and qdd (T, nv)."""

    q: Array
    qd: Array
    qdd: Array


def signals_of(robot: RobotTree, **given: ArrayLike) -> Array:
    """Samples as the kernel reads them: one signal after the other, shape (signals, T).

    Args:
        robot: the robot.
        given: q (T, nq), qd, qdd and (where needed) tau (T, nv), in this order.
    """
    columns_of = {name: np.asarray(values) for name, values in given.items()}
    check_shapes(robot, columns_of)
    samples = len(columns_of["q"])
    result, at = np.empty((sum(x.shape[1] for x in columns_of.values()), samples)), 0
    for columns in columns_of.values():
        rows = result[at : at + columns.shape[1]]
        for begin in range(0, samples, _CHUNK):  # what fits the cache is turned faster
            rows[:, begin : begin + _CHUNK] = columns[begin : begin + _CHUNK].T
        at += columns.shape[1]
    return result


def check_shapes(robot: RobotTree, given: Mapping[str, NDArray[Any]]) -> None:
    """Refuse arrays that are not (samples, nq) for q and (samples, nv) for all others."""
    for name, values in given.items():
        wanted = (len(given["q"]), robot.nq if name == "q" else robot.nv)
        if values.shape != wanted:
            said = f"{name} has shape {values.shape}, robot {robot.name} needs {wanted}"
            raise UsageError("wrong-shape", said)


@lru_cache(maxsize=16)
def whole_program(robot: RobotTree) -> Program:
    """All columns of all rows, without terms of joints."""
    layout = Layout(robot)
    whole = [(np.arange(c.size), np.eye(c.size)) for c in layout.columns]
    return program_of(layout, whole)


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
    program, given = whole_program(robot), {"q": q, "qd": qd, "qdd": qdd}
    motion = {name: np.asarray(values) for name, values in given.items()}
    check_shapes(robot, motion)
    samples = len(motion["q"])
    shape = samples, robot.nv, 10 * robot.bodies
    Y = np.empty(shape) if out is None else out
    if Y.shape != shape or Y.dtype != np.float64 or not Y.flags.c_contiguous:
        raise UsageError("wrong-shape", f"out has to be a plain float64 array of shape {shape}")
    flat, stride = Y.reshape(-1), robot.nv * 10 * robot.bodies
    extra = 10 * len(program.pairs) + -(-(kernel.TOGETHER * stride + _LINE) // LANES)
    count, pieces = threads or available(), iter(range(0, samples, _PIECE))

    def work() -> None:
        memory = working_memory(robot.nq + 2 * robot.nv, robot.bodies, extra)
        for begin in pieces:  # each goes to the thread that asks first
            part = slice(begin, min(samples, begin + _PIECE))
            signals = signals_of(robot, **{name: x[part] for name, x in motion.items()})
            kernel.regressor_batches(signals, *program[:6], memory, flat[begin * stride :])

    # This thread works, too: were it to wait for others, they might share a core for a while.
    others = [_threads(count).submit(work) for _ in range(1, count)]
    work()
    for other in others:
        other.result()
    return Y


@lru_cache(maxsize=4)
def _threads(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count)


_kept = local()


def working_memory(signals: int, bodies: int, widest: int = 0) -> Array:
    """Memory for the kernels, kept by each thread; runs begin where lines of the cache do.

    Giving it back and getting it anew would stop the other threads for longer than a batch takes.
    """
    size = kernel.runs_needed(signals, bodies, widest) * LANES
    memory: Array = getattr(_kept, "memory", np.empty(0))
    if memory.size < size:
        fresh = np.empty(size + _LINE)
        skipped = -fresh.ctypes.data // 8 % _LINE
        memory = _kept.memory = fresh[skipped : skipped + size]
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


def row_columns(
    layout: Layout, motion: Motion, before: Mapping[str, float] | None = None
) -> list[Array]:
    """W of each row, shape (T, columns of the row): subtree, then the joint's own terms.

    Args:
        layout: the robot and the terms of its joints.
        motion: samples in the order of time.
        before: held signs before the first sample, by name of parameter; zero otherwise.
    """
    robot, links = layout.robot, layout.links
    Y = dense_regressor(robot, *motion, threads=1)
    driven = slice(robot.nv - robot.n, None)
    qd, qdd = motion.qd[:, driven], motion.qdd[:, driven]
    load = (Y @ robot.phi.ravel())[:, driven] if layout.loaded else None
    result = []
    for row, columns in enumerate(layout.columns):
        own, joint = [], layout.joint(row)
        for position in layout.own_of(row):
            column = layout.own[position]
            last = (before or {}).get(column.name, 0.0)
            sign = dict(column.motor.members)[joint or 0]
            own.append(sign * column_values(column, qd, qdd, load, last))
        result.append(np.column_stack([Y[:, row, columns[columns < links]], *own]))
    return result
