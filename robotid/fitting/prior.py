"""What is known of the parameters before any log, as a prior."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.errors import UsageError
from robotid.information.layout import Layout
from robotid.information.sizes import nominal, sizes
from robotid.information.system import System
from robotid.information.triangular import triangle

Array = NDArray[np.float64]


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
