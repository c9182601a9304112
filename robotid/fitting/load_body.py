"""Mass, centre of mass and inertia of a load from its ten parameters, with intervals and statuses.

The parameters phi are known by |S phi - z|² in units of the noise, so (S^T S)^-1 is their
covariance. A motion rarely shows all ten: what the rows of S do not reach has no value of its own.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import stdtrit
from torch import Tensor

from robotid.contracts.fit import ParameterStatus
from robotid.errors import BadDataError
from robotid.fitting import cones
from robotid.fitting.consistent import LARGEST_GAP
from robotid.fitting.scaling import TIE_BREAK
from robotid.fitting.sdp import REGULARISATIONS, solver_settings
from robotid.robot.geometry import phi_from
from robotid.spatial.inertia import parts_of, six_of

Array = NDArray[np.float64]

QUANTITIES = ("mass", "cx", "cy", "cz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")

# A load is taken to be of about this size [m]: what is more uncertain than a centre of mass that
# far off, or an inertia of that radius of gyration, is as unknown as before.
RADIUS = 0.1
UNCERTAIN = 0.3  # relative standard deviation above which nothing is called identified
_REACHED = 1e-9  # least length that rows of S have along a direction, relative to its columns
_SHARE = 1e-6  # of a gradient: less is rounding
_MARGIN = 1e-8  # least eigenvalue of the pseudo-inertia: a load may nearly be a point
_CLEARLY = 5.0  # deviations below zero: a negative mass is no accident
_NO_EXCESS = 0.01  # squared deviations of the noise: a tenth of a deviation is none
_HIDDEN = 1e-4  # like `TIE_BREAK`, for what the data do not show at all
_MASS = 1.0  # kg, of a load whose mass the data do not show


class Quantity(NamedTuple):
    """A quantity of a load with its 95 % interval, None where it has no value of its own."""

    name: str
    value: float
    lower: float | None
    upper: float | None
    std: float | None
    status: ParameterStatus
    said: str


@dataclass(frozen=True, eq=False)
class LoadBody:
    """A load, as far as torques show it.

    Args:
        phi: its parameters as a body that can exist, shape (10,).
        quantities: those of `QUANTITIES`; inertias are about the centre of mass.
        consistent: whether the parameters that fit best are those of a body that can exist.
        excess: by how much phi fits worse than those, in squared deviations of the noise.
    """

    phi: Array
    quantities: tuple[Quantity, ...]
    consistent: bool
    excess: float


@dataclass(frozen=True, eq=False)
class LoadInformation:
    """What the data say of a load: |S phi - z|², in units of the noise.

    Args:
        S: shape (10, 10).
        z: shape (10,).
        reach: lengths of the load's columns before anything else was accounted for, shape (10,).
        freedom: degrees of freedom behind the noise.
    """

    S: Array
    z: Array
    reach: Array
    freedom: float


def load_body(given: LoadInformation, level: float = 0.95) -> LoadBody:
    """The load that fits best, as a body that can exist.

    Args:
        given: what the data say.
        level: probability with which intervals hold the truth.
    """
    size = np.array([1.0, *[RADIUS] * 3, *[RADIUS**2] * 6])
    left, values, right = np.linalg.svd(given.S * size)
    shown = values > _REACHED * float(np.max(given.reach * size))
    if not shown.any():
        hint = "check that these recordings are of the loaded robot, and move more joints"
        raise BadDataError("load-not-shown", "the data do not show the load at all", hint=hint)
    basis = right[shown]  # directions that the data show, in units of `size`
    free = size * (basis.T @ ((left.T @ given.z)[shown] / values[shown]))
    weighable = abs(1.0 - float(np.sum(basis[:, 0] ** 2))) < _SHARE
    std = float(np.linalg.norm(basis[:, 0] / values[shown]))
    reach = float(stdtrit(given.freedom, 0.5 + level / 2))
    if weighable and free[0] < -_CLEARLY * std:
        said = f"the load has a mass of {free[0]:.3g} kg, give or take {reach * std:.2g}"
        hint = "are recordings with and without the load mistaken for each other?"
        raise BadDataError("load-negative", said, hint=hint)
    if shown.all() and free[0] > 0 and _margin(free, free[0]) >= _MARGIN:
        phi, excess = free, 0.0
    else:
        mass = abs(float(free[0])) if weighable else _MASS
        phi = _consistent(given, free, mass, right[~shown] / size)
        errors = [float(np.sum((given.S @ x - given.z) ** 2)) for x in (phi, free)]
        excess = max(0.0, errors[0] - errors[1])
    # Quantities are linearised about the parameters that fit best, if those have a mass.
    heavy = weighable and free[0] > reach * std
    about = free if heavy else phi
    gradients, best, kept = _gradients(about) * size, _values(about), _values(phi)
    best[0] = free[0]
    found = []
    for row, name in enumerate(QUANTITIES):
        along = basis @ gradients[row]
        missed, length = (
            float(np.linalg.norm(x)) for x in (gradients[row] - basis.T @ along, gradients[row])
        )
        status: ParameterStatus
        own, value = float(best[row]), float(kept[row])
        lower = upper = deviation = None
        if missed > _SHARE * length:
            touched = float(np.linalg.norm(basis[:, row])) > _SHARE
            status = "in combination" if touched else "not excited"
            said = "only sums with others show" if touched else "nothing in this motion shows it"
        elif row > 0 and not heavy:
            status, said = "uncertain", "the mass itself may be zero"
        else:
            deviation = float(np.linalg.norm(along / values[shown]))
            lower, upper = (own + sign * reach * deviation for sign in (-1, 1))
            lower, upper = min(lower, value), max(upper, value)
            status, said = _status(name, deviation, kept, float(free[0]))
        found.append(Quantity(name, value, lower, upper, deviation, status, said))
    return LoadBody(phi, tuple(found), excess <= _NO_EXCESS, excess)


def _status(name: str, std: float, kept: Array, mass: float) -> tuple[ParameterStatus, str]:
    """What can be said of a quantity with a value of its own.

    Args:
        name: of the quantity.
        std: its standard deviation.
        kept: values of all quantities, as they are given out, shape (10,).
        mass: that fits best [kg].
    """
    size = {"m": np.inf, "c": RADIUS, "I": mass * RADIUS**2}[name[0]]
    if std > size:
        return "not excited", f"the motion hardly shows it: uncertain by {std:.2g}"
    value = dict(zip(QUANTITIES, kept.tolist(), strict=True))
    # A coordinate of the centre, or a product of inertia, may well be zero: it is compared with
    # what it could be, the size of a load or the moments about its two axes.
    if name[0] == "c":
        measure, of = RADIUS, f"a size of {RADIUS:g} m"
    elif name in ("Ixy", "Ixz", "Iyz"):
        one, two = (value[f"I{axis}{axis}"] for axis in name[1:])
        measure, of = float(np.sqrt(max(0.0, one * two))), "the moments about its axes"
    else:
        measure, of = abs(value[name]), "the value"
    if std > UNCERTAIN * measure:
        return "uncertain", f"the standard deviation is over {100 * UNCERTAIN:.0f} % of {of}"
    return "identified", ""


def _values(phi: Array) -> Array:
    """The quantities of parameters, shape (10,) to (10,)."""
    return np.asarray(_quantities(torch.tensor(phi)).numpy(), dtype=np.float64)


def _gradients(phi: Array) -> Array:
    """Derivatives of the quantities by the parameters, shape (10, 10)."""
    jacobian = torch.autograd.functional.jacobian(_quantities, torch.tensor(phi))
    return np.asarray(jacobian.numpy(), dtype=np.float64)


def _quantities(phi: Tensor) -> Tensor:
    parts = parts_of(phi)
    return torch.cat([parts.mass[None], parts.centre, six_of(parts.inertia)])


def _units(phi: Array, mass: float) -> Array:
    """Units of parameters in which a load of this mass is of size one, shape (10,)."""
    length = max(RADIUS, min(1.0, float(np.linalg.norm(phi[1:4])) / mass))
    return mass * np.array([1.0, *[length] * 3, *[length**2] * 6])


def _margin(phi: Array, mass: float) -> float:
    """Least eigenvalue of the pseudo-inertia, for a load in units of its own size."""
    return float(np.linalg.eigvalsh(cones.pseudo_inertias(phi / _units(phi, mass)))[0])


def _consistent(given: LoadInformation, free: Array, mass: float, hidden: Array) -> Array:
    """Parameters of a body that fit best; where the data say nothing, it is a small ball.

    Args:
        given: what the data say.
        free: parameters that fit best, shape (10,).
        mass: of about the load's size [kg].
        hidden: combinations of parameters that the data do not show, shape (any, 10).
    """
    mass = max(mass, 1e-6 * _MASS)
    size = _units(free, mass)
    limit = size[1] / size[0]
    centre = np.clip(free[1:4] / mass, -limit, limit)
    ball = phi_from(mass, centre, 0.4 * mass * (0.5 * RADIUS) ** 2 * np.eye(3))
    unit = max(np.sqrt(given.freedom), 1e-6 * float(np.linalg.norm(given.z)))
    hidden = hidden * size
    hidden = _HIDDEN * hidden / np.linalg.norm(hidden, axis=1, keepdims=True)
    R = np.vstack([given.S * size / unit, TIE_BREAK * np.eye(10), hidden])
    z = np.concatenate([given.z / unit, TIE_BREAK * ball / size, hidden @ (ball / size)])
    objective = sparse.csc_matrix((11, 11)), np.append(np.zeros(10), 1.0)
    parts = [cones.norm_rows(R, z, 1.0, norm_at=10), cones.link_rows(1, _MARGIN)]
    for regularisation in REGULARISATIONS:
        solution = cones.solver(objective, parts, solver_settings(regularisation)).solve()
        x = np.array(solution.x)[:10]
        norm = float(np.hypot(np.linalg.norm(R @ x - z), 1.0))
        solved = np.isfinite(x).all() and abs(norm - solution.obj_val_dual) <= LARGEST_GAP * norm
        if solved and np.linalg.eigvalsh(cones.pseudo_inertias(x))[0] > 0:
            return np.asarray(size * x)
    said = f"no load that can exist was found: the solver says {solution.status}"
    hint = "are these recordings of the robot with more on it, and not with less?"
    raise BadDataError("load-not-solved", said, hint=hint)
