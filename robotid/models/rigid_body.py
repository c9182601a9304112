"""`RigidBodyModel`: torques of a robot with the parameters of a fit."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from robotid.dynamics.friction import column_values
from robotid.dynamics.rnea import rnea
from robotid.errors import UsageError
from robotid.information.layout import LINK_PARAMETERS, Layout

Array = NDArray[np.float64]
HeldSigns = dict[str, Any]  # of friction by parameter: -1, 0 or 1
LINKS = "links"  # the part of the torque that is no joint term
# Of a link whose inertia need not be symmetric (`nostr`), row by row.
FULL_PARAMETERS = ("m", "hx", "hy", "hz", *(f"I{row}{column}" for row in "xyz" for column in "xyz"))
_BATCH = 2048  # samples at a time: memory stays bounded however many there are


@dataclass(frozen=True, eq=False)
class RigidBodyModel:
    """A robot, the terms of its joints, and a value for each parameter.

    Args:
        layout: which parameters there are.
        phi: in the order of the layout, shape (parameters,); a link may have 13 instead of 10, with
            all nine entries of its inertia.
    """

    layout: Layout
    phi: Array
    begins_anew: ClassVar[bool] = False  # factors hold signs of friction across gaps, too

    def __post_init__(self) -> None:
        phi = np.array(self.phi, dtype=np.float64)
        extra = 3 * self.layout.robot.bodies
        if phi.shape not in ((self.layout.parameters,), (self.layout.parameters + extra,)):
            said = f"{phi.size} parameters were given, the layout has {self.layout.parameters}"
            raise UsageError("wrong-shape", said)
        phi.setflags(write=False)
        object.__setattr__(self, "phi", phi)

    @property
    def full(self) -> bool:
        """Whether links have all nine entries of an inertia."""
        return self.phi.size != self.layout.parameters

    @property
    def links(self) -> Array:
        """Parameters of the links, shape (bodies, 10) or (bodies, 13)."""
        return self.phi[: self.phi.size - self._own].reshape(self.layout.robot.bodies, -1)

    @property
    def own(self) -> Array:
        """Parameters of the joint terms, in the order of the layout."""
        return self.phi[self.phi.size - self._own :]

    @property
    def _own(self) -> int:
        return self.layout.parameters - 10 * self.layout.robot.bodies

    def torque(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, held: HeldSigns | None = None
    ) -> Array:
        """Torques, shape (T, nv) [N m, or N].

        Args:
            q: configurations, shape (T, nq).
            qd: velocities, shape (T, nv).
            qdd: accelerations, shape (T, nv).
            held: where samples follow others: signs that friction with memory had before, by
                parameter; brought up to date. Without it the robot has not moved before.
        """
        motion = self._checked(q, qd, qdd)
        result, signs = np.empty(motion[1].shape), {} if held is None else held
        for begin in range(0, len(result), _BATCH):
            here = slice(begin, begin + _BATCH)
            parts = self._parts([x[here] for x in motion], signs)
            result[here] = sum(parts.values())
        return result

    def parts(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, held: HeldSigns | None = None
    ) -> dict[str, Array]:
        """What the torque is the sum of: `links`, and each term of the joints, (T, nv) each."""
        motion = self._checked(q, qd, qdd)
        names = (LINKS, *(column.term for column in self.layout.own))
        result = {name: np.empty(motion[1].shape) for name in names}
        signs = {} if held is None else held
        for begin in range(0, len(motion[0]), _BATCH):
            here = slice(begin, begin + _BATCH)
            for name, values in self._parts([x[here] for x in motion], signs).items():
                result[name][here] = values
        return result

    def _checked(self, *motion: ArrayLike) -> list[Array]:
        robot, arrays = self.layout.robot, [np.asarray(x, dtype=np.float64) for x in motion]
        for name, values, width in zip(("q", "qd", "qdd"), arrays, (robot.nq, robot.nv, robot.nv),
                                       strict=True):  # fmt: skip
            if values.shape != (len(arrays[0]), width):
                said = f"{name} has shape {values.shape}, ({len(arrays[0])}, {width}) is needed"
                raise UsageError("wrong-shape", said)
        return arrays

    def _parts(self, motion: list[Array], held: HeldSigns) -> dict[str, Array]:
        layout, first = self.layout, self.layout.robot.nv - self.layout.robot.n
        _, qd, qdd = motion
        found = {LINKS: self._of_links(self.links, motion)}
        load = self._of_links(layout.robot.phi, motion)[:, first:] if layout.loaded else None
        for column, parameter in zip(layout.own, self.own.tolist(), strict=True):
            before = held.get(column.name, 0.0)
            values = column_values(column, qd[:, first:], qdd[:, first:], load, before)
            if column.form.kind == "held":
                held[column.name] = float(values[-1])
            torque = found.setdefault(column.term, np.zeros_like(qd))
            for joint, sign in column.motor.members:
                torque[:, first + joint] += sign * parameter * values
        return found

    def _of_links(self, links: Array, motion: list[Array]) -> Array:
        q, qd, qdd = map(torch.tensor, motion)
        tau: Array = rnea(self.layout.robot, q, qd, qdd, torch.tensor(links)).numpy()
        return tau


def parameter_names(layout: Layout, *, full: bool = False) -> tuple[str, ...]:
    """Names of the parameters of a model, in order; `full` with nine entries per inertia."""
    if not full:
        return layout.names
    links = [f"{link}.{name}" for link in layout.robot.links for name in FULL_PARAMETERS]
    return (*links, *layout.names[len(LINK_PARAMETERS) * layout.robot.bodies :])
