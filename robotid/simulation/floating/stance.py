"""What a robot does on a floor: it stands on its feet and sways, or lifts them in turn.

Base and feet are told where to go; legs follow from that, all instants at once. Other joints, such
as arms, move as they would elsewhere, but less.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.dynamics.frame_jacobian import frame_jacobian
from robotid.errors import ConfigError
from robotid.robot.tree import RobotTree
from robotid.signals.planned import Moving
from robotid.simulation.floating.base_motion import base_motion, quaternion_rpy
from robotid.simulation.floating.feet import Foot, jacobians, resting
from robotid.simulation.floating.motion import Reference
from robotid.simulation.floating.prescribed import base_series
from robotid.simulation.options import SimulationOptions
from robotid.simulation.trajectory import make_trajectory, run_up

Array = NDArray[np.float64]
POINT_RADIUS = 0.02  # m, of a foot that is a point
_SHIFT, _TILT = 0.05, 0.05  # share of the height of the base, rad
_CALM = 0.25  # of these, while a robot stands on one foot of two
_BENT = {False: 0.75, True: 0.93}  # height of the base against straight legs; with flat feet
_FREE = 0.3  # of the range and speed of joints that are in no leg
_STEP_HZ = {False: 1.5, True: 0.5}  # by whether there are two feet only
_LIFTED = 0.6  # sine of the phase beyond which a foot of two is up
_ROUNDS, _DAMPING, _NEAR = 60, 1e-6, 1e-6
_PIECE = 4096  # instants at a time


class Stance(NamedTuple):
    """A motion on a floor, and with which share each foot carries, shape (T, feet)."""

    reference: Reference
    shares: Array


def stance(
    robot: RobotTree,
    options: SimulationOptions,
    feet: Sequence[Foot],
    t: Array,
    random: np.random.Generator,
) -> Stance:
    """Where base and joints should be.

    Args:
        robot: the robot.
        options: what is asked for.
        feet: that stand on the floor z = 0.
        t: evenly spaced times, shape (T,) [s].
        random: where series come from.
    """
    places, high = _standing(robot, feet)
    calm = _CALM if options.trajectory == "step" and len(feet) == 2 else 1.0
    shift = calm * _SHIFT * high if options.base_shift is None else options.base_shift
    tilt = calm * _TILT if options.base_tilt is None else options.base_tilt
    centre = np.array([0.0, 0.0, high, 0.0, 0.0, 0.0])
    half = np.array([shift, shift, shift, tilt, tilt, tilt])
    sway = base_series(options, centre, half, random)
    place = sway.at(t).q
    free = options.model_copy(update={"position_share": _FREE * options.position_share})
    joints = make_trajectory(robot, free, _FREE * max(options.speeds), random).at(t).q
    targets = np.broadcast_to(places, (len(t), *places.shape)).copy()
    shares = np.ones((len(t), len(feet)))
    if options.trajectory == "step":
        _step(options, targets, shares, place, t)
    q = _legs(robot, feet, place, joints, targets)
    step_s = float(t[1] - t[0])
    base = base_motion(Moving(*_with_rates(place, step_s)))
    return Stance(Reference(base, *_with_rates(q, step_s)), shares)


def _with_rates(values: Array, step_s: float) -> tuple[Array, Array, Array]:
    rate = np.gradient(values, step_s, axis=0)
    return values, rate, np.gradient(rate, step_s, axis=0)


def _standing(robot: RobotTree, feet: Sequence[Foot]) -> tuple[Array, float]:
    """Where feet stand in the world, shape (feet, 3), and how high the base is above the floor.

    They stand where they are with straight legs, moved so that the centre of mass is in their
    middle; the base is lower, so that legs are bent.
    """
    straight = np.zeros((1, robot.nq))
    straight[0, 6] = 1.0
    at = np.array([own.position[0] for own in jacobians(robot, straight, feet)])
    high = float(-at[:, 2].mean() * _BENT[feet[0].flat])
    at[:, 2] = 0.0 if feet[0].flat else POINT_RADIUS
    at[:, :2] += _centre_of_mass(robot)[:2] - at[:, :2].mean(0)
    return at, high + float(at[0, 2])


def _centre_of_mass(robot: RobotTree) -> Array:
    """Of all bodies, joints in the middle of their ranges, from the base [m], shape (3,)."""
    total, first = 0.0, np.zeros(3)
    for body, phi in enumerate(robot.phi):
        frame = robot.frame(robot.links[body])
        own = frame_jacobian(robot, resting(robot)[None], frame)
        first += phi[0] * own.position[0] + own.rotation[0] @ phi[1:4]
        total += phi[0]
    return first / total


def _step(
    options: SimulationOptions, targets: Array, shares: Array, place: Array, t: Array
) -> None:
    """Lift feet in turn: two groups, of four those across each other, of two each for itself.

    With two feet the base goes sideways first, so far that what it pushes the floor with is under
    the foot that stays: for a mass at height z on a leg, y (1 + ω² z / g) is there.
    """
    feet = targets[0]
    middle = feet.mean(0)
    two = len(feet) == 2
    hz = options.step_hz or _STEP_HZ[two]
    phase = 2 * np.pi * hz * run_up(t, max(options.ramp_s, 1.0 / hz))[0]
    signs = np.sign(feet[:, 1] - middle[1]) * (1.0 if two else np.sign(feet[:, 0] - middle[0]))
    for foot, sign in enumerate(signs):
        up = np.sin(phase) * sign
        high = np.clip((up - _LIFTED) / (1 - _LIFTED), 0.0, 1.0) if two else np.clip(up, 0.0, 1.0)
        targets[:, foot, 2] += options.step_height * high**2 * (3 - 2 * high)
        shares[:, foot] = np.clip(1.0 - 10 * high, 0.0, 1.0)
    if two:
        sideways = np.abs(feet[:, 1] - middle[1]).max()
        omega = 2 * np.pi * hz
        reach = sideways / (1 + omega**2 * place[0, 2] / 9.81)
        place[:, 1] -= reach * np.sin(phase)


def _legs(
    robot: RobotTree, feet: Sequence[Foot], place: Array, joints: Array, targets: Array
) -> Array:
    """Positions of all joints, shape (T, n): those of legs so that feet are at their targets."""
    found = np.empty_like(joints)
    first = resting(robot)[7:]
    straight = np.zeros((1, robot.nq))
    straight[0, 6] = 1.0
    upright = [own.rotation[0] for own in jacobians(robot, straight, feet)]
    for begin in range(0, len(joints), _PIECE):
        here = slice(begin, begin + _PIECE)
        pose = np.column_stack([place[here, :3], quaternion_rpy(place[here, 3:])])
        q = np.column_stack([pose, joints[here]])
        for number, foot in enumerate(feet):
            chain = frame_jacobian(robot, q[:1], foot.frame).coordinates[6:] + 1
            q[:, chain] = first[chain - 7]
            _reach(robot, foot, q, chain, targets[here, number] - pose[:, :3], upright[number])
        found[here] = q[:, 7:]
    return found


def _reach(
    robot: RobotTree,
    foot: Foot,
    q: Array,
    chain: NDArray[np.int64],
    target: Array,
    upright: Array,
) -> None:
    """Change the joints of a leg until its foot is where it should be, by damped Newton steps.

    Args:
        robot: the robot.
        foot: at the end of the leg.
        q: configurations, shape (T, nq), in which the joints are changed.
        chain: places of the joints of the leg in them.
        target: of the foot, in world axes from the base, shape (T, 3).
        upright: how a flat foot is to be turned, (3, 3).
    """
    for _ in range(_ROUNDS):
        own = frame_jacobian(robot, q, foot.frame)
        error = target - own.position
        if foot.flat:
            around = 0.5 * np.cross(own.rotation, upright[None], axis=1).sum(axis=2)
            error = np.column_stack([error, around])
        if np.abs(error).max() < _NEAR:
            return
        J = own.matrix[:, : foot.entries, 6:]
        normal = J @ J.mT + _DAMPING * np.eye(foot.entries)
        step = np.einsum("tij,ti->tj", J, np.linalg.solve(normal, error[..., None])[..., 0])
        q[:, chain] += np.clip(step, -0.3, 0.3)
    said = f"a leg cannot have {foot.link} where it should stand"
    hint = "lower base_shift, base_tilt or step_height"
    raise ConfigError("out-of-reach", said, hint=hint)
