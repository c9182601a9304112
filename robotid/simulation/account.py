"""What is written down of a simulation: the truth behind the logs, and findings."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.truth import TrueJoint, TrueLink, TrueRecording, TrueSeries, Truth
from robotid.errors import Notice
from robotid.robot.tree import RobotTree
from robotid.simulation.closed_loop import Clock, Motion
from robotid.simulation.controller import TrackingController
from robotid.simulation.drives import Drives
from robotid.simulation.friction import Friction
from robotid.simulation.options import EngineName, FrictionKind, SimulationOptions
from robotid.simulation.sensors import Measured, Sensors
from robotid.simulation.trajectory import FourierTrajectory

Array = NDArray[np.float64]
_ENGINE_PACKAGE: Mapping[EngineName, str] = {"mujoco": "mujoco", "own": "torch"}
_OFTEN = 0.01  # share of the time at the torque limit that is worth a word
# The parameters each law of friction has.
_STRIBECK = ("viscous", "coulomb", "static", "stribeck_velocity")
_PARAMETERS: Mapping[FrictionKind, tuple[str, ...]] = {
    "none": (),
    "viscous": ("viscous",),
    "coulomb": ("viscous", "coulomb", "width"),
    "stribeck": (*_STRIBECK, "width"),
    "stick-slip": (*_STRIBECK, "bristle_stiffness", "bristle_damping"),
}


class Made(NamedTuple):
    """All that a simulation consisted of; `scale` is what shares of torque were of, shape (n,)."""

    nominal: RobotTree
    true: RobotTree
    options: SimulationOptions
    trajectories: Mapping[str, FourierTrajectory]
    speeds: Sequence[float]
    controller: TrackingController
    drives: Drives
    sensors: Sensors
    scale: Array
    clock: Clock


def truth_of(made: Made, motion: Motion, logs: Mapping[str, Measured]) -> Truth:
    """The truth as it goes beside the logs."""
    true, options = made.true, made.options
    at_limit = _at_limit(made, motion)
    return Truth(
        robot=true.name,
        gravity=true.gravity.tolist(),
        links=[
            TrueLink(name=name, phi=own.tolist(), nominal_phi=assumed.tolist())
            for name, own, assumed in zip(true.links, true.phi, made.nominal.phi, strict=True)
        ],
        joints=[_joint(made, index) for index in range(true.n)],
        friction=made.drives.friction.kind,
        recordings={
            name: TrueRecording(
                speed=speed,
                reference=_series(trajectory, true),
                bias=_by_joint(true, logs[name].bias.mean(0)),
                at_limit=_by_joint(true, share),
            )
            for (name, trajectory), speed, share in zip(
                made.trajectories.items(), made.speeds, at_limit, strict=True
            )
        },
        engine=options.engine,
        versions={name: version(name) for name in ("numpy", _ENGINE_PACKAGE[options.engine])},
        substeps=made.clock.substeps,
        options=options.model_dump(mode="json"),
    )


def findings(made: Made, motion: Motion) -> list[Notice]:
    """What a user should know of the motion: limits that were met or left."""
    robot, names = made.nominal, list(made.trajectories)
    found = []
    for (recording, joint), share in np.ndenumerate(_at_limit(made, motion)):
        if share > _OFTEN:
            found.append(
                Notice(
                    code="at-torque-limit",
                    message=f"{names[recording]}: {share:.0%} of the time at the torque limit",
                    joint=robot.joint_names[joint],
                    hint="lower speeds, or lengthen period_s",
                )
            )
    outside = (motion.q < robot.bound("lower")) | (motion.q > robot.bound("upper"))
    for recording, joint in np.argwhere(outside.any(0)):
        first = int(np.argmax(outside[:, recording, joint]))
        found.append(
            Notice(
                code="outside-limits",
                message=f"{names[recording]}: the joint goes beyond its position limits, "
                "and there is no stop",
                joint=robot.joint_names[joint],
                time=first * made.clock.every * made.clock.step_s,
                hint="lower position_share, or raise bandwidth_hz",
            )
        )
    return found


def _joint(made: Made, index: int) -> TrueJoint:
    drives, controller = made.drives, made.controller
    joint, springs = made.true.driven[index], drives.elasticity
    present = _PARAMETERS[drives.friction.kind]
    friction = {
        name: float(getattr(drives.friction, name)[index]) if name in present else None
        for name in Friction._fields
        if name != "kind"
    }
    return TrueJoint(
        name=joint.name,
        kind=joint.kind,
        rotor_inertia=float(drives.rotor_inertia[index]),
        stiffness=None if springs is None else float(springs.stiffness[index]),
        damping=None if springs is None else float(springs.damping[index]),
        kp=float(controller.kp[index]),
        kd=float(controller.kd[index]),
        torque_scale=float(made.scale[index]),
        noise_tau=float(made.sensors.noise_tau[index]),
        **friction,
    )


def _series(trajectory: FourierTrajectory, robot: RobotTree) -> dict[str, TrueSeries]:
    return {
        name: TrueSeries(
            centre=float(trajectory.centre[index]),
            a=trajectory.a[index].tolist(),
            b=trajectory.b[index].tolist(),
            omega=float(trajectory.omega[index]),
        )
        for index, name in enumerate(robot.joint_names)
    }


def _by_joint(robot: RobotTree, values: Array) -> dict[str, float]:
    return dict(zip(robot.joint_names, values.tolist(), strict=True))


def _at_limit(made: Made, motion: Motion) -> Array:
    """Share of the time each motor was at its limit, shape (recordings, n); 0 without a motor."""
    limit = made.controller.limit
    share: Array = ((np.abs(motion.tau) >= limit) & (limit > 0)).mean(0)
    return share
