"""Noisy logs of shipped robots, made by Pinocchio, in which limits of consistency are active."""

from typing import NamedTuple

import numpy as np

from robotid.fitting.sample_loss import Samples
from robotid.information.factorise import Factoriser
from robotid.information.layout import Layout
from robotid.information.regressor import signals_of
from robotid.information.stream import factor_blocks
from robotid.information.system import System, assemble
from robotid.robot.load import load_robot
from tests.information.motions import harmonics
from tests.reference_models import pinocchio_model

TERMS = ("viscous", "coulomb", "offset", "rotor")


class Problem(NamedTuple):
    layout: Layout
    samples: Samples
    system: System
    truth: np.ndarray


def problem(name, samples=400, noise=0.2, seed=0, terms=TERMS, speed=0.5) -> Problem:
    """Twenty seconds of harmonics; noise is a share of each joint's torque."""
    layout = Layout(load_robot(name).tree, terms)
    robot, rng = layout.robot, np.random.default_rng(seed)
    motion = harmonics(robot, samples, speed, seed, rate_hz=samples / 20)
    own = rng.uniform(0.0, 0.3, (robot.n, len(terms)))
    tau = pinocchio_torques(robot, motion) + friction(terms, own, motion)
    tau += rng.normal(size=tau.shape) * noise * tau.std(axis=0)
    log = Samples(*motion, tau)
    factoriser = Factoriser(layout)
    (factors,) = factor_blocks(factoriser, [signals_of(robot, **log._asdict())], [0, samples])
    factoriser.close()
    weights = {factor.row: factor.variance**-0.5 for factor in factors}
    truth = np.concatenate([robot.phi.ravel(), own.ravel()])
    return Problem(layout, log, assemble(factors, layout.parameters, weights), truth)


def pinocchio_torques(robot, motion):
    import pinocchio as pin

    model = pinocchio_model(robot)
    data = model.createData()
    return np.array([pin.rnea(model, data, *sample) for sample in zip(*motion, strict=True)])


def friction(terms, own, motion):
    columns = {
        "viscous": motion.qd,
        "coulomb": np.clip(motion.qd / 0.02, -1, 1),
        "offset": np.ones_like(motion.qd),
        "rotor": motion.qdd,
    }
    return sum(own[:, i] * columns[term] for i, term in enumerate(terms))


def least_loss(system):
    """That of least squares without any constraint."""
    phi = np.linalg.lstsq(system.R, system.z, rcond=1e-12)[0]
    return system.loss(phi)
