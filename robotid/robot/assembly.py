"""`Assembly`: a robot link by link, fixed joints included; what is read and edited.

A `RobotTree` has merged the links that cannot move against each other. An assembly has not, so
locking a joint, cutting out a chain or adding a payload is a small change of a list of parts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from robotid.errors import BadDataError, ConfigError, nearest
from robotid.robot.geometry import pose, rotation_about, transport
from robotid.robot.tree import Array, FixedLink, Joint, RobotTree


class Part(NamedTuple):
    """A link and how it hangs on its parent.

    Args:
        link: its name.
        parent: position of the parent in the list, smaller than its own; -1 for the base.
        placement: pose in the parent's link frame, at q = 0, shape (4, 4).
        joint: None where it is fixed.
        phi: the link's own parameters in its own frame, shape (10,).
    """

    link: str
    parent: int
    placement: Array
    joint: Joint | None
    phi: Array


@dataclass(frozen=True, eq=False)
class Assembly:
    """All parts of a robot, parents first; the first is the base.

    `rest` is where a floating base is held when it is fixed: a pose on top of its placement.
    """

    name: str
    parts: tuple[Part, ...]
    gravity: Array
    rest: Array = field(default_factory=lambda: np.eye(4))

    def find(self, link: str) -> int:
        """Position of a link."""
        names = [part.link for part in self.parts]
        if link not in names:
            said = f"robot {self.name} has no link {link!r}"
            raise ConfigError("unknown-link", said, hint=nearest(link, names))
        return names.index(link)

    def with_parts(self, parts: Sequence[Part]) -> "Assembly":
        """The same robot made of other parts."""
        return replace(self, parts=tuple(parts))


def joint_motion(joint: Joint, position: float) -> Array:
    """Pose of a link against where it is at q = 0, shape (4, 4)."""
    axis = np.array(joint.axis)
    if joint.kind == "prismatic":
        return pose(np.eye(3), axis * position)
    return pose(rotation_about(axis, position), np.zeros(3))


def tree_of(assembly: Assembly) -> RobotTree:
    """The tree of an assembly: fixed links merged, φ_body = Σ transported φ of its links.

    Bodies keep the order of their parts. Every link is either the name of a body or in `fixed`,
    the base among the latter.
    """
    # Of each part: the body that carries it, and its pose in that body.
    carriers: list[int] = []
    poses: list[Array] = []
    links: list[str] = []
    joints: list[Joint] = []
    parents: list[int] = []
    placements: list[Array] = []
    phi: list[Array] = []
    fixed: list[FixedLink] = []
    for part in assembly.parts:
        above = carriers[part.parent] if part.parent >= 0 else -1
        placement = (poses[part.parent] if part.parent >= 0 else np.eye(4)) @ part.placement
        if part.joint is None:
            carriers.append(above)
            poses.append(placement)
            fixed.append(FixedLink(part.link, above, placement, part.phi))
            if above >= 0:
                phi[above] = phi[above] + transport(part.phi, placement)
            continue
        carriers.append(len(joints))
        poses.append(np.eye(4))
        links.append(part.link)
        joints.append(part.joint)
        parents.append(above)
        placements.append(placement)
        phi.append(part.phi)
    if not joints:
        said = f"robot {assembly.name} has no joint that moves"
        raise BadDataError("no-moving-joint", said)
    return RobotTree(
        name=assembly.name,
        base=assembly.parts[0].link,
        links=tuple(links),
        joints=tuple(joints),
        parents=tuple(parents),
        placements=np.array(placements),
        phi=np.array(phi),
        gravity=assembly.gravity,
        fixed=tuple(fixed),
    )


def assembly_of(tree: RobotTree) -> Assembly:
    """The parts of a tree; a body's own link has what its fixed links leave of the body's φ.

    Fixed links hang right on their body (or on the base) here, whatever they hung on in the file.
    """
    base_phi = np.zeros(10)
    for link in tree.fixed:
        if link.body < 0 and link.name == tree.base:
            base_phi = link.phi
    parts = [Part(tree.base, -1, np.eye(4), None, base_phi)]
    own = own_phi(tree)
    for body, (name, joint, parent) in enumerate(
        zip(tree.links, tree.joints, tree.parents, strict=True)
    ):
        parts.append(Part(name, parent + 1, tree.placements[body], joint, own[body]))
    parts += [
        Part(link.name, link.body + 1, link.placement, None, link.phi)
        for link in tree.fixed
        if not (link.body < 0 and link.name == tree.base)
    ]
    return Assembly(tree.name, tuple(parts), tree.gravity)


def own_phi(tree: RobotTree) -> Array:
    """Parameters of the links that bodies are called after, shape (bodies, 10)."""
    own = tree.phi.copy()
    for link in tree.fixed:
        if link.body >= 0:
            own[link.body] -= transport(link.phi, link.placement)
    return own
