"""The loss of a parametrised robot on an information factor, with its full second derivatives.

f(theta) = |R phi(theta) - z|² + rho². Each link has its own piece of theta, so phi's first and
second derivatives are small blocks: automatic differentiation runs once over all links, with a copy
of theta per row that is wanted; second derivatives are central differences of its gradients, right
to about nine digits and twice as fast as differentiating twice. They matter: where the best
parameters lie on the boundary of consistency, the Gauss-Newton part of the Hessian vanishes, and
steps that rely on it alone stall.
"""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.errors import UsageError
from robotid.fitting.entries import Entries
from robotid.information.system import System

Array = NDArray[np.float64]


class Derivatives(NamedTuple):
    """Of the loss at one theta.

    Args:
        loss: f.
        gradient: shape (size,).
        hessian: shape (size, size).
        phi: all parameters, shape (p,).
        slope: of f with respect to phi, shape (p,).
        jacobian: of the parameters of each link, shape (bodies, 10, entries of theta).
        error: R phi - z, shape (rows,).
        error_jacobian: how it changes with theta, shape (rows, size).
    """

    loss: float
    gradient: Array
    hessian: Array
    phi: Array
    slope: Array
    jacobian: Array
    error: Array
    error_jacobian: Array


class RigidBodyLoss:
    """f(theta) of a system in all parameters of a robot."""

    def __init__(self, system: System, entries: Entries) -> None:
        """A loss.

        Args:
            system: in all parameters: ten per body, then those of the joints.
            entries: what theta holds.
        """
        parametrisation, bodies = entries.parametrisation, entries.bodies
        if not parametrisation.guarantees.symmetric:
            said = f"{parametrisation.name} has inertias of nine entries, a factor knows six"
            raise UsageError("no-factor", said, hint="fit it on samples: --optimizer adam")
        if system.R.shape[1] != 10 * bodies + entries.positive.size:
            said = f"{system.R.shape[1]} parameters are not ten of each of {bodies} bodies"
            raise UsageError("wrong-shape", f"{said} and {entries.positive.size} of joints")
        self.system, self.entries, self.bodies = system, entries, bodies
        self._columns = system.R[:, : 10 * bodies].reshape(-1, bodies, 10).transpose(1, 0, 2)
        self._of_joints = system.R[:, 10 * bodies :]

    def error(self, theta: Array) -> Array:
        """R phi - z, shape (rows,)."""
        return self.system.R @ self.entries.phi(theta) - self.system.z

    def of_error(self, error: Array) -> float:
        """The value of f where R phi - z is this."""
        return float(error @ error) + self.system.rho**2

    def loss(self, theta: Array) -> float:
        """The value of f."""
        return self.of_error(self.error(theta))

    def derivatives(self, theta: Array) -> Derivatives:
        """Value, gradient and Hessian."""
        of_links, positive = self.entries.of_links, self.entries.positive
        phi = self.entries.phi(theta)
        error = self.system.R @ phi - self.system.z
        slope = 2.0 * (self.system.R.T @ error)
        jacobian, curvature = self._of_phi(theta, slope)
        own = theta[of_links:]
        links = (self._columns @ jacobian).transpose(1, 0, 2).reshape(-1, of_links)
        A = np.hstack([links, self._of_joints * np.where(positive, 2.0 * own, 1.0)])
        hessian = 2.0 * (A.T @ A)
        entries = self.entries.parametrisation.size
        for body in range(self.bodies):
            block = slice(body * entries, (body + 1) * entries)
            hessian[block, block] += curvature[body]
        diagonal = np.arange(of_links, self.entries.size)
        hessian[diagonal, diagonal] += np.where(positive, 2.0 * slope[10 * self.bodies :], 0.0)
        gradient = 2.0 * (A.T @ error)
        return Derivatives(self.of_error(error), gradient, hessian, phi, slope, jacobian, error, A)

    def _of_phi(self, theta: Array, slope: Array) -> tuple[Array, Array]:
        """Jacobians of the links, and the second derivatives of slope times phi, link by link.

        One pass over copies of theta: ten give the rows of the Jacobian, the others, displaced by
        a little to both sides of each entry, how the gradient of slope times phi changes.
        """
        parametrisation = self.entries.parametrisation
        links, entries = self.entries.links(theta), parametrisation.size
        little = 1e-5 * np.abs(links) + 1e-7
        copies = np.repeat(links[:, None], 10 + 2 * entries, axis=1)
        at = np.arange(entries)
        copies[:, 10 + at, at] += little
        copies[:, 10 + entries + at, at] -= little
        weights = np.zeros((self.bodies, 10 + 2 * entries, 10))
        weights[:, :10] = np.eye(10)
        weights[:, 10:] = slope[: 10 * self.bodies].reshape(-1, 1, 10)
        theta_of = torch.from_numpy(copies).requires_grad_()
        total = (parametrisation.phi(theta_of) * torch.from_numpy(weights)).sum()
        rows = torch.autograd.grad(total, theta_of)[0].numpy()
        ahead, behind = rows[:, 10 : 10 + entries], rows[:, 10 + entries :]
        second = (ahead - behind) / (2.0 * little[:, :, None])
        return rows[:, :10], 0.5 * (second + second.transpose(0, 2, 1))
