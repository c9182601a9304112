"""Postures that can be held and keep all distances: where limits leave little, these are found.

Random postures are moved by Gauss-Newton steps on what they lack, some at a time. They are to have
room about them, so that a motion fits in.
"""

import numpy as np
from numpy.typing import NDArray

from robotid.excitation.problem import CLEARANCE_SPARE, Problem
from robotid.excitation.regressor_adjoint import RegressorAdjoint

Array = NDArray[np.float64]

AT_ONCE = 16  # postures
_STEPS = 60
_ROOM_SHARE, _ROOM_M = 0.3, 0.05  # of a torque limit, and of a distance [m]: that is enough
_EDGE = 0.95  # share of the half ranges in which postures stay
_DAMPING, _CALMER, _BOLDER = 1e-2, 4.0, 0.4
_WAY = np.linspace(0.0, 1.0, 11)[1:-1]  # shares of the way from home that are looked at


class Postures:
    """How much postures lack, and how to move them to where they lack less."""

    def __init__(self, problem: Problem) -> None:
        """Prepare for postures of a problem."""
        self._problem = problem
        self._regressor = RegressorAdjoint(problem.robot, AT_ONCE)

    def moved_inside(self, postures: Array) -> Array:
        """Each posture where it lacks least, as far as steps downhill lead; (AT_ONCE, n)."""
        limits = self._problem.limits
        low, high = limits.middle - _EDGE * limits.half, limits.middle + _EDGE * limits.half
        q = np.clip(postures, low, high)
        damping = np.full(AT_ONCE, _DAMPING)
        lacks, slopes = self._lacks(q)
        for _ in range(_STEPS):
            size = (lacks**2).sum(1)
            if not size.any():
                break
            scaled = slopes * limits.half
            uphill = np.einsum("pkj,pk->pj", scaled, lacks)
            curvature = np.einsum("pki,pkj->pij", scaled, scaled)
            curvature += damping[:, None, None] * np.eye(q.shape[1])
            step = np.linalg.solve(curvature, uphill[:, :, None])[:, :, 0] * limits.half
            tried = np.clip(q - step, low, high)
            new, new_slopes = self._lacks(tried)
            better = (new**2).sum(1) < size
            damping = np.clip(np.where(better, _BOLDER, _CALMER) * damping, 1e-9, 1e9)
            q = np.where(better[:, None], tried, q)
            lacks = np.where(better[:, None], new, lacks)
            slopes = np.where(better[:, None, None], new_slopes, slopes)
        return q

    def _lacks(self, q: Array) -> tuple[Array, Array]:
        """What is missing to enough room, in units of it, (postures, rows), and its slopes."""
        parts = [(*self._held(q), _ROOM_SHARE), (*self._apart(q), _ROOM_M)]
        lacks = np.hstack([np.maximum(0.0, 1.0 - values / room) for values, _, room in parts])
        slopes = np.hstack([-slopes / room for _, slopes, room in parts])
        return lacks, np.where(lacks[:, :, None] > 0, slopes, 0.0)

    def _held(self, q: Array) -> tuple[Array, Array]:
        """Shares of the torque limits that are left, and their slopes."""
        problem, still = self._problem, np.zeros_like(q)
        bounded, room = problem.bounded, problem.torque_room
        self._regressor.regressor(q, still, still)
        rotor = np.zeros(problem.robot.n)
        torques = self._regressor.torques(problem.robot.phi, rotor)[:, bounded]
        slopes = self._regressor.torque_gradients(problem.robot.phi, rotor)[:, bounded, 0]
        size = np.sign(torques) / room
        return 1.0 - torques * size, -slopes * size[:, :, None]

    def _apart(self, q: Array) -> tuple[Array, Array]:
        """Distances that are left [m], also on the way from home, and their slopes."""
        problem = self._problem
        if problem.clearances is None:
            return np.zeros((len(q), 0)), np.zeros((len(q), 0, q.shape[1]))
        home = problem.recipe.home
        values, slopes = problem.clearances.with_gradients(q)
        found = [(values - CLEARANCE_SPARE, slopes)]
        if home is not None:
            for share in _WAY:  # no motion has to fit in there: 0 is enough
                values, slopes = problem.clearances.with_gradients(home + share * (q - home))
                found.append((values + _ROOM_M, share * slopes))
        return np.hstack([v for v, _ in found]), np.hstack([s for _, s in found])
