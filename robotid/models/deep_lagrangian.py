"""Deep Lagrangian networks: a mass matrix and a potential as networks, torques by Euler-Lagrange.

τ = H q̈ + Ḣ q̇ − ½ ∂(q̇ᵀ H q̇)/∂q + ∂V/∂q,  H = C Cᵀ + ε

With w = Cᵀ q̇, the two middle terms need the derivative of C along q̇, one pass forward through the
layers, and the gradient of ½ |w|², which together with that of V is one pass back. Both are written
out below, so training differentiates once what others differentiate twice.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

Activation = Literal["softplus", "tanh"]
Inputs = Literal["positions", "circles"]

LEAST = 1e-2  # on the diagonal of C, in units of its scale
FLOOR = 1e-6  # likewise of H: a triangle with a long side has next to no least eigenvalue


class LagrangianTerms(NamedTuple):
    """Parts of the torque, (..., n) each: inertial, of velocities, of gravity."""

    inertial: Tensor
    velocity: Tensor
    potential: Tensor


class _Passed(NamedTuple):
    """What a pass leaves: the result, its derivative along q̇, slopes of the layers."""

    result: Tensor
    along: Tensor
    slopes: list[Tensor]


class _Parts(NamedTuple):
    """H q̈ and Ḣ q̇; what gradients of kinetic and potential energy begin with; slopes."""

    inertial: Tensor
    changing: Tensor
    of_factor: Tensor
    of_potential: Tensor
    slopes: list[Tensor]


class DeepLagrangian(nn.Module):
    """Torques of an energy that is learned.

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
        rows, columns = torch.tril_indices(n, n)
        self.register_buffer("rows", rows)
        self.register_buffer("columns", columns)
        usual = torch.ones(n, dtype=dtype) if scale is None else scale.to(dtype)
        # C in roots of usual torques: all joints count alike in the layers.
        self.register_buffer("root", usual.sqrt())
        self.register_buffer("of_potential", usual.mean())
        sizes = [n * (2 if inputs == "circles" else 1), *hidden, len(rows) + 1]
        self.weights = nn.ParameterList()
        self.biases = nn.ParameterList()
        for before, after in pairwise(sizes):
            drawn = torch.randn(after, before, generator=generator, dtype=dtype) / before**0.5
            self.weights.append(nn.Parameter(drawn))
            self.biases.append(nn.Parameter(torch.zeros(after, dtype=dtype)))

    def forward(self, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
        """Torques, (..., n) each [N m or N]."""
        parts = self._parts(q, qd, qdd)
        both = torch.cat([parts.of_factor, parts.of_potential], -1)
        return parts.inertial + parts.changing + self._back(q, both, parts.slopes)

    def terms(self, q: Tensor, qd: Tensor, qdd: Tensor) -> LagrangianTerms:
        """The torque in parts, (..., n) each."""
        parts = self._parts(q, qd, qdd)
        none = torch.zeros_like
        kinetic, potential = (
            self._back(q, torch.cat(one, -1), parts.slopes)
            for one in (
                (parts.of_factor, none(parts.of_potential)),
                (none(parts.of_factor), parts.of_potential),
            )
        )
        return LagrangianTerms(parts.inertial, parts.changing + kinetic, potential)

    def _parts(self, q: Tensor, qd: Tensor, qdd: Tensor) -> "_Parts":
        passed = self._pass(q, qd)
        C, C_along = self._factor(passed)
        w = _times_transposed(C, qd)
        inertial = _times(C, _times_transposed(C, qdd)) + self._floor * qdd
        changing = _times(C_along, w) + _times(C, _times_transposed(C_along, qd))
        # Gradient of −½ |w|²: what it gets through C is −q̇ wᵀ, of which the lower half counts.
        of_factor = -(qd[..., self._rows] * w[..., self._columns]) * self._slope_of_factor(passed)
        of_potential = self.get_buffer("of_potential").expand(*q.shape[:-1], 1)
        return _Parts(inertial, changing, of_factor, of_potential, passed.slopes)

    def inertia(self, q: Tensor) -> Tensor:
        """H(q), shape (..., n, n)."""
        C, _ = self._factor(self._pass(q, torch.zeros_like(q)))
        return C @ C.mT + torch.diag(self._floor)

    def potential(self, q: Tensor) -> Tensor:
        """V(q), shape (...,) [J]."""
        found: Tensor = self._pass(q, torch.zeros_like(q)).result[..., -1]
        return found * self.get_buffer("of_potential")

    @property
    def _floor(self) -> Tensor:
        return FLOOR * self.get_buffer("root") ** 2

    @property
    def _rows(self) -> Tensor:
        return self.get_buffer("rows")

    @property
    def _columns(self) -> Tensor:
        return self.get_buffer("columns")

    def _pass(self, q: Tensor, qd: Tensor) -> _Passed:
        """Through all layers, with the derivative along q̇."""
        h, d = q, qd
        if self.inputs == "circles":
            h = torch.cat([q.cos(), q.sin()], -1)
            d = torch.cat([-q.sin() * qd, q.cos() * qd], -1)
        slopes = []
        bend, slope = _ACTIVATIONS[self.activation]
        *inner, (last, bias) = zip(self.weights, self.biases, strict=True)
        for weight, shift in inner:
            z = functional.linear(h, weight, shift)
            h = bend(z)
            slopes.append(slope(z, h))
            d = slopes[-1] * functional.linear(d, weight)
        return _Passed(functional.linear(h, last, bias), functional.linear(d, last), slopes)

    def _back(self, q: Tensor, cotangent: Tensor, slopes: Sequence[Tensor]) -> Tensor:
        """Gradient with respect to q of what the results are weighted with, (..., n)."""
        *inner, last = self.weights
        found: Tensor = cotangent @ last
        for weight, slope in zip(reversed(inner), reversed(slopes), strict=True):
            found = (found * slope) @ weight
        if self.inputs == "circles":
            of_cos, of_sin = found.split(self.n, -1)
            found = q.cos() * of_sin - q.sin() * of_cos
        return found

    def _factor(self, passed: _Passed) -> tuple[Tensor, Tensor]:
        """C and its derivative along q̇, shape (..., n, n) each."""
        raw, along = passed.result[..., :-1], passed.along[..., :-1]
        diagonal = self._rows == self._columns
        own = torch.where(diagonal, functional.softplus(raw) + LEAST, raw)
        root = self.get_buffer("root")[self._rows]
        return self._lower(own * root), self._lower(along * self._slope_of_factor(passed))

    def _slope_of_factor(self, passed: _Passed) -> Tensor:
        """Of the entries of C over what the last layer gives."""
        raw = passed.result[..., :-1]
        bent = torch.where(self._rows == self._columns, torch.sigmoid(raw), torch.ones_like(raw))
        return bent * self.get_buffer("root")[self._rows]

    def _lower(self, entries: Tensor) -> Tensor:
        matrix = entries.new_zeros(*entries.shape[:-1], self.n, self.n)
        matrix[..., self._rows, self._columns] = entries
        return matrix


def _times(matrix: Tensor, vector: Tensor) -> Tensor:
    return (matrix @ vector[..., None])[..., 0]


def _times_transposed(matrix: Tensor, vector: Tensor) -> Tensor:
    return (vector[..., None, :] @ matrix)[..., 0, :]


_ACTIVATIONS: dict[
    Activation, tuple[Callable[[Tensor], Tensor], Callable[[Tensor, Tensor], Tensor]]
] = {
    "softplus": (functional.softplus, lambda z, _: torch.sigmoid(z)),
    "tanh": (torch.tanh, lambda _, h: 1 - h * h),
}
