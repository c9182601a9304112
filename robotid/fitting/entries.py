"""`Entries`: which unconstrained numbers stand for the parameters of a robot."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from robotid.information.layout import Layout
from robotid.spatial.parametrisations.table import Parametrisation

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Entries:
    """theta holds the entries of each link, then one number per parameter of joints.

    Args:
        parametrisation: of the links.
        bodies: how many there are.
        positive: which parameters of the joints are squares of their entries, shape
            (own,); an offset has any sign.
    """

    parametrisation: Parametrisation
    bodies: int
    positive: NDArray[np.bool_]

    @classmethod
    def of(cls, layout: Layout, parametrisation: Parametrisation) -> "Entries":
        """Of a robot and its terms."""
        return cls(parametrisation, layout.robot.bodies, layout.positive[layout.links :])

    @property
    def of_links(self) -> int:
        """How many entries the links have together."""
        return self.bodies * self.parametrisation.size

    @property
    def size(self) -> int:
        """How many entries there are."""
        return self.of_links + self.positive.size

    def links(self, theta: Array) -> Array:
        """The part of the links, shape (bodies, entries of one)."""
        return theta[: self.of_links].reshape(self.bodies, -1)

    def parameters(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """Parameters of the bodies (bodies, 10, or 13 where nine are free) and of the joints."""
        links = self.parametrisation.phi(theta[: self.of_links].reshape(self.bodies, -1))
        own = theta[self.of_links :]
        return links, torch.where(torch.from_numpy(self.positive), own**2, own)

    def phi(self, theta: Array) -> Array:
        """All parameters, one after the other."""
        with torch.no_grad():
            links, own = self.parameters(torch.from_numpy(theta))
        return np.concatenate([links.numpy().ravel(), own.numpy()])

    def theta(self, phi: Array) -> Array:
        """A theta of given parameters, which have to be inside what can be expressed.

        Args:
            phi: ten of each body, then those of the joints; negative ones that are squares give
                zero.
        """
        links = torch.from_numpy(phi[: 10 * self.bodies].reshape(-1, 10).copy())
        own = phi[10 * self.bodies :]
        roots = np.where(self.positive, np.sqrt(np.maximum(own, 0.0)), own)
        return np.concatenate([self.parametrisation.theta(links).numpy().ravel(), roots])
