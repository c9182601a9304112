"""Changes of a robot: lock joints, cut out a chain, float or tilt the base, add a payload.

Each takes an `Assembly` and gives a new one; for a tree: `tree_of(lock(assembly_of(tree), …))`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from robotid.errors import ConfigError, nearest
from robotid.robot.assembly import Assembly, Part, joint_motion
from robotid.robot.geometry import phi_from, pose, rotation_rpy
from robotid.robot.physical import violations
from robotid.robot.tree import Joint


class Payload(NamedTuple):
    """A tool or load, tied to a link.

    Args:
        name: of the new link.
        on: the link it is tied to.
        mass: [kg].
        centre: centre of mass in its own frame [m].
        inertia: 3×3 about its centre of mass, in its own axes [kg m²].
        xyz: position of its frame in that of the link [m].
        rpy: orientation of its frame in that of the link [rad].
    """

    name: str
    on: str
    mass: float
    centre: tuple[float, float, float]
    inertia: ArrayLike
    xyz: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)


def lock(assembly: Assembly, values: Mapping[str, float]) -> Assembly:
    """Hold joints at positions [rad or m]; their links are fixed from then on."""
    joints = {part.joint.name: part.joint for part in assembly.parts if part.joint is not None}
    for name, value in values.items():
        if name not in joints:
            said = f"robot {assembly.name} has no moving joint {name!r} to lock"
            raise ConfigError("unknown-joint", said, hint=nearest(name, joints))
        if joints[name].kind == "floating":
            said = f"joint {name} floats; give base=fixed to hold it"
            raise ConfigError("floating-joint", said, joint=name)
        if not np.isfinite(value):
            raise ConfigError("bad-number", f"joint {name} cannot be locked at {value}", joint=name)
    return assembly.with_parts([_held(part, values) for part in assembly.parts])


def _held(part: Part, values: Mapping[str, float]) -> Part:
    if part.joint is None or part.joint.name not in values:
        return part
    placement = part.placement @ joint_motion(part.joint, values[part.joint.name])
    return part._replace(joint=None, placement=placement)


def chain(assembly: Assembly, base: str, tip: str) -> Assembly:
    """The links from `base` to `tip`, and what is fixed to them.

    Moving branches beside the chain, and beyond the tip, are left out with all they carry; lock
    their joints first if the chain carries them. The new base does not move, and gravity is turned
    into its axes as it stands when all joints before it are at zero.
    """
    first, last = assembly.find(base), assembly.find(tip)
    path = [last]
    while path[-1] != first:
        above = assembly.parts[path[-1]].parent
        if above < 0:
            said = f"link {tip!r} does not hang on link {base!r}"
            raise ConfigError("no-chain", said, hint="give the link nearer to the root first")
        path.append(above)
    rotation, at = np.eye(3), first
    while at >= 0:
        rotation = assembly.parts[at].placement[:3, :3] @ rotation
        at = assembly.parts[at].parent
    parts: list[Part] = []
    position: dict[int, int] = {}
    for index, part in enumerate(assembly.parts):
        if index == first:
            kept = part._replace(parent=-1, placement=np.eye(4), joint=None)
        elif part.parent in position and (index in path or part.joint is None):
            kept = part._replace(parent=position[part.parent])
        else:
            continue
        position[index] = len(parts)
        parts.append(kept)
    return replace(assembly, parts=tuple(parts), gravity=rotation.T @ assembly.gravity)


def add_payload(assembly: Assembly, payload: Payload) -> Assembly:
    """Tie a tool or a load to a link."""
    if any(part.link == payload.name for part in assembly.parts):
        said = f"there already is a link {payload.name!r}"
        raise ConfigError("duplicate-name", said, hint="give the payload another name")
    inertia = np.asarray(payload.inertia, dtype=np.float64)
    numbers = [payload.mass, *payload.centre, *payload.xyz, *payload.rpy, *inertia.flat]
    if inertia.shape != (3, 3) or not np.all(np.isfinite(numbers)):
        said = f"payload {payload.name}: finite numbers and a 3×3 inertia are needed"
        raise ConfigError("bad-payload", said)
    if not np.allclose(inertia, inertia.T, rtol=1e-9, atol=0):
        raise ConfigError("bad-payload", f"payload {payload.name}: the inertia is not symmetric")
    phi = phi_from(payload.mass, payload.centre, inertia)
    if payload.mass <= 0:
        raise ConfigError("bad-payload", f"payload {payload.name}: mass must be positive")
    if inertia.any() and violations(phi):  # a point mass is a fair payload
        raise ConfigError("bad-payload", f"payload {payload.name}: {violations(phi)[0]}")
    placement = pose(rotation_rpy(*payload.rpy), payload.xyz)
    part = Part(payload.name, assembly.find(payload.on), placement, None, phi)
    return assembly.with_parts([*assembly.parts, part])


def float_base(assembly: Assembly) -> Assembly:
    """Let the root move freely: the first link that has mass, or is all the root carries."""
    parts = assembly.parts
    if any(part.joint is not None and part.joint.kind == "floating" for part in parts):
        return assembly
    world = "world"
    joint = Joint("floating_base", "floating", (0.0, 0.0, 0.0))
    below = [index for index, part in enumerate(parts) if part.parent == 0]
    if not parts[0].phi.any() and len(below) == 1 and parts[below[0]].joint is None:
        # An empty root that holds one link: that link is the base which floats.
        moved = parts[below[0]]._replace(joint=joint, placement=np.eye(4))
        return assembly.with_parts([p if i != below[0] else moved for i, p in enumerate(parts)])
    while any(part.link == world for part in parts):
        world = f"_{world}"
    empty = Part(world, -1, np.eye(4), None, np.zeros(10))
    root = parts[0]._replace(parent=0, joint=joint)
    rest = [part._replace(parent=part.parent + 1) for part in parts[1:]]
    return assembly.with_parts([empty, root, *rest])


def fix_base(assembly: Assembly) -> Assembly:
    """Hold a floating root where the file places it."""
    return assembly.with_parts(
        [
            part._replace(joint=None, placement=part.placement @ assembly.rest)
            if part.joint is not None and part.joint.kind == "floating"
            else part
            for part in assembly.parts
        ]
    )


def with_gravity(assembly: Assembly, gravity: Sequence[float]) -> Assembly:
    """Gravity [m/s²] in the axes of the base."""
    vector = np.array(gravity, dtype=np.float64)
    if vector.shape != (3,) or not np.all(np.isfinite(vector)):
        said = "gravity is three finite numbers [m/s²]"
        raise ConfigError("bad-gravity", said, hint="as in 0 0 -9.81")
    return replace(assembly, gravity=vector)


def mount(assembly: Assembly, rpy: Sequence[float]) -> Assembly:
    """Mount the base tilted by roll, pitch, yaw [rad]: g_base = Rᵀ g."""
    angles = np.array(rpy, dtype=np.float64)
    if angles.shape != (3,) or not np.all(np.isfinite(angles)):
        raise ConfigError("bad-mount", "the tilt of the base is three finite angles [rad]")
    rotation = rotation_rpy(*angles)
    return replace(assembly, gravity=rotation.T @ assembly.gravity)
