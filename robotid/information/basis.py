"""Which columns of a row are independent for every motion, and how the others follow from them.

Many columns of a row are combinations of others whatever the robot does (the mass of a link beyond
a revolute joint acts like a part of the link before it; the inertia of a rotor like one of its
link). For each row, W = W_b E with constant E: only W_b has to be worked on, and no factor is
singular for reasons of structure.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular

from robotid.dynamics.joint_columns import slow_speeds
from robotid.information.layout import Index, Layout
from robotid.information.regressor import Motion, random_motion, row_columns

Array = NDArray[np.float64]

# Columns normed to one. What depends by structure leaves 1e-15; what is independent only because
# of a placement like 1.5708 instead of pi/2 leaves as little as 1e-12, and is kept.
_TOLERANCE = 1e-13
_SEED = 20240229


class Basis(NamedTuple):
    """Independent columns of a row.

    Args:
        independent: positions among the row's columns, ascending, shape (r,).
        expansion: E with W = W[:, independent] E, shape (r, p).
    """

    independent: Index
    expansion: Array


def bases_of(layout: Layout) -> list[Basis]:
    """The structural basis of each row, from random motions."""
    return [_basis(W) for W in random_columns(layout)[1]]


def whole_basis(layout: Layout) -> Basis:
    """The structural basis of all rows together."""
    _, rows = random_columns(layout)
    whole = np.zeros((sum(len(W) for W in rows), layout.parameters))
    at = 0
    for W, columns in zip(rows, layout.columns, strict=True):
        whole[at : at + len(W), columns] = W
        at += len(W)
    return _basis(whole)


def random_columns(layout: Layout) -> tuple[Motion, list[Array]]:
    """Random states that tell columns apart which any motion can, and the columns of each row."""
    most = max(columns.size for columns in layout.columns)
    # Rest, gentle and violent motion: columns of gravity, inertia and velocity weigh the same.
    # Slower still where friction changes: speeds of random motions are about 2.
    paces = [0.0, 0.3, 10.0, *(0.5 * speed for speed in slow_speeds(layout.own))]
    pace = np.repeat(np.array(paces)[:, None], most + 20, axis=0)
    q, qd, qdd = random_motion(layout.robot, samples=len(pace), seed=_SEED)
    motion = Motion(q, qd * pace, qdd * pace)
    return motion, row_columns(layout, motion)


def _basis(W: Array) -> Basis:
    columns = W.shape[1]
    norms = np.linalg.norm(W, axis=0)
    scale = np.where(norms > _TOLERANCE * norms.max(), norms, np.inf)  # what is left is rounding
    R, order = qr(W / scale, mode="r", pivoting=True)
    rank = int(np.count_nonzero(np.abs(np.diag(R)) > _TOLERANCE))
    first = np.argsort(order[:rank])  # ascending, so that columns keep their order
    independent = order[:rank][first]
    expansion = np.zeros((rank, columns))
    expansion[np.arange(rank), independent] = 1.0
    others = order[rank:]
    combination = solve_triangular(R[:rank, :rank], R[:rank, rank:])[first]
    combination[np.abs(combination) < _TOLERANCE] = 0.0
    expansion[:, others] = combination * norms[others] / norms[independent][:, None]
    return Basis(independent.astype(np.int64), expansion)
