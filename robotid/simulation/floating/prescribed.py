"""Motions that a floating robot follows exactly, held at its feet.

Base and joints follow series of their own; generalised forces come from an engine. The feet share
the wrench that the base needs, and the motors give what is left: τ = τ_ID - Σ J_cᵀ f_c + friction.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.robot.tree import RobotTree
from robotid.simulation.drives import Drives
from robotid.simulation.floating.base_motion import base_motion
from robotid.simulation.floating.feet import Foot, jacobians, pushed, resting, shared
from robotid.simulation.floating.forces import forces
from robotid.simulation.floating.motion import FloatingMotion, Reference
from robotid.simulation.options import SimulationOptions
from robotid.simulation.trajectory import FourierTrajectory, make_trajectory, peaks

Array = NDArray[np.float64]
_SHIFT, _TILT = 0.25, 0.5  # m, rad
_TURN = 2.0  # how much further than it tilts a base turns about the vertical


class Prescribed(NamedTuple):
    """Series of the base (x, y, z, roll, pitch, yaw) and of the joints."""

    base: FourierTrajectory
    joints: FourierTrajectory

    def at(self, t: Array) -> Reference:
        """The motion at times of shape (T,) [s]."""
        return Reference(base_motion(self.base.at(t)), *self.joints.at(t))


def prescribed(
    robot: RobotTree,
    options: SimulationOptions,
    feet: Sequence[Foot],
    speed: float,
    random: np.random.Generator,
) -> Prescribed:
    """A random motion inside the limits of the joints and what the base may do.

    Args:
        robot: whose limits hold.
        options: what is asked for.
        feet: of the robot; the base begins above them.
        speed: share of each joint's velocity limit that may be used.
        random: where coefficients, phases and centres come from.
    """
    joints = make_trajectory(robot, options, speed, random)
    shift = _SHIFT if options.base_shift is None else options.base_shift
    tilt = _TILT if options.base_tilt is None else options.base_tilt
    half = np.array([shift] * 3 + [tilt, tilt, _TURN * tilt])
    below = [own.position[0, 2] for own in jacobians(robot, resting(robot)[None], feet)]
    centre = np.array([0.0, 0.0, -min(below), 0.0, 0.0, 0.0])
    return Prescribed(base_series(options, centre, half, random), joints)


def base_series(
    options: SimulationOptions, centre: Array, half: Array, random: np.random.Generator
) -> FourierTrajectory:
    """Random series of x, y, z, roll, pitch, yaw about a centre, at most so far from it.

    Args:
        options: what is asked for.
        centre: shape (6,) [m, rad].
        half: how far, shape (6,) [m, rad].
        random: where coefficients come from.
    """
    omega = np.full(6, 2 * np.pi / options.period_s)
    a, b = random.standard_normal((2, 6, options.harmonics))
    furthest, _ = peaks(a, b, omega)
    scale = (half / furthest)[:, None]
    return FourierTrajectory(centre, a * scale, b * scale, omega, options.ramp_s)


def held_at_feet(
    robot: RobotTree,
    options: SimulationOptions,
    feet: Sequence[Foot],
    drives: Drives,
    motion: Reference,
    shares: Array | None = None,
) -> FloatingMotion:
    """What motors and feet have to do for a motion.

    Args:
        robot: what moves.
        options: which engine.
        feet: that hold it.
        drives: what motors have to overcome.
        motion: base and joints.
        shares: weights of the feet, shape (T, feet); 1 without.
    """
    needed = forces(options.engine, robot, motion)
    q, _, _ = motion.generalised(robot)
    moved = jacobians(robot, q, feet)
    wrenches = shared(feet, moved, needed[:, :6], shares)
    lost, _ = drives.friction.torque(motion.qd, np.zeros_like(motion.qd))
    tau = (needed - pushed(moved, wrenches, robot.nv))[:, 6:] + lost
    tau = tau + drives.rotor_inertia * motion.qdd
    return FloatingMotion(*motion, tau, lost, wrenches)
