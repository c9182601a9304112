"""`RigidBodyModel`: torques of a robot with the parameters of a fit."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from robotid.dynamics.friction import joint_columns
from robotid.dynamics.rnea import rnea
from robotid.errors import UsageError
from robotid.information.layout import LINK_PARAMETERS, Layout

Array = NDArray[np.float64]
LINKS = "links"  # the part of the torque that is no joint term
# Of a link whose inertia need not be symmetric (`nostr`), row by row.
FULL_PARAMETERS = ("m", "hx", "hy", "hz", *(f"I{row}{column}" for row in "xyz" for column in "xyz"))
_BATCH = 4096  # samples at a time: memory stays bounded however many there are


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

    def torque(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Torques, shape (T, nv) [N m, or N].

        Args:
            q: configurations, shape (T, nq).
            qd: velocities, shape (T, nv).
            qdd: accelerations, shape (T, nv).
        """
        motion = self._checked(q, qd, qdd)
        result = np.empty(motion[1].shape)
        for begin in range(0, len(result), _BATCH):
            here = slice(begin, begin + _BATCH)
            result[here] = sum(self._parts(*(x[here] for x in motion)).values())
        return result

    def parts(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> dict[str, Array]:
        """What the torque is the sum of: `links`, and each term of the joints, (T, nv) each."""
        motion = self._checked(q, qd, qdd)
        names = (LINKS, *self.layout.terms)
        result = {name: np.empty(motion[1].shape) for name in names}
        for begin in range(0, len(motion[0]), _BATCH):
            here = slice(begin, begin + _BATCH)
            for name, values in self._parts(*(x[here] for x in motion)).items():
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

    def _parts(self, q: Array, qd: Array, qdd: Array) -> dict[str, Array]:
        layout = self.layout
        first = layout.robot.nv - layout.robot.n  # of the driven joints
        speed, rise = torch.tensor(qd), torch.tensor(qdd)
        tau = rnea(layout.robot, torch.tensor(q), speed, rise, torch.tensor(self.links))
        found = {LINKS: tau.numpy()}
        columns = joint_columns(layout.terms, speed[:, first:], rise[:, first:]).numpy()
        values = self.own.reshape(layout.robot.n, len(layout.terms))
        for number, term in enumerate(layout.terms):
            found[term] = np.zeros_like(qd)
            found[term][:, first:] = columns[:, :, number] * values[:, number]
        return found


def parameter_names(layout: Layout, *, full: bool = False) -> tuple[str, ...]:
    """Names of the parameters of a model, in order; `full` with nine entries per inertia."""
    if not full:
        return layout.names
    links = [f"{link}.{name}" for link in layout.robot.links for name in FULL_PARAMETERS]
    return (*links, *layout.names[len(LINK_PARAMETERS) * layout.robot.bodies :])
