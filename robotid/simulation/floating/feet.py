"""Where contacts act on a floating robot, and how they share the wrench that its base needs."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.dynamics.frame_jacobian import FrameJacobian, frame_jacobian
from robotid.errors import ConfigError
from robotid.robot.tree import Frame, RobotTree
from robotid.simulation.robots import reach

Array = NDArray[np.float64]
_TURNED_BY = 6  # joints of a leg that can hold a flat foot to the floor in any pose of the base
_ARM = 0.1  # of a foot [m]: a moment counts like the force that has it on this arm
_SLACK = 1e-9  # of the weights: keeps feet that stand on one line solvable


class Foot(NamedTuple):
    """A link that contacts act on; a flat one can be turned as well as pushed."""

    link: str
    frame: Frame
    flat: bool

    @property
    def entries(self) -> int:
        """Of its wrench, how many contacts can have: three of a point, all six of a flat foot."""
        return 6 if self.flat else 3


def feet_of(robot: RobotTree, named: Sequence[str]) -> list[Foot]:
    """The feet of a robot.

    Args:
        robot: the robot.
        named: links that are feet; without, those whose names end with `foot`.
    """
    links = named or [n for n in (*robot.links, *(f.name for f in robot.fixed)) if _is_foot(n)]
    if not links:
        said = f"feet: no link of robot {robot.name} is called a foot"
        raise ConfigError("no-feet", said, hint="name the links that contacts act on: --feet")
    posture = resting(robot)[None]
    found = []
    for link in links:
        frame = robot.frame(link)
        moved = frame_jacobian(robot, posture, frame).coordinates.size - 6
        if moved < 0:
            said = f"feet: link {link!r} does not move with robot {robot.name}"
            raise ConfigError("no-feet", said, hint="name links of its legs: --feet")
        found.append(Foot(link, frame, moved >= _TURNED_BY))
    return found


def _is_foot(link: str) -> bool:
    return link.lower().endswith("foot")


def resting(robot: RobotTree) -> Array:
    """All joints in the middle of their ranges, the base at the origin, shape (nq,)."""
    lower, half, _ = reach(robot)
    return np.concatenate([[0.0] * 6 + [1.0], lower + half])


def jacobians(robot: RobotTree, q: Array, feet: Sequence[Foot]) -> list[FrameJacobian]:
    """Of each foot, for configurations of shape (T, nq)."""
    return [frame_jacobian(robot, q, foot.frame) for foot in feet]


def shared(
    feet: Sequence[Foot],
    moved: Sequence[FrameJacobian],
    wrench: Array,
    shares: Array | None = None,
) -> dict[str, Array]:
    """Wrenches on feet that together have a wrench on the base, of the least sum of squares.

    Σ G_c f_c = w with G_c the rows of the base in J_cᵀ; f = D Gᵀ (G D Gᵀ)⁻¹ w, D the weights.

    Args:
        feet: that share it.
        moved: their Jacobians.
        wrench: on the base in base coordinates, shape (T, 6).
        shares: weight of each foot, shape (T, feet); 1 without. One that is lifted has 0, and what
            those that are left cannot have is not met.

    Returns:
        By link, in world coordinates at its origin, shape (T, 6).
    """
    entries = [foot.entries for foot in feet]
    weights = np.concatenate([[1.0] * 3 + [_ARM**2] * (count - 3) for count in entries])[None]
    if shares is not None:
        weights = weights * np.repeat(shares, entries, axis=1)
    parts = [own.matrix[:, :count, :6] for count, own in zip(entries, moved, strict=True)]
    G = np.concatenate(parts, axis=1).mT
    spread = G * weights[:, None]
    units = np.array([1.0] * 3 + [1.0 / _ARM] * 3)  # rows of forces and of moments alike
    normal = (spread @ G.mT) * np.outer(units, units)
    if shares is not None:
        normal += _SLACK * np.trace(normal, axis1=1, axis2=2)[:, None, None] * np.eye(6)
    multipliers = units * np.linalg.solve(normal, (units * wrench)[..., None])[..., 0]
    f = np.einsum("tij,ti->tj", spread, multipliers)
    found, at = {}, 0
    for foot, count in zip(feet, entries, strict=True):
        found[foot.link] = np.zeros((len(wrench), 6))
        found[foot.link][:, :count] = f[:, at : at + count]
        at += count
    return found


def pushed(moved: Sequence[FrameJacobian], wrenches: dict[str, Array], nv: int) -> Array:
    """Σ J_cᵀ f_c, shape (T, nv)."""
    parts = [own.force(f, nv) for own, f in zip(moved, wrenches.values(), strict=True)]
    return np.asarray(sum(parts))
