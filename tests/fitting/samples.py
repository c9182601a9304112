"""Small evidence of shipped robots for tests of estimators."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from robotid.dynamics.base_parameters import BaseParameters, base_parameters
from robotid.fitting.evidence import Evidence
from robotid.information.factorise import Factoriser
from robotid.information.layout import TERMS, Layout
from robotid.information.regressor import Motion, row_columns, signals_of
from robotid.robot.load import load_robot
from tests.information.motions import harmonics


class Sample(NamedTuple):
    layout: Layout
    base: BaseParameters
    evidence: Evidence
    phi: np.ndarray  # the truth


@lru_cache(maxsize=8)
def factoriser_of(name: str, terms: tuple[str, ...] = TERMS) -> Factoriser:
    return Factoriser(Layout(load_robot(name).tree, terms), threads=1)


@lru_cache(maxsize=8)
def base_of(name: str, terms: tuple[str, ...] = TERMS) -> BaseParameters:
    return base_parameters(load_robot(name).tree, terms)


def truth(layout: Layout, seed=0) -> np.ndarray:
    """Links of the robot file, friction and rotors of some size."""
    rng = np.random.default_rng(seed)
    terms = rng.uniform(0.1, 1.0, layout.parameters - 10 * layout.robot.bodies)
    return np.concatenate([layout.robot.phi.ravel(), terms])


def evidence_of(factoriser, motion: Motion, tau, blocks=1, independent=1.0) -> Evidence:
    layout = factoriser.layout
    signals = signals_of(layout.robot, **motion._asdict(), tau=tau)
    parts = np.array_split(signals, blocks, axis=1)
    found = tuple(tuple(factoriser(np.ascontiguousarray(part))) for part in parts)
    return Evidence(found, layout.parameters, independent)


def torques(layout, motion, phi):
    W = row_columns(layout, motion)
    return np.column_stack([w @ phi[c] for w, c in zip(W, layout.columns, strict=True)])


def sample(name, *, noise=0.0, samples=2000, speed=0.5, terms=TERMS, blocks=1, seed=0) -> Sample:
    """Torques of the truth, with white noise: a share of each joint's torque."""
    factoriser = factoriser_of(name, terms)
    layout = factoriser.layout
    motion = harmonics(layout.robot, samples, speed, seed, rate_hz=samples / 20.0)
    phi = truth(layout)
    tau = torques(layout, motion, phi)
    size = np.sqrt(np.mean(tau**2, axis=0))
    tau = tau + np.random.default_rng(seed + 1).normal(size=tau.shape) * noise * size
    return Sample(layout, base_of(name, terms), evidence_of(factoriser, motion, tau, blocks), phi)
