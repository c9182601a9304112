"""Parameters of the robot file, and the size that each may have."""

import numpy as np
from numpy.typing import NDArray

from robotid.information.layout import Layout
from robotid.robot.geometry import pseudo_inertia

Array = NDArray[np.float64]

_DEFAULT_MASS, _DEFAULT_LENGTH = 1.0, 0.1  # kg, m; for a robot file without one physical link


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
    physical = np.array([np.linalg.eigvalsh(pseudo_inertia(link))[0] > 0 for link in phi])
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
