"""`RobotTree`: what the dynamics need to know of a robot, and nothing of its file."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.errors import ConfigError, nearest

Array = NDArray[np.float64]
JointKind = Literal["revolute", "continuous", "prismatic", "floating"]
STANDARD_GRAVITY = (0.0, 0.0, -9.81)
# Rows of a floating base, before those of the joints: force and moment on it, in its coordinates.
BASE_ROWS = ("base.fx", "base.fy", "base.fz", "base.mx", "base.my", "base.mz")


class Limits(NamedTuple):
    """Bounds of a joint: position [rad or m], speed and effort as absolute values."""

    lower: float = -np.inf
    upper: float = np.inf
    velocity: float = np.inf
    effort: float = np.inf


class Joint(NamedTuple):
    """What connects a body to its parent.

    `axis` is a unit vector in body coordinates (zero for a floating joint); `damping` [N m s/rad],
    `friction` [N m] and `rotor_inertia` [kg m²] are the nominal values of the robot file.
    """

    name: str
    kind: JointKind
    axis: tuple[float, float, float]
    limits: Limits = Limits()
    damping: float = 0.0
    friction: float = 0.0
    rotor_inertia: float = 0.0


class Frame(NamedTuple):
    """A frame of the robot file: the body that carries it (-1: the base), and its pose in that."""

    body: int
    placement: Array


class FixedLink(NamedTuple):
    """A link that a fixed joint ties to a body, whose phi contains it.

    `body` is -1 for what is tied to the fixed base; `placement` is the pose in that body, shape
    (4, 4); `phi` are the link's own parameters in its own frame, shape (10,).
    """

    name: str
    body: int
    placement: Array
    phi: Array


@dataclass(frozen=True, eq=False)
class RobotTree:
    """Bodies in a tree; body i is moved by joint i and hangs on body `parents[i]` < i.

    A floating robot has one joint of kind `floating`, which moves body 0. Its configuration is
    (x, y, z, qx, qy, qz, qw, joints), its velocity (v, ω of the base in base coordinates, joints).

    Args:
        name: of the robot.
        base: name of the link that does not move; of a floating robot, what it is placed in.
        links: name of the link each body is called after.
        joints: one per body.
        parents: parent of each body; -1 is the base.
        placements: pose of body i in its parent at q = 0, shape (bodies, 4, 4).
        phi: link parameters of each body, links tied to it included, shape (bodies, 10).
        gravity: acceleration in base coordinates [m/s²], shape (3,).
        fixed: links tied to bodies.
    """

    name: str
    base: str
    links: tuple[str, ...]
    joints: tuple[Joint, ...]
    parents: tuple[int, ...]
    placements: Array
    phi: Array
    gravity: Array
    fixed: tuple[FixedLink, ...] = ()

    def __post_init__(self) -> None:
        bodies = len(self.joints)
        for field, shape in (("placements", (bodies, 4, 4)), ("phi", (bodies, 10))):
            self._freeze(field, shape)
        self._freeze("gravity", (3,))
        if not (bodies == len(self.links) == len(self.parents)) or bodies == 0:
            raise ValueError("a tree has as many links and parents as joints, and at least one")
        for body, (joint, parent) in enumerate(zip(self.joints, self.parents, strict=True)):
            if not -1 <= parent < body:
                raise ValueError(f"body {body} hangs on {parent}, which does not come before it")
            if joint.kind == "floating":
                if body != 0:
                    raise ValueError(f"joint {joint.name} floats; only the first joint may")
            elif abs(np.linalg.norm(joint.axis) - 1.0) > 1e-9:
                raise ValueError(f"the axis of joint {joint.name} is not a unit vector")
        if self.floating and -1 in self.parents[1:]:
            raise ValueError("a floating robot has one base")

    def _freeze(self, field: str, shape: tuple[int, ...]) -> None:
        value = np.array(getattr(self, field), dtype=np.float64)
        if value.shape != shape:
            raise ValueError(f"{field} has shape {value.shape}, {shape} is needed")
        value.setflags(write=False)
        object.__setattr__(self, field, value)

    @property
    def bodies(self) -> int:
        """How many bodies move."""
        return len(self.joints)

    @property
    def floating(self) -> bool:
        """Whether body 0 is a floating base."""
        return self.joints[0].kind == "floating"

    @property
    def driven(self) -> tuple[Joint, ...]:
        """The joints with one degree of freedom: all but a floating one."""
        return self.joints[1:] if self.floating else self.joints

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints with one degree of freedom, in order."""
        return tuple(joint.name for joint in self.driven)

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of generalised forces: the six of a floating base, then the joints."""
        return (BASE_ROWS if self.floating else ()) + self.joint_names

    @property
    def torque_units(self) -> dict[str, str]:
        """Unit of each row; of a joint it is a force where it slides."""
        base = {row: "N" if ".f" in row else "N m" for row in self.rows if row in BASE_ROWS}
        return base | {j.name: "N" if j.kind == "prismatic" else "N m" for j in self.driven}

    @property
    def n(self) -> int:
        """How many joints with one degree of freedom there are."""
        return len(self.driven)

    @property
    def nq(self) -> int:
        """Length of a configuration: n, and 7 for a floating base."""
        return self.n + 7 * self.floating

    @property
    def nv(self) -> int:
        """Length of a velocity: n, and 6 for a floating base."""
        return self.n + 6 * self.floating

    @cached_property
    def ancestors(self) -> NDArray[np.bool_]:
        """Entry (i, j): body j lies on the path from the base to body i, or is i."""
        result = np.eye(self.bodies, dtype=bool)
        for body, parent in enumerate(self.parents):
            if parent >= 0:
                result[body] |= result[parent]
        result.setflags(write=False)
        return result

    def bound(self, which: Literal["lower", "upper", "velocity", "effort"]) -> Array:
        """One kind of limit of all driven joints, shape (n,); infinite where there is none."""
        return np.array([getattr(joint.limits, which) for joint in self.driven])

    def joint_index(self, name: str) -> int:
        """Position of a joint among the driven ones."""
        if name not in self.joint_names:
            said = f"robot {self.name} has no joint {name!r}"
            raise ConfigError("unknown-joint", said, hint=nearest(name, self.joint_names))
        return self.joint_names.index(name)

    def frame(self, link: str) -> Frame:
        """The frame of a link of the robot file, also of one that is tied to a body."""
        if link in self.links:
            return Frame(self.links.index(link), np.eye(4))
        for fixed in self.fixed:
            if fixed.name == link:
                return Frame(fixed.body, fixed.placement)
        names = (*self.links, *(fixed.name for fixed in self.fixed))
        said = f"robot {self.name} has no link {link!r}"
        raise ConfigError("unknown-frame", said, hint=nearest(link, names))

    def with_phi(self, phi: Sequence[Sequence[float]] | Array) -> "RobotTree":
        """The same robot with other link parameters, shape (bodies, 10)."""
        return replace(self, phi=np.asarray(phi, dtype=np.float64))
