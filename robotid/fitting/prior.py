"""What is known of the parameters before any log: values of the robot file and their sizes."""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.errors import UsageError
from robotid.information.layout import Layout
from robotid.information.system import System
from robotid.information.triangular import triangle
from robotid.spatial.inertia import pseudo_inertia

Array = NDArray[np.float64]

_DEFAULT_MASS, _DEFAULT_LENGTH = 1.0, 0.1  # kg, m; for a robot file without one physical link


class Gaussian(NamedTuple):
    """Parameters are about `mean`, give or take `std`; infinite where nothing is known. (p,)."""

    mean: Array
    std: Array


class Divergence(NamedTuple):
    """Pseudo-inertias are like those of `phi` (bodies, 10), in every frame and unit alike.

    Adds strength * sum of tr(P0^-1 P) - log det(P0^-1 P) - 4 over the links to the loss.
    """

    phi: Array
    strength: float


def nominal(layout: Layout) -> Array:
    """Parameters of the robot file, links and terms; terms that it does not give are zero. (p,)."""
    own = [column.nominal or 0.0 for column in layout.own]
    return np.concatenate([layout.robot.phi.ravel(), np.array(own, dtype=np.float64)])


def sizes(layout: Layout) -> Array:
    """Size that each parameter may have, shape (p,): m, m r, m r² of its link, 1 for friction.

    A rotor is as large as its link.

    Mass m and radius of gyration r about the link's origin are those of the robot file; links
    that cannot be physical take the median of the others. With parameters in these units,
    pseudo-inertias change by a congruence: what is positive definite stays so.
    """
    phi = layout.robot.phi
    physical = np.linalg.eigvalsh(pseudo_inertia(torch.tensor(phi)).numpy())[:, 0] > 0
    mass = np.where(physical, phi[:, 0], np.nan)
    length = np.sqrt(0.5 * phi[:, [4, 6, 9]].sum(axis=1) / np.where(physical, phi[:, 0], 1.0))
    length = np.where(physical, length, np.nan)
    if physical.any():
        mass = np.where(physical, mass, np.nanmedian(mass))
        length = np.where(physical, length, np.nanmedian(length))
    else:
        mass = np.full(len(phi), _DEFAULT_MASS)
        length = np.full(len(phi), _DEFAULT_LENGTH)
    links = np.column_stack([mass, *[mass * length] * 3, *[mass * length**2] * 6])
    first = layout.robot.bodies - layout.robot.n  # a floating base has no joint of its own
    own = [1.0] * len(layout.own)
    for position, column in enumerate(layout.own):
        if column.term == "rotor":
            body = first + column.motor.members[0][0]
            own[position] = links[body, 0 if column.motor.sliding else 4]
    return np.concatenate([links.ravel(), np.array(own, dtype=np.float64)])


def robot_file_prior(layout: Layout, relative: float = 0.3) -> Gaussian:
    """Link parameters within a share of their sizes of the robot file; terms are left open."""
    if relative <= 0:
        raise UsageError("bad-prior", f"a relative deviation of {relative:g} is not positive")
    std = np.full(layout.parameters, np.inf)
    links = 10 * layout.robot.bodies
    std[:links] = relative * sizes(layout)[:links]
    return Gaussian(nominal(layout), std)


def with_prior(system: System, prior: Gaussian) -> System:
    """The problem with one more equation per parameter that something is known of."""
    known = np.flatnonzero(np.isfinite(prior.std))
    rows = np.zeros((known.size, system.columns.size + 1))
    rows[np.arange(known.size), known] = 1.0 / prior.std[known]
    rows[:, -1] = prior.mean[known] / prior.std[known]
    found = triangle(np.vstack([np.column_stack([system.R, system.z]), rows]))
    rho = float(np.hypot(found[-1, -1], system.rho))
    count = system.count + known.size
    return System(system.columns, found[:-1, :-1], found[:-1, -1], rho, count)
