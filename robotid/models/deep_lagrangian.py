"""Deep Lagrangian networks: a mass matrix and a potential as networks, torques by Euler-Lagrange.

τ = H q̈ + Ḣ q̇ − ½ ∂(q̇ᵀ H q̇)/∂q + ∂V/∂q,  H = C Cᵀ + ε

With w = Cᵀ q̇, the two middle terms need the derivative of C along q̇, one pass forward through the
layers, and the gradient of ½ |w|², which together with that of V is one pass back. Both are written
out in `lagrangian_layers`, so training differentiates once what others differentiate twice.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn

from robotid.models.lagrangian_forces import Triangle, factor, forces, triangle_of
from robotid.models.lagrangian_layers import (
    Activation,
    Passed,
    along_layers,
    back_through_layers,
    bent,
)

Inputs = Literal["positions", "circles"]

# On the diagonal of H, in units of its scale: a triangle with a long side has next to no least
# eigenvalue.
FLOOR = 1e-6


class LagrangianTerms(NamedTuple):
    """Parts of the torque, (..., n) each: inertial, of velocities, of gravity."""

    inertial: Tensor
    velocity: Tensor
    potential: Tensor


class DeepLagrangian(nn.Module):
    """Torques of an energy that is learned; they can be differentiated once.

    Args:
        n: joints.
        generator: of the first weights.
        hidden: sizes of the layers that mass matrix and potential share.
        activation: of these.
        inputs: `positions`, or `circles` for cosine and sine of each.
        scale: usual torque of each joint, shape (n,) [N m or N].
    """

    def __init__(
        self,
        n: int,
        generator: torch.Generator,
        hidden: Sequence[int] = (200, 200),
        activation: Activation = "softplus",
        inputs: Inputs = "positions",
        scale: Tensor | None = None,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        self.n, self.activation, self.inputs = n, activation, inputs
        usual = torch.ones(n, dtype=dtype) if scale is None else scale.to(dtype)
        # C in roots of usual torques: all joints count alike in the layers.
        self.register_buffer("root", usual.sqrt())
        self.register_buffer("of_potential", usual.mean())
        places = triangle_of(usual.sqrt())
        for name in ("rows", "columns", "diagonal", "in_row", "in_column"):
            in_files = name in ("rows", "columns")
            self.register_buffer(name, getattr(places, name), persistent=in_files)
        sizes = [n * (2 if inputs == "circles" else 1), *hidden, len(places.rows) + 1]
        self.weights = nn.ParameterList()
        self.biases = nn.ParameterList()
        for before, after in pairwise(sizes):
            drawn = torch.randn(after, before, generator=generator, dtype=dtype) / before**0.5
            self.weights.append(nn.Parameter(drawn))
            self.biases.append(nn.Parameter(torch.zeros(after, dtype=dtype)))

    def forward(self, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
        """Torques, (..., n) each [N m or N], where the motion is, wherever the weights are."""
        here = self.get_buffer("root").device
        angle, speed, acceleration = (_samples_last(x.to(here)) for x in (q, qd, qdd))
        passed = self._passed(angle, speed)
        moved, of_kinetic = self._forces(passed, speed, acceleration)
        gradient = torch.cat([of_kinetic, self._of_potential(angle)])
        tau = moved + self._back(angle, gradient, passed)
        return tau.mT.reshape(q.shape).to(q.device)

    def terms(self, q: Tensor, qd: Tensor, qdd: Tensor) -> LagrangianTerms:
        """The torque in parts, (..., n) each."""
        angle, speed, acceleration = (_samples_last(x) for x in (q, qd, qdd))
        passed, none = self._passed(angle, speed), torch.zeros_like(angle)
        still = passed._replace(along=torch.zeros_like(passed.along))
        inertial, at_rest = self._forces(still, none, acceleration)
        changing, of_kinetic = self._forces(passed, speed, none)
        of_potential = self._of_potential(angle)
        kinetic = self._back(angle, torch.cat([of_kinetic, 0 * of_potential]), passed)
        potential = self._back(angle, torch.cat([at_rest, of_potential]), passed)
        found = inertial, changing + kinetic, potential
        return LagrangianTerms(*(part.mT.reshape(q.shape) for part in found))

    def inertia(self, q: Tensor) -> Tensor:
        """H(q), shape (..., n, n)."""
        return self.energies(q)[0]

    def potential(self, q: Tensor) -> Tensor:
        """V(q), shape (...,) [J]."""
        return self.energies(q)[1]

    def energies(self, q: Tensor) -> tuple[Tensor, Tensor]:
        """H(q), shape (..., n, n), and V(q), shape (...,) [J]; both have all derivatives."""
        h = self._inputs(_samples_last(q))
        *inner, (last, bias) = zip(self.weights, self.biases, strict=True)
        for weight, shift in inner:
            h = bent(torch.addmm(shift[:, None], weight, h), self.activation)
        result = torch.addmm(bias[:, None], last, h)
        triangle = self._triangle
        entries, _ = factor(result[:-1], triangle)
        C = q.new_zeros(*q.shape, self.n)
        C[..., triangle.rows, triangle.columns] = entries.mT.reshape(*q.shape[:-1], len(entries))
        V = result[-1].reshape(q.shape[:-1]) * self.get_buffer("of_potential")
        return C @ C.mT + torch.diag(self._floor), V

    def _passed(self, q: Tensor, qd: Tensor) -> Passed:
        """Through all layers with the derivative along q̇, of (n, B) each."""
        along = torch.cat([-q.sin() * qd, q.cos() * qd]) if self.inputs == "circles" else qd
        layers = list(self.weights), list(self.biases)
        return along_layers(self._inputs(q), along, *layers, self.activation)

    def _forces(self, passed: Passed, qd: Tensor, qdd: Tensor) -> tuple[Tensor, Tensor]:
        """H q̈ + Ḣ q̇, (n, B); what the gradient of −½ q̇ᵀ H q̇ begins with, (e, B)."""
        found, gradient = forces(passed.result[:-1], passed.along[:-1], qd, qdd, self._triangle)
        return found + self._floor[:, None] * qdd, gradient

    def _of_potential(self, q: Tensor) -> Tensor:
        """What the gradient of V begins with, (1, B)."""
        return self.get_buffer("of_potential").expand(1, q.shape[-1])

    def _back(self, q: Tensor, gradient: Tensor, passed: Passed) -> Tensor:
        """With respect to q, (n, B), of a gradient with respect to what the layers give."""
        found = back_through_layers(gradient, list(self.weights), passed.slopes)
        if self.inputs == "circles":
            of_cos, of_sin = found.split(self.n)
            found = q.cos() * of_sin - q.sin() * of_cos
        return found

    def _inputs(self, q: Tensor) -> Tensor:
        """Of the first layer, (in, B)."""
        return torch.cat([q.cos(), q.sin()]) if self.inputs == "circles" else q

    @property
    def _triangle(self) -> Triangle:
        rows = self.get_buffer("rows")
        return Triangle(
            rows=rows,
            columns=self.get_buffer("columns"),
            diagonal=self.get_buffer("diagonal"),
            scale=self.get_buffer("root")[rows, None],
            in_row=self.get_buffer("in_row"),
            in_column=self.get_buffer("in_column"),
        )

    @property
    def _floor(self) -> Tensor:
        return FLOOR * self.get_buffer("root") ** 2


def _samples_last(values: Tensor) -> Tensor:
    """(..., n) as (n, B)."""
    return values.reshape(-1, values.shape[-1]).mT.contiguous()
