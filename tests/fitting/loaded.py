"""Logs of shipped robots without and with a load, made by Pinocchio."""

from functools import lru_cache

import numpy as np

from robotid.fitting.fit_information import information_of
from robotid.fitting.load import load_frame
from robotid.robot.geometry import phi_from
from tests.fitting.problems import friction, pinocchio_torques
from tests.fitting.samples import evidence_of, factoriser_of
from tests.information.motions import harmonics

LOAD = phi_from(
    2.5, [0.03, -0.04, 0.12], [[0.02, 0.002, -0.001], [0.002, 0.025, 0.003], [-0.001, 0.003, 0.015]]
)


class Pair:
    """A robot's motion and exact torques without and with a load tied to a link."""

    def __init__(self, name, *, frame=None, samples=400, speed=1.0, offset_change=0.0, load=LOAD):
        self.factoriser = factoriser_of(name)
        self.layout = self.factoriser.layout
        robot, terms = self.layout.robot, self.layout.terms
        own = np.random.default_rng(7).uniform(0.1, 0.5, (robot.n, len(terms)))
        self.phi = np.concatenate([robot.phi.ravel(), own.ravel()])
        place = load_frame(self.layout, frame)
        heavier = robot.phi + (place.columns @ load)[: robot.phi.size].reshape(-1, 10)
        changed = own + offset_change * (np.array(terms) == "offset")
        self.motions, self.torques = [], []
        for seed, tree, terms_of in ((3, robot, own), (4, robot.with_phi(heavier), changed)):
            motion = harmonics(robot, samples, speed, seed, rate_hz=samples / 20)
            self.motions.append(motion)
            self.torques.append(pinocchio_torques(tree, motion) + friction(terms, terms_of, motion))
        self.noise = np.sqrt(np.mean(self.torques[0] ** 2, axis=0))  # of size one, to be scaled

    def evidence(self, which, noise=0.0, seed=0, scale=1.0):
        """Without (0) or with (1) the load; noise is a share of each joint's torque."""
        rng = np.random.default_rng([seed, which])
        tau = self.torques[which]
        tau = tau + rng.normal(size=tau.shape) * noise * self.noise
        return evidence_of(self.factoriser, self.motions[which], scale * tau)

    def information(self, evidence, noise):
        return information_of(self.layout, evidence, noise)


@lru_cache(maxsize=8)
def pair(name, **options):
    return Pair(name, **options)
