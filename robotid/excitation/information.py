"""The information of a motion about base parameters, and its gradient.

    A = weight * sum over samples and rows of (S y / noise) (S y / noise)^T

with y a row of the base regressor, friction and drive terms included, and S the parameters' scales.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from robotid.dynamics.friction import joint_regressor
from robotid.excitation.own_slopes import slopes
from robotid.excitation.unknowns import Unknowns

Array = NDArray[np.float64]


class Regressor(Protocol):
    """The compiled regressor of the links with its adjoint (`regressor_adjoint`)."""

    def regressor(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Shape (samples, n, 10 bodies)."""

    def gradient(self, G: Array) -> tuple[Array, Array, Array]:
        """Of sum(G * regressor) for the motion of the last call, each of shape (samples, n)."""


class MotionInformation:
    """Information of motions of a fixed number of samples."""

    def __init__(
        self, unknowns: Unknowns, noise: Array, weight: float, samples: int, regressor: Regressor
    ) -> None:
        """Prepare for motions.

        Args:
            unknowns: the base parameters.
            noise: standard deviation of the torque, shape (n,).
            weight: how many independent samples each sample stands for.
            samples: how many samples a motion has.
            regressor: of the robot.
        """
        layout = unknowns.layout
        self._regressor = regressor
        self._own = layout.own
        self._phi = layout.robot.phi.ravel()
        is_link = unknowns.columns < layout.links
        self._link_at = np.flatnonzero(is_link)
        self._links = unknowns.columns[is_link]
        self._own_at = np.flatnonzero(~is_link)
        self._picked = unknowns.columns[~is_link] - layout.links
        self._factor = np.sqrt(weight) * unknowns.scale / noise[:, None]  # (n, b)
        self._rows = np.zeros((samples, layout.robot.n, unknowns.count))
        self._cotangent = np.zeros((samples, layout.robot.n, layout.links))
        self._loaded = any(column.form.kind == "loaded" for column in self._own)

    def of(self, motion: Array) -> Array:
        """The information matrix, shape (b, b), of a motion of shape (3, samples, n)."""
        q, qd, qdd = motion
        Y = self._regressor.regressor(q, qd, qdd)
        self._motion, self._load = motion, Y @ self._phi if self._loaded else qd
        own = joint_regressor(self._own, qd, qdd, self._load)
        self._rows[..., self._link_at] = Y[..., self._links]
        self._rows[..., self._own_at] = own[..., self._picked]
        self._rows *= self._factor
        flat = self._rows.reshape(-1, self._rows.shape[-1])
        return flat.T @ flat

    def gradient(self, slope: Array) -> Array:
        """Of a function of the last information: from its gradient (b, b) to (3, samples, n)."""
        flat = self._rows.reshape(-1, self._rows.shape[-1])
        rows = (flat @ (2.0 * slope)).reshape(self._rows.shape)
        rows *= self._factor
        G = self._cotangent
        G[..., self._links] = rows[..., self._link_at]
        qd = self._motion[1]
        result = np.zeros_like(self._motion)
        if self._loaded:
            G = G.copy()
        for at, position in zip(self._own_at, self._picked, strict=True):
            column = self._own[position]
            slope_of = slopes(column, qd, self._load)
            pull = sum(sign * rows[:, joint, at] for joint, sign in column.motor.members)
            for joint, sign in column.motor.members:
                if slope_of.speed is not None:
                    result[1, :, joint] += sign * pull * slope_of.speed
                if slope_of.acceleration is not None:
                    result[2, :, joint] += sign * pull * slope_of.acceleration
                if slope_of.load is not None:
                    G[:, joint] += (pull * slope_of.load)[:, None] * self._phi
        return result + np.stack(self._regressor.gradient(G))
