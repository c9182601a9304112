"""`LearnedTorques`: a learned model for arrays of samples in the order of time."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.information.layout import Layout
from robotid.models.learned.bodies import joint_columns
from robotid.models.learned.inverse import InverseModel, Motion, TorqueParts

Array = NDArray[np.float64]
_BATCH = 2048  # samples at a time: memory stays bounded however many there are
_MEMORY = "memory"  # under which the state of a network is held


@dataclass(frozen=True, eq=False)
class LearnedTorques:
    """A robot, the terms of its joints, and a model that was learned."""

    layout: Layout
    model: InverseModel
    begins_anew: ClassVar[bool] = True  # it was trained on stretches without gaps

    def torque(self, q: Array, qd: Array, qdd: Array, held: dict[str, Any] | None = None) -> Array:
        """Torques, shape (T, nv) [N m, or N].

        Args:
            q: configurations, shape (T, nq).
            qd: velocities, shape (T, nv).
            qdd: accelerations, shape (T, nv).
            held: where samples follow others: what the model remembers of them; brought up to
                date. Without it the robot has not moved before.
        """
        pieces = [part.total().numpy() for part in self._pieces(q, qd, qdd, held)]
        return np.concatenate([*pieces, np.empty((0, self.layout.robot.nv))])

    def parts(
        self, q: Array, qd: Array, qdd: Array, held: dict[str, Any] | None = None
    ) -> dict[str, Array]:
        """What the torque is the sum of: `body`, `joints` and `residual`, (T, nv) each."""
        pieces = self._pieces(q, qd, qdd, held)
        return {
            name: np.concatenate([getattr(part, name).numpy() for part in pieces])
            for name in TorqueParts._fields
            if pieces and getattr(pieces[0], name) is not None
        }

    def _pieces(
        self, q: Array, qd: Array, qdd: Array, held: dict[str, Any] | None
    ) -> list[TorqueParts]:
        state = {} if held is None else held
        found = []
        for begin in range(0, len(q), _BATCH):
            here = slice(begin, begin + _BATCH)
            now = [np.ascontiguousarray(x[here], dtype=np.float64) for x in (q, qd, qdd)]
            columns = joint_columns(self.layout, now[0], now[1], now[2], state)
            motion = Motion(*(torch.from_numpy(x) for x in (*now, columns)))
            found.append(self._parts(motion, state))
        return found

    def _parts(self, motion: Motion, state: dict[str, Any]) -> TorqueParts:
        with torch.no_grad():
            if not self.model.remembers:
                return self.model.parts(motion)[0]
            one = Motion(*(values[None] for values in motion))
            added, state[_MEMORY] = self.model.added(one, state.get(_MEMORY))
            return self.model.formulas(motion)._replace(residual=added[0])
