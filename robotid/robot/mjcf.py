"""MJCF, compiled by MuJoCo and taken apart into parts.

A body with several joints, or with a joint beside its origin, becomes a chain: one empty link
`body/joint` per joint, and the body itself last. q is MuJoCo's qpos: `ref` is accounted for.
"""

import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from robotid.errors import BadDataError, ConfigError, Notice
from robotid.robot.assembly import Assembly, Part, joint_motion
from robotid.robot.description import Description
from robotid.robot.geometry import phi_from, pose
from robotid.robot.mjcf_text import dynamics_only
from robotid.robot.numbers import LARGEST
from robotid.robot.tree import Array, Joint, Limits
from robotid.robot.urdf import MAX_LINKS
from robotid.robot.xml_source import XmlSource

_FREE, _BALL, _SLIDE = 0, 1, 2  # mjtJoint; what remains is the hinge, 3


def read_mjcf(source: XmlSource) -> Description:
    """The robot that an MJCF file describes."""
    model = compiled_mjcf(source)
    if model.nbody > MAX_LINKS:
        source.fail("too-large", f"more than {MAX_LINKS} bodies", source.root)
    _check_numbers(source, model)
    names = body_names(source, model)
    lines = {
        e.attributes["name"]: e.line
        for e in source.root.walk()
        if e.tag == "body" and "name" in e.attributes
    }
    parts = [Part(names[0], -1, np.eye(4), None, np.zeros(10))]
    position = {0: 0}
    for body in range(1, model.nbody):  # MuJoCo numbers bodies depth first, in file order
        first = position[int(model.body_parentid[body])]
        for part in _parts(source, model, body, names[body]):
            parts.append(part._replace(parent=first))
            first = len(parts) - 1
        position[body] = first
    rest = _pose(model.body_pos[1], model.body_quat[1]) if model.nbody > 1 else np.eye(4)
    gravity = np.array(model.opt.gravity)
    if model.opt.disableflags & _mujoco(source).mjtDisableBit.mjDSBL_GRAVITY:
        gravity = np.zeros(3)
    robot = source.root.attributes.get("model", "").strip() or "robot"
    return Description(
        file=source.file,
        format="mjcf",
        assembly=Assembly(robot, tuple(parts), gravity, rest),
        link_lines=lines,
        notices=tuple(_notices(source, model)),
    )


def _mujoco(source: XmlSource) -> Any:
    try:
        import mujoco
    except ImportError as error:
        raise ConfigError(
            "mujoco-missing",
            "reading MJCF needs MuJoCo",
            file=source.file,
            hint="pip install 'robotid[mujoco]', or use a URDF",
        ) from error
    return mujoco


def compiled_mjcf(source: XmlSource, with_shapes: bool = False) -> Any:
    """MuJoCo's model of a file, reduced to its dynamics; see `mjcf_text`."""
    mujoco = _mujoco(source)
    text = dynamics_only(source, with_shapes)
    encoding = "latin-1" if b"iso-8859-1" in text[:100].lower() else "utf-8-sig"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about old ways of writing, which still work
            spec = mujoco.MjSpec.from_string(text.decode(encoding))
            spec.compiler.fusestatic = False  # links keep their names
            return spec.compile()
    except (ValueError, mujoco.FatalError) as error:
        said = " ".join(str(error).split())
        found = re.search(r"line (\d+)", said)
        line = int(found[1]) if found else None
        raise BadDataError("bad-mjcf", f"MuJoCo: {said}", file=source.file, line=line) from error


def _check_numbers(source: XmlSource, model: Any) -> None:
    """MuJoCo accepts infinite and enormous numbers; sums and squares of them mean nothing."""
    fields = ("body_pos", "body_ipos", "body_mass", "body_inertia", "jnt_pos", "qpos0")
    losses = ("dof_damping", "dof_frictionloss", "dof_armature")
    for field in (*fields, *losses):
        if not np.all(np.abs(getattr(model, field)) <= LARGEST):
            said = f"a number is not finite or beyond {LARGEST:g} ({field} of the compiled model)"
            source.fail("bad-number", said, source.root)
    if not np.all(np.abs(model.opt.gravity) <= LARGEST):
        source.fail("bad-number", "gravity is not finite", source.root)


def body_names(source: XmlSource, model: Any) -> list[str]:
    """What the links of all bodies are called."""
    names = [model.body(body).name or f"body{body}" for body in range(model.nbody)]
    for name in names:
        if names.count(name) > 1:
            source.fail("duplicate-name", f"a body without a name would be called {name!r} too")
    return names


