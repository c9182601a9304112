"""Learned models as a controller calls them: many motions at once, one instant after the other."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from robotid.dynamics.compiled_rnea import CompiledRnea
from robotid.models.joint_steps import JointTermsStepper
from robotid.models.learned.bodies import LinkBody
from robotid.models.learned.residuals import Memory
from robotid.models.learned.torques import LearnedTorques

Array = NDArray[np.float64]


class LearnedStepper:
    """Links by compiled inverse dynamics, networks by torch; each motion has a memory of its own.

    Args:
        learned: of a robot with a fixed base.
        batch: how many motions there are.
        every: of how many calls one is a sample for the network; it holds its torque between them.
            What it remembers lasts for as many samples as in training.
    """

    def __init__(self, learned: LearnedTorques, batch: int, every: int = 1) -> None:
        layout, self._model = learned.layout, learned.model
        self._links = self._terms = None
        with torch.no_grad():
            if isinstance(self._model.body, LinkBody):
                self._links = CompiledRnea(layout.robot, self._model.body.links().numpy())
            if self._model.joints is not None:
                own = self._model.joints.values().numpy()
                self._terms = JointTermsStepper(layout, own, batch)
        self._load = CompiledRnea(layout.robot) if self._terms and layout.loaded else None
        self._memory: Memory | None = None
        self._every, self._calls, self._added = every, 0, np.zeros((batch, layout.robot.n))

    def __call__(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Torques, shape (batch, n)."""
        with torch.no_grad():
            torque = self._formulas(q, qd, qdd)
            if self._model.residual is not None:
                if self._calls % self._every == 0:
                    self._added = self._residual(q, qd, qdd)
                self._calls += 1
                torque = torque + self._added
        return torque

    def rest(self, q: Array, samples: int) -> None:
        """Let the network remember that nothing moved."""
        if self._model.remembers:
            still = np.zeros_like(q)
            with torch.no_grad():
                for _ in range(samples):
                    self._residual(q, still, still)

    def _formulas(self, q: Array, qd: Array, qdd: Array) -> Array:
        model, torque = self._model, np.zeros_like(qd)
        if self._links is not None:
            torque += self._links(q, qd, qdd)
        elif model.body is not None:
            torque += model.body(*map(_tensor, (q, qd, qdd))).numpy()
        if model.actuator is not None:
            torque = model.actuator.inverse(*map(_tensor, (torque, q, qd))).numpy()
        if self._terms is not None:
            load = None if self._load is None else self._load(q, qd, qdd)
            torque = torque + self._terms.torque(qd, qdd, load)
        return torque

    def _residual(self, q: Array, qd: Array, qdd: Array) -> Array:
        assert self._model.residual is not None
        motion = _tensor(np.concatenate([q, qd, qdd], axis=1))
        if not self._model.remembers:
            given, _ = self._model.residual(motion)
        else:
            given, self._memory = self._model.residual(motion[:, None], self._memory)
            given = given[:, 0]
        added: Array = given.numpy()
        return added


def _tensor(values: Array) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values))
