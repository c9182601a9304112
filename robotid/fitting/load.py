"""A load tied to a link: where it acts, and what is known of it beforehand."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.errors import UsageError, nearest
from robotid.information.layout import Layout
from robotid.robot.geometry import phi_from
from robotid.robot.physical import violations
from robotid.spatial.inertia import symmetric
from robotid.spatial.transport import change_of_frame

Array = NDArray[np.float64]


class LoadFrame(NamedTuple):
    """The frame of a link that a load is tied to.

    Args:
        name: of the link.
        body: that moves it.
        columns: parameters of the robot change by `columns @ phi` of the load, shape (p, 10).
    """

    name: str
    body: int
    columns: Array


def load_frame(layout: Layout, name: str | None = None) -> LoadFrame:
    """The frame of a link by name, moving or tied to one (such as a flange); else the last one's.

    Args:
        layout: the robot and the terms of its joints.
        name: of the link.
    """
    robot = layout.robot
    places = {link: (body, np.eye(4)) for body, link in enumerate(robot.links)}
    places |= {link.name: (link.body, link.placement) for link in robot.fixed}
    chosen = robot.links[-1] if name is None else name
    if chosen not in places:
        said = f"robot {robot.name} has no link {chosen!r}"
        raise UsageError("unknown-link", said, hint=nearest(chosen, places))
    body, placement = places[chosen]
    if body < 0:
        said = f"link {chosen!r} of robot {robot.name} does not move: no joint feels its load"
        raise UsageError("link-at-rest", said, hint="name a link behind a joint")
    columns = np.zeros((layout.parameters, 10))
    columns[10 * body : 10 * body + 10] = change_of_frame(torch.tensor(placement)).numpy()
    return LoadFrame(chosen, body, columns)


@dataclass(frozen=True)
class Load:
    """What is known of a load; None where nothing is.

    Args:
        mass: [kg].
        centre: of mass, in the frame of its link [m]; only with a mass.
        inertia: xx, xy, yy, xz, yz, zz about the centre of mass [kg m²]; only with a centre.
    """

    mass: float | None = None
    centre: tuple[float, float, float] | None = None
    inertia: tuple[float, float, float, float, float, float] | None = None

    def __post_init__(self) -> None:
        if self.mass is not None and not (self.mass > 0 and np.isfinite(self.mass)):
            raise UsageError("bad-load", f"a load of {self.mass:g} kg", hint="give a mass above 0")
        if (self.centre is not None and self.mass is None) or (
            self.inertia is not None and self.centre is None
        ):
            said = "a centre of mass is known only with the mass, an inertia only with both"
            raise UsageError("bad-load", said)
        if self.inertia is not None and (broken := violations(self.known)):
            raise UsageError("bad-load", f"the load is no rigid body: {broken[0]}")

    @property
    def known(self) -> Array:
        """Parameters as far as they are known, the load a point where no more is, shape (10,)."""
        six = torch.tensor(self.inertia or (0.0,) * 6, dtype=torch.float64)
        return phi_from(self.mass or 0.0, self.centre or (0.0,) * 3, symmetric(six).numpy())

    @property
    def open(self) -> Array:
        """What comes on top of the known is `open @ x` for some x, shape (10, unknowns).

        With a known centre, the inertia about the centre is what comes on top of a point's.
        """
        known = sum(part is not None for part in (self.mass, self.centre, self.inertia))
        first = (0, 1, 4, 10)[known]
        return np.eye(10)[:, first:]


def columns_of_terms(layout: Layout, terms: Sequence[str]) -> Array:
    """Parameters of joints with these terms, as columns of the identity, shape (p, found)."""
    own = enumerate(layout.own, start=layout.links)
    return np.eye(layout.parameters)[:, [at for at, column in own if column.term in terms]]
