"""The joints' drives as they are simulated: rotors, friction, springs, and what they stand on.

Everything a user did not give is in proportion to the joint: to its effort limit, its speed limit,
or the inertia it moves.
"""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.dynamics.crba import crba
from robotid.errors import ConfigError
from robotid.robot.tree import RobotTree
from robotid.simulation.elastic import Elasticity, springs
from robotid.simulation.friction import Friction
from robotid.simulation.plant_options import PlantOptions
from robotid.simulation.robots import reach
from robotid.simulation.trajectory import per_joint

Array = NDArray[np.float64]
_POSTURES = 64
_RINGING = 0.5  # damping ratio of a stuck joint on its bristles
_STEP = 1.0  # of the fastest rate: well inside the 2.8 where Runge-Kutta stays stable
_MOST_SUBSTEPS = 200


class Drives(NamedTuple):
    """What drives and resists the joints; `moved` is the inertia of the links behind each."""

    rotor_inertia: Array
    friction: Friction
    elasticity: Elasticity | None
    moved: Array


def rotor_inertias(robot: RobotTree, options: PlantOptions) -> Array:
    """Rotor inertias seen from the joints, shape (n,) [kg m²]: given, of the file, or typical."""
    if options.rotor_inertia:
        return per_joint(options.rotor_inertia, robot, "rotor_inertia")
    effort = robot.bound("effort")
    typical = options.rotor_per_effort * np.where(np.isfinite(effort), effort, 0.0)
    given = np.array([joint.rotor_inertia for joint in robot.driven])
    return np.where(given > 0, given, typical)


def make_drives(robot: RobotTree, options: PlantOptions, torque_scale: Array) -> Drives:
    """The drives of a robot; torque_scale is what shares of torque are of, shape (n,) [N m]."""
    rotor = rotor_inertias(robot, options)
    moved = moved_inertias(robot)
    elasticity = None
    if options.elastic_hz > 0:
        if (rotor <= 0).any():
            name = robot.joint_names[int(np.argmin(rotor))]
            raise ConfigError(
                "no-rotor",
                "a joint with a spring needs a motor with inertia, this has none",
                joint=name,
                hint="give rotor_inertia, or elastic_hz = 0",
            )
        elasticity = springs(options.elastic_hz, options.elastic_damping, moved)
    inertia = rotor + (0.0 if elasticity is not None else moved)
    return Drives(rotor, _friction(robot, options, torque_scale, inertia), elasticity, moved)


def _friction(
    robot: RobotTree, options: PlantOptions, torque_scale: Array, inertia: Array
) -> Friction:
    def level(key: str, given: tuple[float, ...], in_file: list[float], typical: Array) -> Array:
        if given:
            return per_joint(given, robot, key)
        return np.where(np.array(in_file) > 0, in_file, typical)

    kind, n = options.friction, robot.n
    zero, one = np.zeros(n), np.ones(n)
    viscous, coulomb, static, stiffness, damping = zero, zero, zero, zero, zero
    if kind != "none":
        typical = options.friction_share * torque_scale
        in_file = [joint.damping for joint in robot.driven]
        fastest = reach(robot)[2]
        viscous = level("viscous", options.viscous, in_file, typical / fastest)
    if kind not in ("none", "viscous"):
        in_file = [joint.friction for joint in robot.driven]
        coulomb = level("coulomb", options.coulomb, in_file, typical)
        static = coulomb * (options.breakaway if kind != "coulomb" else 1.0)
    if kind == "stick-slip":
        stiffness = static / options.bristle_deflection
        damping = 2 * _RINGING * np.sqrt(stiffness * inertia)
    return Friction(
        kind,
        viscous,
        coulomb,
        static,
        options.friction_width * one,
        options.stribeck_velocity * one,
        stiffness,
        damping,
    )


def moved_inertias(robot: RobotTree) -> Array:
    """Inertia each joint moves alone, a mean over postures, shape (n,) [kg m²]."""
    mean: Array = np.diagonal(_mass_matrices(robot), axis1=-2, axis2=-1).mean(0)
    return mean


def substeps_for(robot: RobotTree, drives: Drives, kd: Array, step_s: float) -> int:
    """Into how many pieces a control step must be cut for the fastest thing that happens.

    Args:
        robot: the true robot.
        drives: its drives.
        kd: velocity gains of the controller, shape (n,).
        step_s: length of a control step.
    """
    speed = reach(robot)[2]
    stiff = drives.elasticity is None
    mass = _mass_matrices(robot) + np.diag(drives.rotor_inertia if stiff else 0 * speed)
    # What a joint feels of a fast torque when all others are free to give way.
    free = 1 / np.diagonal(np.linalg.inv(mass), axis1=-2, axis2=-1).max(0)
    motor = free if drives.elasticity is None else drives.rotor_inertia
    rates = drives.friction.fastest_rate(motor, speed) + kd / motor
    if drives.elasticity is not None:
        rates = np.maximum(rates, drives.elasticity.fastest_rate(free, drives.rotor_inertia))
    needed = np.ceil(rates * step_s / _STEP)
    worst = int(np.argmax(needed))
    if not needed[worst] <= _MOST_SUBSTEPS:
        raise ConfigError(
            "too-stiff",
            f"the fastest change takes {1e6 / rates[worst]:.2g} µs: friction, springs or gains are "
            f"too strong for an inertia of {motor[worst]:.2g} kg m²",
            joint=robot.joint_names[worst],
            hint="give more rotor_inertia, or set substeps",
        )
    return max(1, int(needed[worst]))


def _mass_matrices(robot: RobotTree) -> Array:
    """Mass matrices of joints at random postures, shape (postures, n, n); always the same ones.

    A floating base is held.
    """
    lower, half, _ = reach(robot)
    share = np.random.default_rng(0).uniform(0, 2, (_POSTURES, robot.n))
    q = lower + share * half
    if robot.floating:
        q = np.column_stack([np.tile([0.0] * 6 + [1.0], (_POSTURES, 1)), q])
    with torch.no_grad():
        mass: Array = crba(robot, torch.from_numpy(q)).numpy()
    return mass[:, robot.nv - robot.n :, robot.nv - robot.n :]
