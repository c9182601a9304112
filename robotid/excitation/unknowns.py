"""What a campaign is to find out: base parameters, their scales, and which of them matter."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import NDArray

from robotid.dynamics.base_parameters import (
    BaseParameters,
    base_parameters,
    random_regressor,
    reduce,
)
from robotid.dynamics.groupings import groupings
from robotid.errors import ConfigError, nearest
from robotid.excitation.target import Target
from robotid.information.layout import LINK_PARAMETERS, Layout
from robotid.information.sizes import nominal, sizes

Array = NDArray[np.float64]
Index = NDArray[np.int64]

# Friction as a share of a joint's torque that counts as a whole unit.
_FRICTION_SHARE = 0.05


@dataclass(frozen=True, eq=False)
class Unknowns:
    """Base parameters of a robot, or those of a load that it carries.

    Args:
        target: their columns, scales, and which of them matter.
        base: how the other parameters are grouped with them.
    """

    target: Target
    base: BaseParameters

    @property
    def layout(self) -> Layout:
        """All parameters."""
        return self.target.layout

    @property
    def names(self) -> list[str]:
        """The parameters they are called after."""
        return [self.layout.names[column] for column in self.target.columns]

    @property
    def units(self) -> list[str]:
        """Their units."""
        return [self.layout.units[column] for column in self.target.columns]

    @property
    def nominal(self) -> Array:
        """Their values by the robot file, shape (b,)."""
        return self.base.beta(nominal(self.layout))

    @property
    def groups(self) -> list[str]:
        """What each is a combination of; empty where it stands alone."""
        return [group.text() if len(group.terms) > 1 else "" for group in groupings(self.base)]


def unknowns_of(
    layout: Layout,
    torque_scale: Array,
    velocity: Array,
    *,
    wanted: Sequence[str] = (),
    payload_link: str | None = None,
) -> Unknowns:
    """The base parameters of a layout, or of a load on one of its links.

    Args:
        layout: robot and terms; of terms with several widths the first is taken.
        torque_scale: size of each joint's torque, shape (n,) [N m or N].
        velocity: limits of speed, shape (n,).
        wanted: names of links, joints or parameters, `links`, `friction`; empty for all.
        payload_link: the link that carries what alone is unknown.
    """
    layout, _ = layout.choosing([0] * len(layout.candidates))
    if payload_link is None:
        base = base_parameters(layout.robot, **layout.arguments)
    else:
        base = _load_parameters(layout, payload_link)
    columns = np.array(base.independent, dtype=np.int64)
    size = sizes(layout)
    for position, column in enumerate(layout.own):
        joint = column.motor.members[0][0]
        if column.term == "load":
            size[layout.links + position] = _FRICTION_SHARE
        elif column.term != "rotor":
            per_speed = velocity[joint] if column.term == "viscous" else 1.0
            size[layout.links + position] = _FRICTION_SHARE * torque_scale[joint] / per_speed
    scale = np.linalg.norm(base.projection * size, axis=1)
    return Unknowns(Target(layout, columns, scale, _chosen(layout, columns, wanted)), base)


def _load_parameters(layout: Layout, link: str) -> BaseParameters:
    """What torques can tell of the ten parameters of a link when all else is known."""
    robot = layout.robot
    bodies = dict(zip(robot.links, range(robot.bodies), strict=True))
    bodies |= {fixed.name: fixed.body for fixed in robot.fixed}
    if link not in bodies or bodies[link] < 0:
        said = f"payload_link: robot {robot.name} has no moving link {link!r}"
        raise ConfigError("unknown-link", said, hint=nearest(link, list(bodies)))
    first = 10 * bodies[link]
    W = random_regressor(robot, layout.own)
    others = [column for column in range(W.shape[1]) if not first <= column < first + 10]
    W[:, others] = 0.0
    inertia_first = [*range(4, 10), 1, 2, 3, 0]
    return reduce(W, layout.names, [first + k for k in inertia_first])


def _chosen(layout: Layout, columns: Index, wanted: Sequence[str]) -> Index:
    if not wanted:
        return np.arange(columns.size)
    names = [layout.names[column] for column in columns]
    found: set[int] = set()
    for pattern in wanted:
        matches = [
            at
            for at, (name, column) in enumerate(zip(names, columns, strict=True))
            if _means(pattern, name, link=bool(column < layout.links))
        ]
        if not matches:
            known = ["links", "friction", *layout.robot.links, *layout.robot.joint_names, *names]
            said = f"parameters: no base parameter belongs to {pattern!r}"
            raise ConfigError("unknown-parameter", said, hint=nearest(pattern, known))
        found.update(matches)
    return np.array(sorted(found), dtype=np.int64)


def _means(pattern: str, name: str, *, link: bool) -> bool:
    """Whether a word of a user stands for a parameter."""
    if pattern in ("links", "friction"):
        return link == (pattern == "links") and not name.endswith(".rotor")
    owner, _, last = name.rpartition(".")
    return owner == pattern or fnmatchcase(name, pattern) or (link and last == pattern in _KINDS)


_KINDS = LINK_PARAMETERS
