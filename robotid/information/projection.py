"""What contacts cannot hide: generalised forces less all that a force on some links can have."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robotid.dynamics.frame_jacobian import frame_jacobian
from robotid.errors import ConfigError
from robotid.robot.tree import Frame, RobotTree

Array = NDArray[np.float64]
_RANK = 1e-9  # of the largest singular value: directions that are less are none


class Projection:
    """Takes out of generalised forces what contacts may have added: y = (1 - Jᵀ (Jᵀ)⁺) τ.

    A link that is lifted and counts as touched costs information, and makes nothing wrong.

    Args:
        robot: the robot.
        links: that contacts act on.
        moments: whether they also turn them.
    """

    def __init__(self, robot: RobotTree, links: Sequence[str], *, moments: bool) -> None:
        if not links:
            said = "contact_links: nothing says which links contacts act on"
            raise ConfigError("no-contacts", said, hint="name them: --contact-links FL_foot …")
        self._robot, self._entries = robot, 6 if moments else 3
        self._frames: list[Frame] = [robot.frame(link) for link in links]
        if self._entries * len(links) >= robot.nv:
            said = f"contact_links: {len(links)} contacts can hide all forces of {robot.name}"
            hint = "name fewer links, or leave out contact_moments"
            raise ConfigError("nothing-left", said, hint=hint)

    def directions(self, q: Array, touched: Array) -> Array:
        """An orthonormal basis of what contacts can have, shape (T, nv, m); some columns are zero.

        Args:
            q: configurations, shape (T, nq).
            touched: whether each link is, shape (T, links).
        """
        count = self._entries
        J = np.zeros((len(q), self._robot.nv, count * len(self._frames)))
        for place, frame in enumerate(self._frames):
            own = frame_jacobian(self._robot, q, frame)
            rows = own.matrix[:, :count] * touched[:, place, None, None]
            J[:, own.coordinates, place * count : (place + 1) * count] = rows.mT
        U, s, _ = np.linalg.svd(J, full_matrices=False)
        return np.asarray(U * (s > _RANK * s.max(axis=1, keepdims=True).clip(1e-300))[:, None])

    @staticmethod
    def apply(directions: Array, forces: Array) -> Array:
        """Take them out of generalised forces (T, nv), or of several, (T, nv, k)."""
        if forces.ndim == 2:
            return Projection.apply(directions, forces[..., None])[..., 0]
        return np.asarray(forces - directions @ (directions.mT @ forces))
