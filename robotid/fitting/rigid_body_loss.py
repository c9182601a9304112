"""The loss of a parametrised robot on an information factor, with its exact second derivatives.

f(theta) = |R phi(theta) - z|² + rho². Each link has its own piece of theta, so phi's first and
second derivatives are small blocks: automatic differentiation runs once over all links, with a copy
of theta per row that is wanted. The second derivatives matter: where the best parameters lie on the
boundary of consistency, the Gauss-Newton part of the Hessian vanishes and steps that rely on it
alone stall.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from robotid.errors import UsageError
from robotid.information.layout import Layout
from robotid.information.system import System
from robotid.spatial.parametrisations.table import Parametrisation

Array = NDArray[np.float64]
POSITIVE_TERMS = ("viscous", "coulomb", "rotor")  # written as squares; an offset has any sign


def positive_terms(layout: Layout) -> NDArray[np.bool_]:
    """Which of the parameters behind those of the links must not be negative."""
    return np.tile([term in POSITIVE_TERMS for term in layout.terms], layout.robot.n).astype(bool)


class Derivatives(NamedTuple):
    """Of the loss at one theta.

    Args:
        loss: f.
        gradient: shape (size,).
        hessian: shape (size, size).
        phi: all parameters, shape (p,).
        slope: of f with respect to phi, shape (p,).
        jacobian: of the parameters of each link, shape (bodies, 10, entries of theta).
    """

    loss: float
    gradient: Array
    hessian: Array
    phi: Array
    slope: Array
    jacobian: Array


class RigidBodyLoss:
    """f(theta), where theta holds the entries of each link, then one number per joint term."""

    def __init__(
        self,
        system: System,
        bodies: int,
        parametrisation: Parametrisation,
        positive: Sequence[bool] | NDArray[np.bool_],
    ) -> None:
        """A loss.

        Args:
            system: in all parameters: ten per body, then those of the joints.
            bodies: how many there are.
            parametrisation: of the links.
            positive: which parameters of the joints are squares.
        """
        if not parametrisation.guarantees.symmetric:
            said = f"{parametrisation.name} has inertias of nine entries, a factor knows six"
            raise UsageError("no-factor", said, hint="fit it on samples: --optimizer adam")
        self.positive = np.asarray(positive, dtype=bool)
        if system.R.shape[1] != 10 * bodies + self.positive.size:
            said = f"{system.R.shape[1]} parameters are not ten of each of {bodies} bodies"
            raise UsageError("wrong-shape", f"{said} and {self.positive.size} of joints")
        self.system, self.bodies, self.parametrisation = system, bodies, parametrisation
        self.of_links = bodies * parametrisation.size
        self.size = self.of_links + self.positive.size
        self._columns = system.R[:, : 10 * bodies].reshape(-1, bodies, 10).transpose(1, 0, 2)
        self._of_joints = system.R[:, 10 * bodies :]

    def links(self, theta: Array) -> Array:
        """The part of the links, shape (bodies, entries)."""
        return theta[: self.of_links].reshape(self.bodies, -1)

    def phi(self, theta: Array) -> Array:
        """All parameters, shape (p,)."""
        with torch.no_grad():
            links = self.parametrisation.phi(torch.from_numpy(self.links(theta))).numpy()
        own = theta[self.of_links :]
        return np.concatenate([links.ravel(), np.where(self.positive, own**2, own)])

    def theta(self, phi: Array) -> Array:
        """A theta of given parameters, which have to be inside what can be expressed."""
        links = torch.from_numpy(phi[: 10 * self.bodies].reshape(-1, 10).copy())
        own = phi[10 * self.bodies :]
        roots = np.where(self.positive, np.sqrt(np.maximum(own, 0.0)), own)
        return np.concatenate([self.parametrisation.theta(links).numpy().ravel(), roots])

    def loss(self, theta: Array) -> float:
        """The value of f."""
        return self.system.loss(self.phi(theta))

    def derivatives(self, theta: Array) -> Derivatives:
        """Value, gradient and Hessian."""
        phi = self.phi(theta)
        error = self.system.R @ phi - self.system.z
        slope = 2.0 * (self.system.R.T @ error)
        jacobian, curvature = self._of_phi(theta, slope)
        own = theta[self.of_links :]
        links = (self._columns @ jacobian).transpose(1, 0, 2).reshape(-1, self.of_links)
        A = np.hstack([links, self._of_joints * np.where(self.positive, 2.0 * own, 1.0)])
        hessian = 2.0 * (A.T @ A)
        entries = self.parametrisation.size
        for body in range(self.bodies):
            block = slice(body * entries, (body + 1) * entries)
            hessian[block, block] += curvature[body]
        diagonal = np.arange(self.of_links, self.size)
        hessian[diagonal, diagonal] += np.where(self.positive, 2.0 * slope[10 * self.bodies :], 0.0)
        loss = float(error @ error) + self.system.rho**2
        return Derivatives(loss, 2.0 * (A.T @ error), hessian, phi, slope, jacobian)

    def _of_phi(self, theta: Array, slope: Array) -> tuple[Array, Array]:
        """Jacobians of the links, and the second derivatives of slope times phi, link by link.

        Copy r of theta gives row r of the Jacobian, and row r of the second derivatives.
        """
        copies = max(10, self.parametrisation.size)
        theta_of = torch.from_numpy(self.links(theta))[:, None]
        theta_of = theta_of.repeat(1, copies, 1).requires_grad_()
        phi = self.parametrisation.phi(theta_of)
        rows = phi.diagonal(dim1=1, dim2=2).sum()
        (jacobian,) = torch.autograd.grad(rows, theta_of, retain_graph=True)
        weights = torch.from_numpy(slope[: 10 * self.bodies].reshape(self.bodies, 1, 10))
        (first,) = torch.autograd.grad((phi * weights).sum(), theta_of, create_graph=True)
        if first.requires_grad:
            (second,) = torch.autograd.grad(first.diagonal(dim1=1, dim2=2).sum(), theta_of)
        else:  # phi is linear in theta
            second = torch.zeros_like(theta_of)
        second = second[:, : self.parametrisation.size]
        return jacobian[:, :10].numpy(), (0.5 * (second + second.mT)).numpy()
