"""Designed and random trajectories run in MuJoCo, and what fits make of them.

The robot that is simulated has links other than those of the robot file, friction and rotors; the
controller only knows the file. What the fit gets are positions, velocities and accelerations of the
engine and its torque with white noise of the size that the design assumed, as many samples as it
assumed to be independent: so torque noise alone is what makes parameters scatter.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch

from robotid.dynamics.rnea import rnea
from robotid.excitation.setting import Setting
from robotid.excitation.space import Space
from robotid.fitting.linear import Estimate, wls
from robotid.information.regressor import Motion, row_columns
from robotid.robot.tree import RobotTree
from robotid.signals.planned import Moving
from robotid.simulation.closed_loop import Clock, follow
from robotid.simulation.controller import JointFeedback, Reference, gains
from robotid.simulation.drives import make_drives, moved_inertias, rotor_inertias, substeps_for
from robotid.simulation.engine import make_engine
from robotid.simulation.options import SimulationOptions
from robotid.simulation.perturbation import perturbed
from robotid.simulation.plant import Plant
from robotid.simulation.trajectory import Trajectory
from tests.fitting.samples import base_of, evidence_of, factoriser_of

CONTROL_HZ = 1000.0
PERTURB = 0.2  # of the links

# Published limits of the Franka arm that its robot file has no place for.
FRANKA = {
    "acceleration": (15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0),
    "jerk": (7500.0, 3750.0, 5000.0, 6250.0, 7500.0, 10000.0, 10000.0),
}


def franka_limits(robot: RobotTree) -> dict[str, tuple[str, ...]]:
    """The limits as options of a design."""
    return {
        key: tuple(
            f"{name}={value:g}" for name, value in zip(robot.joint_names, values, strict=True)
        )
        for key, values in FRANKA.items()
    }


class Truth(NamedTuple):
    """A robot as it is: the tree that is simulated, and its parameters, friction included."""

    robot: RobotTree
    phi: np.ndarray


class Run(NamedTuple):
    """What the engine did, without noise; tau of shape (samples, n)."""

    motion: Motion
    tau: np.ndarray


def truth_of(setting: Setting, seed: int = 0) -> Truth:
    """A robot near the nominal one, with the drives that simulations give it."""
    robot = perturbed(setting.robot, PERTURB, np.random.default_rng([5, seed]))
    options = SimulationOptions()
    effort = np.where(np.isfinite(setting.limits.torque), setting.limits.torque, 1.0)
    drives = make_drives(robot, options, effort)
    values = {
        "viscous": drives.friction.viscous,
        "coulomb": drives.friction.coulomb,
        "rotor": drives.rotor_inertia,
        "offset": np.zeros(robot.n),
    }
    own = [values[c.term][c.motor.members[0][0]] for c in setting.unknowns.layout.own]
    return Truth(robot, np.concatenate([robot.phi.ravel(), own]))


class Point(NamedTuple):
    """A trajectory that is only free numbers yet."""

    space: Space
    x: np.ndarray

    def at(self, t: np.ndarray) -> Moving:
        """Position, velocity and acceleration at times [s]."""
        return Moving(*(self.space.at(self.x, t, order) for order in range(3)))


def simulated(setting: Setting, true: Truth, trajectories: Sequence[Trajectory]) -> list[Run]:
    """Trajectories of one period each, all at once."""
    robot, options = setting.robot, SimulationOptions()
    every = round(CONTROL_HZ / setting.options.noise_hz)
    samples = round(setting.options.period_s * setting.options.noise_hz)
    clock = Clock(samples, every, 1 / CONTROL_HZ, 1)
    t = np.arange(clock.steps) / CONTROL_HZ
    references = [trajectory.at(t) for trajectory in trajectories]
    reference = Reference(*(np.stack(parts, 1) for parts in zip(*references, strict=True)))
    rotor = rotor_inertias(robot, options)
    with torch.no_grad():
        given = (torch.from_numpy(part) for part in reference)
        needed = rnea(robot, *given, rotor_inertia=torch.from_numpy(rotor)).numpy()
    kp, kd = gains(moved_inertias(robot) + rotor, options.bandwidth_hz, options.damping_ratio)
    controller = JointFeedback(reference, needed, kp, kd, robot.bound("effort"))
    effort = np.where(np.isfinite(setting.limits.torque), setting.limits.torque, 1.0)
    drives = make_drives(true.robot, options, effort)
    clock = clock._replace(substeps=substeps_for(true.robot, drives, kd, clock.step_s))
    engine = make_engine("mujoco", true.robot, drives.rotor_inertia)
    plant = Plant(engine, drives.friction, drives.rotor_inertia, None)
    start = plant.at_rest(reference.start, needed[0])
    names = [f"run{i}" for i in range(len(trajectories))]
    found = follow(plant, controller, clock, start, robot.joint_names, names)
    tau = found.tau[:: clock.every]
    return [
        Run(Motion(found.q[:, i], found.qd[:, i], found.qdd[:, i]), tau[:, i])
        for i in range(len(trajectories))
    ]


def fitted(setting: Setting, run: Run, seed: int | None) -> Estimate:
    """Weighted least squares with noise of a seed on the torque; None for none."""
    noise = np.zeros_like(run.tau)
    if seed is not None:
        noise = np.random.default_rng([11, seed]).normal(size=run.tau.shape) * setting.noise
    layout = setting.unknowns.layout
    factoriser = factoriser_of(layout.robot.name, tuple(layout.terms))
    evidence = evidence_of(factoriser, run.motion, run.tau + noise)
    return wls(evidence, base_of(layout.robot.name, tuple(layout.terms)))


def base_regressor(setting: Setting, motion: Motion) -> np.ndarray:
    """Columns of the base parameters, shape (samples, n, b)."""
    layout, columns = setting.unknowns.layout, setting.unknowns.target.columns
    Y = np.zeros((len(motion.q), layout.robot.n, layout.parameters))
    for row, (values, acting) in enumerate(
        zip(row_columns(layout, motion), layout.columns, strict=True)
    ):
        Y[:, row, acting] = values
    return Y[:, :, columns]


def mass_columns(setting: Setting, q: np.ndarray) -> np.ndarray:
    """What gives mass matrices from base parameters, shape (postures, n, n, b)."""
    still, n = np.zeros_like(q), q.shape[1]
    rest = base_regressor(setting, Motion(q, still, still))
    parts = []
    for joint in range(n):
        qdd = still.copy()
        qdd[:, joint] = 1.0
        parts.append(base_regressor(setting, Motion(q, still, qdd)) - rest)
    return np.stack(parts, 2)
