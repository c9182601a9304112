"""The robot that is moved: of a simulation whose truth is known, or of the robot file."""

from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.truth import TrueJoint, Truth
from robotid.dynamics.compiled_rnea import CompiledRnea
from robotid.errors import ConfigError
from robotid.models.true_robot import true_robot
from robotid.robot.tree import RobotTree
from robotid.simulation.drives import Drives, make_drives, moved_inertias
from robotid.simulation.elastic import Elasticity
from robotid.simulation.engine import make_engine
from robotid.simulation.friction import Friction
from robotid.simulation.plant import Plant
from robotid.simulation.plant_options import EngineName, FrictionKind, PlantOptions
from robotid.simulation.robots import check_held, reach

Array = NDArray[np.float64]
_STATES = 64


class Moved(NamedTuple):
    """The robot that is moved, and the simulation that it is of, if there is one."""

    robot: RobotTree
    drives: Drives
    truth: Truth | None

    def plant(self, engine: EngineName) -> Plant:
        """Its equation of motion."""
        drives = self.drives
        # Rotors move with stiff joints; behind springs they are bodies of their own.
        rotor = drives.rotor_inertia * (drives.elasticity is None)
        bodies = make_engine(engine, self.robot, rotor)
        return Plant(bodies, drives.friction, drives.rotor_inertia, drives.elasticity)


def moved_robot(nominal: RobotTree, options: PlantOptions, simulation: Path | None) -> Moved:
    """The robot that is moved.

    Args:
        nominal: the robot file.
        options: what is added to it, where there is no simulation.
        simulation: what `simulate` wrote.
    """
    check_held(nominal)
    _must_have_motors(nominal)
    if simulation is None:
        return Moved(nominal, make_drives(nominal, options, _torque_scale(nominal)), None)
    true = true_robot(simulation, nominal)
    joints = true.truth.joints
    drives = Drives(
        true.rotor_inertia,
        _friction(cast("FrictionKind", true.friction), joints),
        _elasticity(joints),
        moved_inertias(true.robot),
    )
    return Moved(true.robot, drives, true.truth)


def _must_have_motors(robot: RobotTree) -> None:
    for joint in robot.driven:
        if joint.limits.effort == 0:
            said = "the joint has no motor (its effort limit is 0) and cannot follow anything"
            hint = f'hold it with lock = ["{joint.name}=0"], or choose an arm'
            raise ConfigError("no-motor", said, joint=joint.name, hint=hint)


def _torque_scale(robot: RobotTree) -> Array:
    """What shares of torque are of, shape (n,) [N m]: effort limits, else what motions take.

    That is twice the largest torque at random states, with a second to come up to full speed.
    """
    effort = robot.bound("effort")
    lower, half, fastest = reach(robot)
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, _STATES, robot.n))
    tau = CompiledRnea(robot)(lower + (1 + q) * half, qd * fastest, qdd * fastest)
    return np.where(np.isfinite(effort), effort, 2 * np.abs(tau).max(0))


def _friction(kind: FrictionKind, joints: list[TrueJoint]) -> Friction:
    def of(name: str, absent: float = 0.0) -> Array:
        values = [getattr(joint, name) for joint in joints]
        return np.array([absent if value is None else value for value in values])

    return Friction(
        kind,
        of("viscous"),
        of("coulomb"),
        of("static"),
        of("width", 1.0),  # laws without a width do not look at it, but divide
        of("stribeck_velocity", 1.0),
        of("bristle_stiffness"),
        of("bristle_damping"),
    )


def _elasticity(joints: list[TrueJoint]) -> Elasticity | None:
    if any(joint.stiffness is None for joint in joints):
        return None
    stiffness, damping = (
        np.array([getattr(joint, name) for joint in joints], dtype=np.float64)
        for name in ("stiffness", "damping")
    )
    return Elasticity(stiffness, damping)