def _parts(source: XmlSource, model: Any, body: int, name: str) -> Iterator[Part]:
    """The links that a body becomes, each to hang on the one before."""
    placement = _pose(model.body_pos[body], model.body_quat[body])
    phi = phi_from(
        float(model.body_mass[body]),
        model.body_ipos[body],
        _rotated(model.body_inertia[body], model.body_iquat[body]),
    )
    first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    joints = [_joint(source, model, index, name) for index in range(first, first + count)]
    if joints and joints[0].kind == "floating":
        if model.body_parentid[body] != 0 or model.nbody - 1 > _size_below(model, body):
            said = f"body {name!r} floats, but there are other bodies in the world"
            source.fail("floating-joint", said, hint="remove what is not the robot")
        # The coordinates of a free body are its pose in the world, wherever the file puts it.
        yield Part(name, 0, np.eye(4), joints[0], phi)
        return
    back = np.zeros(3)  # from the last joint's anchor to the body's origin
    for offset, joint in enumerate(joints):
        index = first + offset
        anchor = model.jnt_pos[index]
        reference = float(model.qpos0[model.jnt_qposadr[index]])
        shift = pose(np.eye(3), anchor - back)
        placed = placement @ shift @ joint_motion(joint, -reference)
        if offset == count - 1 and not anchor.any():
            yield Part(name, 0, placed, joint, phi)
            return
        yield Part(f"{name}/{joint.name}", 0, placed, joint, np.zeros(10))
        placement, back = np.eye(4), anchor
    yield Part(name, 0, placement @ pose(np.eye(3), -back), None, phi)


def _joint(source: XmlSource, model: Any, index: int, body: str) -> Joint:
    name = model.joint(index).name or f"{body}_joint{index}"
    kind = int(model.jnt_type[index])
    if kind == _FREE:
        return Joint(name, "floating", (0.0, 0.0, 0.0))
    if kind == _BALL:
        at = next((e for e in source.root.walk() if e.attributes.get("name") == name), None)
        said = f"joint {name!r} is a ball joint, which robotid does not model"
        hint = "replace it with three hinges"
        source.fail("joint-type", said, at, joint=name, hint=hint)
    lower, upper = model.jnt_range[index] if model.jnt_limited[index] else (-np.inf, np.inf)
    x, y, z = model.jnt_axis[index] / np.linalg.norm(model.jnt_axis[index])
    dof = int(model.jnt_dofadr[index])
    return Joint(
        name=name,
        kind="prismatic" if kind == _SLIDE else "revolute",
        axis=(float(x), float(y), float(z)),
        limits=Limits(float(lower), float(upper), effort=_effort(model, index)),
        damping=float(np.ravel(model.dof_damping[dof])[0]),
        friction=float(model.dof_frictionloss[dof]),
        rotor_inertia=float(model.dof_armature[dof]),
    )


def _effort(model: Any, joint: int) -> float:
    """The largest force that the joint, or all its actuators together, may have."""
    most = np.inf
    if model.jnt_actfrclimited[joint]:
        most = float(np.abs(model.jnt_actfrcrange[joint]).max())
    driving = [a for a in range(model.nu) if model.actuator_trnid[a, 0] == joint]
    if driving and all(model.actuator_forcelimited[a] for a in driving):
        gears = [abs(float(model.actuator_gear[a, 0])) for a in driving]
        forces = [float(np.abs(model.actuator_forcerange[a]).max()) for a in driving]
        most = min(most, sum(g * f for g, f in zip(gears, forces, strict=True)))
    return most


def _size_below(model: Any, body: int) -> int:
    """How many bodies a body carries, itself included."""
    inside = {body}
    for other in range(body + 1, model.nbody):
        if int(model.body_parentid[other]) in inside:
            inside.add(other)
    return len(inside)


def _notices(source: XmlSource, model: Any) -> Iterator[Notice]:
    """What moves the model in MuJoCo but is no part of the rigid-body model."""
    for section in ("equality", "tendon", "deformable"):
        for element in source.root.all(section):
            if element.children:
                said = f"<{section}> is not part of the model"
                yield Notice(code="not-modelled", message=said, file=source.file, line=element.line)
    for index in range(model.njnt):
        if np.any(model.jnt_stiffness[index]):
            name = model.joint(index).name
            said = f"the spring of joint {name!r} is not part of the model"
            yield Notice(code="not-modelled", message=said, file=source.file, joint=name)


def _pose(position: Array, quaternion: Array) -> Array:
    return pose(rotation_of(quaternion), position)


def _rotated(moments: Array, quaternion: Array) -> Array:
    rotation = rotation_of(quaternion)
    result: Array = rotation @ np.diag(moments) @ rotation.T
    return result


def rotation_of(quaternion: Array) -> Array:
    """The rotation of a unit quaternion (w, x, y, z)."""
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
