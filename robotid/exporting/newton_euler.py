"""The inverse dynamics of a tree as lines of code: recursive Newton-Euler, unrolled.

Everything is in body coordinates. With B = [α] + [ω]² the point p of a body has acceleration
a + B p, its force is f = m a + B h, its moment n = h × a + I α + ω × I ω.
"""

from typing import NamedTuple

import numpy as np

from robotid.errors import ConfigError
from robotid.exporting.expressions import ZERO, Line, Matrix, Program, Value, Vector, transposed
from robotid.exporting.joint_code import JointMotion, joint_torques
from robotid.models.rigid_body import Array, RigidBodyModel
from robotid.robot.geometry import inertia_matrix, skew
from robotid.robot.tree import Joint

# What sin and cos leave of a right angle in a robot file: taken as the 0 or 1 that was meant.
_ROUNDING = 1e-15


class InverseDynamics(NamedTuple):
    """Lines in order, and the torque of each joint as an expression."""

    lines: list[Line]
    torques: list[str]


class _Body(NamedTuple):
    """Rotation and place in the parent, ω, B (`spin`), acceleration and angular acceleration."""

    rotation: Matrix
    place: Vector
    velocity: Vector
    spin: Matrix
    acceleration: Vector
    turning: Vector


def inverse_dynamics(model: RigidBodyModel) -> InverseDynamics:
    """Code that reads `q[i]`, `qd[i]` and `qdd[i]`."""
    robot = model.layout.robot
    if robot.floating:
        said = f"robot {robot.name} floats; code is written for robots with a fixed base"
        raise ConfigError("floating-robot", said, hint="export a robot file instead")
    program = Program()
    still: Matrix = [[ZERO] * 3 for _ in range(3)]
    base = _Body(still, [ZERO] * 3, [ZERO] * 3, still, _constants(-robot.gravity), [ZERO] * 3)
    motion = [
        JointMotion(program.let(f"qd[{i}]"), program.let(f"qdd[{i}]")) for i in range(robot.n)
    ]
    bodies: list[_Body] = []
    for body, (joint, parent) in enumerate(zip(robot.joints, robot.parents, strict=True)):
        q = program.let(f"q[{body}]")
        above = bodies[parent] if parent >= 0 else base
        bodies.append(_moved(program, joint, robot.placements[body], q, motion[body], above))
    loads = _along(program, model, bodies, robot.phi) if model.layout.loaded else []
    links = _along(program, model, bodies, model.links)
    own = joint_torques(program, model, motion, loads)
    torques = program.add(links, own)
    return InverseDynamics(program.needed(torques), [torque.text for torque in torques])


def _along(program: Program, model: RigidBodyModel, bodies: list[_Body], phi: Array) -> list[Value]:
    """The torque of each joint that links with some parameters need, from the tips inward."""
    robot = model.layout.robot
    wrenches = [_wrench(program, body, own) for body, own in zip(bodies, phi, strict=True)]
    torques = []
    for body in reversed(range(robot.bodies)):
        force, moment = wrenches[body]
        joint, parent = robot.joints[body], robot.parents[body]
        torques.append(program.dot(_constants(joint.axis), force if _slides(joint) else moment))
        if parent >= 0:
            at = bodies[body]
            carried = program.times(at.rotation, force)
            turned = program.times(at.rotation, moment)
            lever = program.cross(at.place, carried)
            wrenches[parent] = (
                program.add(wrenches[parent][0], carried),
                program.add(wrenches[parent][1], turned, lever),
            )
    return torques[::-1]


def _moved(
    program: Program, joint: Joint, placement: Array, q: Value, at: JointMotion, above: _Body
) -> _Body:
    """How a body moves, from how its parent does."""
    rotation, place = _pose(program, joint, placement, q)
    into = transposed(rotation)
    axis = _constants(joint.axis)
    carried = program.times(into, above.velocity)
    turning = program.times(into, above.turning)
    at_place = program.add(above.acceleration, program.times(above.spin, place))
    acceleration = program.times(into, at_place)
    if _slides(joint):
        velocity = carried
        across = program.cross(velocity, program.scaled(at.velocity, axis))
        sliding = program.scaled(at.acceleration, axis)
        acceleration = program.add(acceleration, sliding, program.scaled(Value(2.0), across))
    else:
        own = program.scaled(at.velocity, axis)
        velocity = program.add(carried, own)
        across = program.cross(carried, own)
        turning = program.add(turning, program.scaled(at.acceleration, axis), across)
    spin = _spin(program, velocity, turning)
    return _Body(rotation, place, velocity, spin, acceleration, turning)


def _pose(program: Program, joint: Joint, placement: Array, q: Value) -> tuple[Matrix, Vector]:
    """Rotation and place of a body in its parent: R exp([axis] q), or p + R axis q."""
    rotation, place = placement[:3, :3], _constants(placement[:3, 3])
    if _slides(joint):
        slide = _constants(rotation @ np.array(joint.axis))
        return _matrix(rotation), program.add(place, program.scaled(q, slide))
    turn = rotation @ skew(joint.axis)
    twice = turn @ skew(joint.axis)
    cosine, sine = program.call("cos", q), program.call("sin", q)
    held, with_sine, with_cosine = _matrix(rotation + twice), _matrix(turn), _matrix(-twice)
    entries = [
        [
            program.sum([held[i][j]], [with_sine[i][j], sine], [with_cosine[i][j], cosine])
            for j in range(3)
        ]
        for i in range(3)
    ]
    return entries, place


def _spin(program: Program, velocity: Vector, turning: Vector) -> Matrix:
    """B = [α] + ω ωᵀ − |ω|² 1."""
    x, y, z = velocity
    a, b, c = turning
    minus = Value(-1.0)
    xy, xz, yz = program.sum([x, y]), program.sum([x, z]), program.sum([y, z])
    xx, yy, zz = program.sum([x, x]), program.sum([y, y]), program.sum([z, z])
    return [
        [program.sum([minus, yy], [minus, zz]), program.sum([xy], [minus, c]), program.plus(xz, b)],
        [program.plus(xy, c), program.sum([minus, xx], [minus, zz]), program.sum([yz], [minus, a])],
        [program.sum([xz], [minus, b]), program.plus(yz, a), program.sum([minus, xx], [minus, yy])],
    ]


def _wrench(program: Program, body: _Body, phi: Array) -> tuple[Vector, Vector]:
    """Force and moment about the origin of a body."""
    nine = inertia_matrix(phi) if phi.size == 10 else phi[4:].reshape(3, 3)
    mass, first, inertia = Value(float(phi[0])), _constants(phi[1:4]), _exact(nine)
    force = program.add(program.scaled(mass, body.acceleration), program.times(body.spin, first))
    momentum = program.times(inertia, body.velocity)
    moment = program.add(
        program.cross(first, body.acceleration),
        program.times(inertia, body.turning),
        program.cross(body.velocity, momentum),
    )
    return force, moment


def _slides(joint: Joint) -> bool:
    return joint.kind == "prismatic"


def _constants(values: Array | tuple[float, ...]) -> Vector:
    return [Value(float(value)) for value in values]


def _exact(values: Array) -> Matrix:
    return [_constants(row) for row in values]


def _matrix(rotation: Array) -> Matrix:
    """A product of rotations as constants, without the rounding of right angles."""
    whole = np.round(rotation)
    return _exact(np.where(np.abs(rotation - whole) < _ROUNDING, whole, rotation))
