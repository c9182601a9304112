"""A hand that follows a path, by velocities in space (operational-space control).

    ẋ_r = ẋ_d + K_p (x_d − x),   q̇_r = J⁺ ẋ_r + (1 − J⁺ J)(q̇_p + K_n (q_p − q))
    τ = f(q, q̇, q̈_r) + K_d (q̇_r − q̇)

The path is that of a hand whose joints move between random postures, q_p: it can be reached, and
what the hand does not notice of the joints goes along with it. q̈_r is the change of q̇_r from step
to step; q̇_r keeps to the velocity limits.
"""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.dynamics.kinematics import body_poses, jacobian
from robotid.errors import ConfigError, nearest
from robotid.robot.shapes import link_frames
from robotid.robot.tree import RobotTree
from robotid.simulation.robots import reach
from robotid.tracking.law import Command, Seen, Variances
from robotid.tracking.moves import Reference

Array = NDArray[np.float64]
_TRUSTED = 0.1  # of the direction a hand moves in most easily: what lesser ones must reach
_STILL = 1e-9  # m per rad
_PIECE = 4096  # states at a time


class Hand(NamedTuple):
    """A link, the body that carries it, and where in that body it is, shape (3,) [m]."""

    link: str
    body: int
    point: Array


class HandLaw:
    """The law.

    Args:
        robot: as the controller knows it; only its kinematics count.
        hand: what reaches.
        path: motion of the joints that the hand's path is taken from.
        K_d: gain of every case on velocities, shape (gains, n) [N m s/rad].
        K_p: speed per distance from the path [1/s].
        K_n: speed per distance from the posture that the path is taken from [1/s].
        step_s: length of a step.
    """

    def __init__(
        self,
        robot: RobotTree,
        hand: Hand,
        path: Reference,
        K_d: Array,
        K_p: float,
        K_n: float,
        step_s: float,
    ) -> None:
        self._robot, self._hand, self._step_s = robot, hand, step_s
        self._K_d, self._K_p, self._K_n = K_d[:, None, :], K_p, K_n
        self._path = path
        self._fastest = reach(robot)[2]
        self._before: Array | None = None
        self._x, self._xd = self._paths(path)
        still = np.abs(self._xd).max() <= _STILL * np.abs(path.qd).max()
        if still:
            said = f"link: {hand.link} of {robot.name} does not move with its joints"
            raise ConfigError("hand-does-not-move", said, hint="choose a link off the joint's axis")

    @property
    def start(self) -> Array:
        """Where motions begin, shape (motions, n)."""
        first: Array = self._path.q[0]
        return first

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return len(self._x)

    @property
    def variances(self) -> Variances:
        """Of the path, summed over its three axes."""
        of_path, of_speed = (x.var(0).sum(-1, keepdims=True) for x in (self._x, self._xd))
        return Variances(of_path, of_speed)

    def command(self, step: int, seen: Seen, true: Seen) -> Command:
        """What is asked for."""
        x_d, xd_d = self._x[step], self._xd[step]
        (x, x_true), (J, J_true) = self._kinematics(np.stack([seen.q, true.q]))
        wanted = xd_d + self._K_p * (x_d - x)
        inverse = _inverse(J)
        home = self._path.qd[step] + self._K_n * (self._path.q[step] - seen.q)
        hidden = home - _times(inverse, _times(J, home))
        rate = _times(inverse, wanted) + hidden
        rate /= np.maximum(np.abs(rate / self._fastest).max(-1, keepdims=True), 1.0)
        before = rate if self._before is None else self._before
        self._before = rate
        moved = _times(J_true, true.qd)
        error = np.concatenate([x_d - x_true, xd_d - moved], -1)
        added = self._K_d * (rate - seen.qd)
        return Command((rate - before) / self._step_s, added, x_d, x_true, error)

    def planned(self, step: int) -> None:
        """None: all feedback is added torque."""

    def _kinematics(self, q: Array) -> tuple[Array, Array]:
        """Position (..., 3) and Jacobian (..., 3, n) of the hand at q of shape (..., n)."""
        rows = torch.from_numpy(q.reshape(-1, q.shape[-1]))
        point = torch.from_numpy(self._hand.point)
        with torch.no_grad():
            pose = body_poses(self._robot, rows)[:, self._hand.body].numpy()
            J = jacobian(self._robot, rows, self._hand.body, point)[:, :3].numpy()
        x = pose[:, :3, :3] @ self._hand.point + pose[:, :3, 3]
        return x.reshape(*q.shape[:-1], 3), J.reshape(*q.shape[:-1], 3, -1)

    def _paths(self, path: Reference) -> tuple[Array, Array]:
        """Positions and velocities of the hand, shape (steps, motions, 3) each."""
        places, speeds = [], []
        for begin in range(0, len(path.q), _PIECE):
            here = slice(begin, begin + _PIECE)
            x, J = self._kinematics(path.q[here])
            places.append(x)
            speeds.append(_times(J, path.qd[here]))
        return np.concatenate(places), np.concatenate(speeds)


def hand_of(robot: RobotTree, link: str | None) -> Hand:
    """The link that reaches; by default the last one."""
    frames = {name: at for name, at in link_frames(robot).items() if at[0] >= 0}
    if link is None:
        last = robot.bodies - 1
        link = [name for name, (body, _) in frames.items() if body == last][-1]
    if link not in frames:
        said = f"link: robot {robot.name} has no link {link!r} that moves"
        raise ConfigError("unknown-link", said, hint=nearest(link, frames))
    body, placement = frames[link]
    return Hand(link, body, np.ascontiguousarray(placement[:3, 3]))


def _inverse(J: Array) -> Array:
    """J⁺ = Jᵀ (J Jᵀ)⁻¹, (..., 3, n) to (..., n, 3).

    Directions in which the hand hardly moves ask for less the less it does, and for nothing where
    it cannot move at all.
    """
    turned = np.swapaxes(J, -1, -2)
    squares, axes = np.linalg.eigh(J @ turned)
    least = np.maximum(_TRUSTED**2 * squares[..., -1:], np.finfo(np.float64).tiny)
    gain = 1 / np.maximum(squares, least)
    inverse: Array = turned @ (axes * gain[..., None, :]) @ np.swapaxes(axes, -1, -2)
    return inverse


def _times(matrices: Array, vectors: Array) -> Array:
    """Matrices (..., m, n) times vectors (..., n)."""
    product: Array = (matrices @ vectors[..., None])[..., 0]
    return product
