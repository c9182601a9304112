"""What is written down of a simulation: the truth behind the logs, and findings."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.truth import TrueJoint, TrueLink, TrueRecording, Truth
from robotid.errors import Notice
from robotid.robot.tree import RobotTree
from robotid.simulation.closed_loop import Clock, Motion
from robotid.simulation.controller import Controller
from robotid.simulation.drives import Drives
from robotid.simulation.engine import ENGINE_PACKAGE
from robotid.simulation.friction import Friction
from robotid.simulation.options import SimulationOptions
from robotid.simulation.plant_options import FrictionKind
from robotid.simulation.recordings import OF_FLOATING, Recording
from robotid.simulation.references import play_of, references
from robotid.simulation.sensors import Measured, Sensors

Array = NDArray[np.float64]
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
    recordings: Sequence[Recording]
    controller: Controller
    drives: Drives
    sensors: Sensors
    scale: Array
    clock: Clock
    design_sha256: str = ""


def truth_of(made: Made, motion: Motion, logs: Mapping[str, Measured]) -> Truth:
    """The truth as it goes beside the logs."""
    true, options = made.true, made.options
    at_limit = _at_limit(made, motion)
    return Truth(
        robot=true.name,
        gravity=true.gravity.tolist(),
        links=true_links(made.nominal, true),
        joints=true_joints(
            true, made.drives, made.sensors, made.scale, made.controller.kp, made.controller.kd
        ),
        friction=made.drives.friction.kind,
        recordings={
            one.name: TrueRecording(
                speed=one.speed,
                reference=references(one.trajectory, true.joint_names),
                play=play_of(one.trajectory),
                bias=by_joint(true, logs[one.name].bias.mean(0)),
                at_limit=by_joint(true, share),
            )
            for one, share in zip(made.recordings, at_limit, strict=True)
        },
        design_sha256=made.design_sha256,
        engine=options.engine,
        versions={name: version(name) for name in ("numpy", ENGINE_PACKAGE[options.engine])},
        substeps=made.clock.substeps,
        options=options.model_dump(mode="json", exclude=set(OF_FLOATING)),
    )


def findings(made: Made, motion: Motion) -> list[Notice]:
    """What a user should know of the motion: limits that were met or left."""
    robot, names = made.nominal, [one.name for one in made.recordings]
    found = []
    swings = made.options.trajectory == "swing-up"  # which pushes as hard as it may
    for (recording, joint), share in np.ndenumerate(_at_limit(made, motion)):
        if share > _OFTEN and not swings:
            found.append(
                Notice(
                    code="at-torque-limit",
                    message=f"{names[recording]}: {share:.0%} of the time at the torque limit",
                    joint=robot.joint_names[joint],
                    hint="lower speeds, or lengthen period_s",
                )
            )
    outside = (motion.q < robot.bound("lower")) | (motion.q > robot.bound("upper"))
    for recording, one in enumerate(made.recordings):
        outside[one.samples :, recording] = False
    for recording, joint in np.argwhere(outside.any(0)):
        first = int(np.argmax(outside[:, recording, joint]))
        found.append(
            Notice(
                code="outside-limits",
                message=f"{names[recording]}: the joint goes beyond its position limits, "
                "and there is no stop",
                joint=robot.joint_names[joint],
                time=first * made.clock.every * made.clock.step_s,
                hint=None if swings else "lower position_share, or raise bandwidth_hz",
            )
        )
    return found


def true_links(nominal: RobotTree, true: RobotTree) -> list[TrueLink]:
    """The links of a robot beside those of the nominal one."""
    return [
        TrueLink(name=name, phi=own.tolist(), nominal_phi=assumed.tolist())
        for name, own, assumed in zip(true.links, true.phi, nominal.phi, strict=True)
    ]


def true_joints(
    robot: RobotTree, drives: Drives, sensors: Sensors, scale: Array, kp: Array, kd: Array
) -> list[TrueJoint]:
    """What joints add to the rigid bodies; `scale` is what shares of torque were of, shape (n,)."""
    present, springs, found = _PARAMETERS[drives.friction.kind], drives.elasticity, []
    for index, joint in enumerate(robot.driven):
        friction = {
            name: float(getattr(drives.friction, name)[index]) if name in present else None
            for name in Friction._fields
            if name != "kind"
        }
        found.append(
            TrueJoint(
                name=joint.name,
                kind=joint.kind,
                rotor_inertia=float(drives.rotor_inertia[index]),
                stiffness=None if springs is None else float(springs.stiffness[index]),
                damping=None if springs is None else float(springs.damping[index]),
                kp=float(kp[index]),
                kd=float(kd[index]),
                torque_scale=float(scale[index]),
                noise_tau=float(sensors.noise_tau[index]),
                **friction,
            )
        )
    return found


def by_joint(robot: RobotTree, values: Array) -> dict[str, float]:
    """Values of all driven joints by name."""
    return dict(zip(robot.joint_names, values.tolist(), strict=True))


def _at_limit(made: Made, motion: Motion) -> Array:
    """Share of the time each motor was at its limit, shape (recordings, n); 0 without a motor."""
    limit, share = made.controller.limit, np.zeros(motion.tau.shape[1:])
    for recording, one in enumerate(made.recordings):
        steps = made.clock._replace(samples=one.samples).steps
        at = np.abs(motion.tau[:steps, recording]) >= limit
        share[recording] = (at & (limit > 0)).mean(0)
    return share
