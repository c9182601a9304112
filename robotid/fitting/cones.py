"""Physical consistency as cones of a conic problem in scaled parameters: A x + s = b, s in cones.

Each constraint is a block of rows. A positive semidefinite matrix is given by its upper triangle,
column by column, with what lies off the diagonal times the root of two.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import clarabel
import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse

from robotid.spatial.inertia import pseudo_inertia

Array = NDArray[np.float64]
Index = NDArray[np.int64]

_ROOT2 = np.sqrt(2.0)


class Rows(NamedTuple):
    """Entries of A, b, and the cones the slacks lie in, in order.

    Args:
        values: of the entries of A that are not zero.
        at: their rows.
        over: their columns.
        b: one per row.
        cones: of clarabel.
    """

    values: Array
    at: Index
    over: Index
    b: Array
    cones: list[Any]


def triangle_of(matrices: Array) -> Array:
    """Scaled upper triangles of symmetric matrices, shape (..., n, n) to (..., n(n + 1) / 2)."""
    n = matrices.shape[-1]
    at = [(row, column) for column in range(n) for row in range(column + 1)]
    rows, columns = np.array(at).T
    values: Array = matrices[..., rows, columns] * np.where(rows == columns, 1.0, _ROOT2)
    return values


@cache
def pseudo_inertia_map() -> Array:
    """P of each of the ten link parameters, shape (10, 4, 4)."""
    return np.asarray(pseudo_inertia(torch.eye(10, dtype=torch.float64)).numpy())


def pseudo_inertias(phi: Array) -> Array:
    """P of link parameters, shape (..., 10) to (..., 4, 4)."""
    result: Array = np.tensordot(phi, pseudo_inertia_map(), axes=(-1, 0))
    return result


def norm_rows(R: Array, z: Array, rest: float, norm_at: int) -> Rows:
    """x[norm_at] >= norm of (R x - z, rest), where x begins with the columns of R."""
    at, over = np.nonzero(R)
    size = len(R) + 2
    return Rows(
        values=np.concatenate([[-1.0], -R[at, over]]),
        at=np.concatenate([[0], at + 1]),
        over=np.concatenate([[norm_at], over]),
        b=np.concatenate([[0.0], -z, [rest]]),
        cones=[clarabel.SecondOrderConeT(size)],
    )


def linear_rows(entries: Sequence[Mapping[int, float]]) -> Rows:
    """Sums of variables that are not negative, each given as column -> coefficient."""
    return Rows(
        values=np.array([-value for entry in entries for value in entry.values()]),
        at=np.array([row for row, entry in enumerate(entries) for _ in entry], dtype=np.int64),
        over=np.array([column for entry in entries for column in entry], dtype=np.int64),
        b=np.zeros(len(entries)),
        cones=[clarabel.NonnegativeConeT(len(entries))] if entries else [],
    )


def link_rows(links: int, margin: float) -> Rows:
    """P - margin 1 of every link is positive semidefinite; links are the first columns."""
    one = triangle_of(pseudo_inertia_map()).T
    at, over = np.nonzero(one)
    steps = 10 * np.arange(links)[:, None]
    return Rows(
        values=np.tile(-one[at, over], links),
        at=(at + steps).ravel(),
        over=(over + steps).ravel(),
        b=np.tile(-margin * triangle_of(np.eye(4)), links),
        cones=[clarabel.PSDTriangleConeT(4)] * links,
    )


def log_det_rows(links: int, first: int) -> Rows:
    """Sum of four variables of each link is at most log det P.

    A triangular Z with [[P, Z], [Z^T, diag Z]] positive semidefinite has det P >= prod Z_ii. The
    variables of link k begin at first + 14 k: ten of Z column by column, four below log Z_ii.
    """
    own: list[tuple[int, Array]] = []  # variable, and what it adds to the 8 x 8 matrix
    for number, P in enumerate(pseudo_inertia_map()):
        whole = np.zeros((8, 8))
        whole[:4, :4] = P
        own.append((number, whole))
    diagonal, at = [], 10
    for column in range(4):
        for row in range(column, 4):
            whole = np.zeros((8, 8))
            whole[row, 4 + column] = whole[4 + column, row] = 1.0
            if row == column:
                whole[4 + column, 4 + column] = 1.0
                diagonal.append(at)
            own.append((at, whole))
            at += 1
    rows: list[int] = []
    columns: list[int] = []
    data: list[float] = []
    b: list[Array] = []
    height = 36 + 12
    for link in range(links):
        places = [10 * link + k for k in range(10)] + [first + 14 * link + k for k in range(14)]
        for variable, whole in own:
            values = triangle_of(whole)
            for place in np.flatnonzero(values).tolist():
                rows.append(height * link + place)
                columns.append(places[variable])
                data.append(-values[place])
        for k, variable in enumerate(diagonal):  # (t, 1, Z_kk): exp(t) <= Z_kk
            top = height * link + 36 + 3 * k
            rows += [top, top + 2]
            columns += [places[20 + k], places[variable]]
            data += [-1.0, -1.0]
        b += [np.zeros(36), np.tile([0.0, 1.0, 0.0], 4)]
    cones = [clarabel.PSDTriangleConeT(8), *[clarabel.ExponentialConeT()] * 4] * links
    entries = np.array(data), np.array(rows), np.array(columns)
    return Rows(*entries, b=np.concatenate(b), cones=cones)


def solver(objective: tuple[Any, Array], parts: Sequence[Rows], settings: Any) -> Any:
    """The solver of min x^T P x / 2 + q^T x with all constraints; objective is (P, q)."""
    heights = [part.b.size for part in parts]
    offsets = np.cumsum([0, *heights])
    at = np.concatenate([part.at + offset for part, offset in zip(parts, offsets, strict=False)])
    over = np.concatenate([part.over for part in parts])
    values = np.concatenate([part.values for part in parts])
    A = sparse.csc_matrix((values, (at, over)), shape=(offsets[-1], objective[1].size))
    b = np.concatenate([part.b for part in parts])
    cones = [cone for part in parts for cone in part.cones]
    return clarabel.DefaultSolver(*objective, A, b, cones, settings)
