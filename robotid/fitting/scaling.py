"""The least-squares problem in units in which a conic solver is at ease."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from robotid.errors import UsageError
from robotid.fitting.prior import Divergence, Gaussian, with_prior
from robotid.information.layout import Layout
from robotid.information.sizes import nominal, sizes
from robotid.information.system import System
from robotid.information.triangular import triangle

Array = NDArray[np.float64]

# Where data say nothing, parameters stay near the robot file: by equations of this weight, with
# parameters in units of their size and the residual in units of its norm.
TIE_BREAK = 1e-6
_EXACT = 1e-6  # least residual, as a share of |z|: exact data would have a unit of zero
_ROUNDING = 1e-13


class ScaledProblem(NamedTuple):
    """|R x - z|² + rest², in units of the residual's norm, with parameters phi = size * x."""

    R: Array
    z: Array
    rest: float
    size: Array
    unit: float


def scaled_problem(
    system: System,
    layout: Layout,
    *,
    prior: Gaussian | Divergence | None = None,
    tie_break: float = TIE_BREAK,
) -> ScaledProblem:
    """The problem in units in which a solver is at ease; what it adds as a tie-break is in it."""
    size = sizes(layout)
    if system.columns.size != size.size:
        said = f"a system in {system.columns.size} of {size.size} parameters"
        raise UsageError("wrong-shape", said, hint="consistency needs all parameters of every link")
    whole = with_prior(system, prior) if isinstance(prior, Gaussian) else system
    R, z, rest = _told_apart(whole.R * size, whole.z)
    unit = float(np.hypot(rest, whole.rho))
    unit = max(unit, _EXACT * float(np.linalg.norm(whole.z)), np.finfo(float).tiny)
    file = tie_break * np.column_stack([np.eye(size.size), nominal(layout) / size])
    found = triangle(np.vstack([np.column_stack([R, z]) / unit, file]))
    return ScaledProblem(found[:-1, :-1], found[:-1, -1], float(found[-1, -1]), size, unit)


def _told_apart(R: Array, z: Array) -> tuple[Array, Array, float]:
    """Rows of R that are not rounding, z in their coordinates, and the norm of the rest of z.

    Where columns depend on each other, some rows of R say nothing but hold part of the residual.
    """
    Q, rows, order = qr(R, pivoting=True)
    diagonal = np.abs(np.diag(rows))
    rank = int(np.count_nonzero(diagonal > _ROUNDING * diagonal[0]))
    turned = Q.T @ z
    result = np.empty((rank, R.shape[1]))
    result[:, order] = rows[:rank]
    return result, turned[:rank], float(np.linalg.norm(turned[rank:]))
