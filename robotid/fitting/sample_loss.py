"""Errors of links and joints on samples, differentiable: what adam and an online pass go down.

The torques are those of inverse dynamics, so the inertias need not even be symmetric (`nostr`).
"""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from robotid.dynamics.friction import joint_regressor
from robotid.dynamics.rnea import rnea
from robotid.fitting.entries import Entries
from robotid.information.layout import Layout
from robotid.information.regressor import check_shapes
from robotid.models.learning import normalised_error

Array = NDArray[np.float64]


class Samples(NamedTuple):
    """q (T, nq), qd, qdd and tau (T, nv)."""

    q: Array
    qd: Array
    qdd: Array
    tau: Array


class SampleTensors(NamedTuple):
    """The same as tensors, and the columns of joints, shape (T, n, own)."""

    q: Tensor
    qd: Tensor
    qdd: Tensor
    tau: Tensor
    columns: Tensor

    @classmethod
    def of(cls, layout: Layout, samples: Samples) -> "SampleTensors":
        """Made before any shuffling: friction may remember."""
        robot = layout.robot
        check_shapes(robot, samples._asdict())
        tensors = [torch.tensor(x, dtype=torch.float64) for x in samples]
        driven = slice(robot.nv - robot.n, None)
        q, qd, qdd, tau = tensors
        load = rnea(robot, q, qd, qdd, torch.tensor(robot.phi)).numpy()[:, driven]
        own = joint_regressor(layout.own, qd.numpy()[:, driven], qdd.numpy()[:, driven], load)
        return cls(q, qd, qdd, tau, torch.from_numpy(own))

    def at(self, chosen: Tensor) -> "SampleTensors":
        """Some of them."""
        return SampleTensors(*(values[chosen] for values in self))


class SampleLoss:
    """Squared errors of torques, each row in units of its noise.

    Args:
        layout: robot and terms.
        entries: what theta holds.
        weights: of the errors of each row that counts, shape (rows,); 1 otherwise.
    """

    def __init__(self, layout: Layout, entries: Entries, weights: Array | None = None) -> None:
        self._robot, self._entries, self._rows = layout.robot, entries, len(layout.rows)
        own = np.ones(self._rows) if weights is None else weights
        self._weights = torch.tensor(own, dtype=torch.float64)

    def torque(self, theta: Tensor, samples: SampleTensors) -> Tensor:
        """Shape (T, nv) [N m or N]."""
        robot = self._robot
        links, own = self._entries.parameters(theta)
        found = rnea(robot, samples.q, samples.qd, samples.qdd, links)
        base = found[:, : robot.nv - robot.n]
        return torch.cat([base, found[:, robot.nv - robot.n :] + samples.columns @ own], -1)

    def mean(self, theta: Tensor, samples: SampleTensors) -> Tensor:
        """Mean over samples and rows of the squared weighted error."""
        error = (self.torque(theta, samples) - samples.tau)[:, : self._rows]
        return ((error * self._weights) ** 2).mean()

    def evaluated(self, theta: Tensor, samples: SampleTensors) -> float:
        """The mean as a number."""
        with torch.no_grad():
            return float(self.mean(theta, samples))

    def by_row(self, theta: Tensor, samples: SampleTensors) -> Array:
        """`nmse_var` of each row that counts, shape (rows,)."""
        with torch.no_grad():
            found = self.torque(theta, samples).numpy()[:, : self._rows]
        return normalised_error(samples.tau.numpy()[:, : self._rows], found)
