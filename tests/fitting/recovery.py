"""Logs that MuJoCo made of shipped robots, and how far from their truth a fit comes."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from robotid.contracts.truth import Truth
from robotid.dynamics.base_parameters import BaseParameters
from robotid.fitting.evidence import Evidence, Part, together
from robotid.fitting.linear import Estimate
from robotid.information.layout import TERMS, Layout
from robotid.information.regressor import signals_of
from robotid.information.stream import block_edges, factor_blocks
from robotid.robot.load import load_robot
from robotid.signals.filtered_noise import FilteredNoise
from robotid.signals.low_pass import RecordingFilter
from robotid.signals.options import FilterOptions
from robotid.signals.threads import Threads
from robotid.simulation.options import SimulationOptions
from robotid.simulation.scenario import Simulated, simulate
from tests.fitting.samples import base_of, factoriser_of

ARMS = ("pendulum", "double_pendulum", "cartpole", "furuta", "panda", "ur10", "iiwa")
QUIET = {"noise_q": 0.0, "noise_qd": 0.0, "noise_tau": 0.0}


class Known(NamedTuple):
    """A simulation and the parameters behind it."""

    layout: Layout
    base: BaseParameters
    phi: np.ndarray
    simulated: Simulated


def known(name, duration_s=10.0, **options) -> Known:
    """Links other than those of the robot file, Coulomb and viscous friction, rotors."""
    given = {"perturb": 0.2, "recordings": 2, "duration_s": duration_s, **QUIET, **options}
    robot = load_robot(name).tree
    made = simulate(robot, robot, SimulationOptions(engine="mujoco", **given))
    layout = factoriser_of(name, TERMS).layout
    return Known(layout, base_of(name, TERMS), true_parameters(layout, made.truth), made)


def true_parameters(layout: Layout, truth: Truth) -> np.ndarray:
    joints = {
        joint.name: {
            "viscous": joint.viscous or 0.0,
            "coulomb": joint.coulomb or 0.0,
            "offset": 0.0,
            "rotor": joint.rotor_inertia,
        }
        for joint in truth.joints
    }
    links = np.concatenate([link.phi for link in truth.links])
    own = [name.rpartition(".")[::2] for name in layout.names[links.size :]]
    return np.concatenate([links, [joints[joint][term] for joint, term in own]])


def as_simulated(log: Known, tau_noise: np.ndarray | None = None) -> Evidence:
    """Positions, velocities and accelerations of the engine, and the motors' torque.

    Args:
        log: where they come from.
        tau_noise: added to the torque, shape (samples, recordings, n).
    """
    motion, clock = log.simulated.motion, log.simulated.clock
    tau = motion.tau[:: clock.every] + (0.0 if tau_noise is None else tau_noise)
    rate_hz = 1 / (clock.every * clock.step_s)
    parts = []
    for i in range(tau.shape[1]):
        one = {"q": motion.q[:, i], "qd": motion.qd[:, i], "qdd": motion.qdd[:, i]}
        signals = signals_of(log.layout.robot, **one, tau=tau[:, i])
        parts.append(Part(1.0, _factors(log, signals, rate_hz)))
    return together(parts, log.layout.parameters)


def as_filtered(
    log: Known, noise: Mapping[str, np.ndarray] | None = None, options: FilterOptions | None = None
) -> Evidence:
    """What the logs say once filtered; accelerations come from there.

    Args:
        log: where they come from.
        noise: by signal, added to it, shape (samples, recordings, n).
        options: of the filter; its defaults otherwise.
    """
    options, joints = options or FilterOptions(), log.layout.robot.joint_names
    parts = []
    with Threads() as threads:
        for i, measured in enumerate(log.simulated.logs.values()):
            columns = {"t": np.rint(1e9 * measured.t).astype(np.int64)}
            for signal in ("q", "qd", "tau"):
                values = getattr(measured, signal)
                if noise and signal in noise:
                    values = values + noise[signal][:, i]
                columns |= {f"{signal}.{j}": values[:, k] for k, j in enumerate(joints)}
            done, signals = _filtered(columns, joints, options, threads)
            rate_hz = done.rates.grid_hz / done.rates.decimate
            left = FilteredNoise(rate_hz, done.cutoff_hz, options.order, done.rates.grid_hz)
            parts.append(Part(left.share, _factors(log, signals, rate_hz)))
    return together(parts, log.layout.parameters)


def _filtered(columns, joints, options, threads):
    def source(names):
        return [{name: columns[name] for name in names}]

    names = [f"{signal}.{joint}" for signal in ("q", "qd", "qdd", "tau") for joint in joints]
    pieces: list[np.ndarray] = []

    def keep(rows):  # their memory is used again
        pieces.append(np.array([rows[name] for name in names]))

    done = RecordingFilter(source, list(columns), joints, options, threads).run(keep)
    return done, np.hstack(pieces)


def _factors(log: Known, signals, rate_hz):
    edges = block_edges(signals.shape[1], rate_hz)
    return list(factor_blocks(factoriser_of(log.layout.robot.name, TERMS), [signals], edges))


def truth_of(log: Known, found: Estimate) -> np.ndarray:
    """The true base parameters, shape (rank,)."""
    return found.base.beta(log.phi)


def relative_errors(log: Known, found: Estimate) -> np.ndarray:
    """Of base parameters, shape (rank,), as shares of their true values.

    Offsets, and friction of joints without a motor, are zero: their errors are shares of the
    largest value of the same kind (Coulomb friction for an offset) that a joint of the robot has.
    """
    true = truth_of(log, found)
    scale = np.abs(true)
    for at in np.flatnonzero(true == 0):
        kind = log.layout.names[found.base.independent[at]].rpartition(".")[2]
        alike = f".{'coulomb' if kind == 'offset' else kind}"
        values = zip(log.layout.names, log.phi, strict=True)
        scale[at] = max(value for name, value in values if name.endswith(alike))
    return np.abs(found.beta - true) / scale


def torque_error(exact: Evidence, found: Estimate) -> float:
    """Share of the true torque that parameters miss, root of the mean square over joints."""
    phi = np.zeros(exact.parameters)
    phi[list(found.base.independent)] = found.beta
    power = sum(factor.power for factor in exact.merged())
    return float(np.sqrt(exact.losses(phi).sum() / power))


def torque_noise(log: Known, share: float, seed: int) -> np.ndarray:
    """White, a share of the root mean square of each joint's torque."""
    tau = log.simulated.motion.tau[:: log.simulated.clock.every]
    size = np.sqrt(np.mean(tau**2, axis=(0, 1))) + 1e-3
    return share * size * np.random.default_rng(seed).normal(size=tau.shape)


def inside(log: Known, found: Estimate) -> np.ndarray:
    """Which true base parameters lie in their 95 % intervals, shape (rank,)."""
    lower, upper = found.intervals(0.95).T
    true = truth_of(log, found)
    return (lower <= true) & (true <= upper)
