"""Symmetric 3×3 matrices, samples along the last axis: products, inverses, eigenvalues.

Eigenvalues come from their closed form, the vectors of the least and the largest from minors: for
thousands of small matrices that is ten times as fast as an iteration for each. Where eigenvalues
meet, the derivative of a vector has no limit; here it is held down, so that training goes on.
"""

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from robotid.models.lagrangian_layers import only_once

_TIE = 1e-5  # of the size of a matrix: eigenvalues nearer than that hardly count as different
_FLAT = 1e-10  # of the square of its size: minors below are rounding


class Eigen(NamedTuple):
    """Eigenvalues, ascending, shape (3, B); unit vectors of the least and largest, (3, B) each."""

    values: Tensor
    least: Tensor
    largest: Tensor


def times(a: Tensor, b: Tensor) -> Tensor:
    """Matrix products, (i, j, B) and (j, k, B) to (i, k, B)."""
    return (a[:, :, None] * b[None]).sum(1)


def applied(a: Tensor, x: Tensor) -> Tensor:
    """Matrices times vectors, (i, j, B) and (j, B) to (i, B)."""
    return (a * x).sum(1)


def outer(x: Tensor, y: Tensor) -> Tensor:
    """Products x yᵀ, (i, B) and (j, B) to (i, j, B)."""
    return x[:, None] * y[None]


def trace(a: Tensor) -> Tensor:
    """Shape (B,)."""
    return a[0, 0] + a[1, 1] + a[2, 2]


def unit(like: Tensor) -> Tensor:
    """The unit matrix, shape (3, 3, 1)."""
    return torch.eye(3, dtype=like.dtype, device=like.device)[:, :, None]


def cross(x: Tensor, y: Tensor) -> Tensor:
    """Cross products, (3, B) each."""
    found: Tensor = torch.linalg.cross(x, y, dim=0)
    return found


def skew(x: Tensor) -> Tensor:
    """[x] with [x] y = x × y, (3, B) to (3, 3, B)."""
    zero = torch.zeros_like(x[0])
    rows = ((zero, -x[2], x[1]), (x[2], zero, -x[0]), (-x[1], x[0], zero))
    return torch.stack([torch.stack(row) for row in rows])


def turning(a: Tensor) -> Tensor:
    """The vector t with ⟨a, [x]⟩ = t · x for all x, (3, 3, B) to (3, B)."""
    return torch.stack([a[2, 1] - a[1, 2], a[0, 2] - a[2, 0], a[1, 0] - a[0, 1]])


def inverse(a: Tensor) -> Tensor:
    """Of positive definite matrices, by minors."""
    rows = cross(a[1], a[2]), cross(a[2], a[0]), cross(a[0], a[1])
    return torch.stack(rows) / (a[0] * rows[0]).sum(0)


def eigen(a: Tensor) -> Eigen:
    """Eigenvalues of symmetric matrices, (3, 3, B), and vectors of two; differentiable once."""
    return Eigen(*_Eigen.apply(a))  # type: ignore[no-untyped-call]


class _Eigen(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        values = _values(a)
        least, largest = (_vector(a, values[place]) for place in (0, 2))
        ctx.save_for_backward(a, values, least, largest)
        return values, least, largest

    @staticmethod
    def backward(ctx: Any, of_values: Tensor, of_least: Tensor, of_largest: Tensor) -> Tensor:
        only_once()
        a, values, least, largest = ctx.saved_tensors
        middle = torch.nn.functional.normalize(cross(largest, least), dim=0)
        found = torch.zeros_like(a)
        for place, vector in enumerate((least, middle, largest)):
            found = found + of_values[place] * outer(vector, vector)
        for place, vector, given in ((0, least, of_least), (2, largest, of_largest)):
            found = found + outer(_resolved(a, values, place, vector, given), vector)
        return 0.5 * (found + found.transpose(0, 1))


def _values(a: Tensor) -> Tensor:
    """Ascending: trace / 3 + 2 p cos(φ + …)."""
    middle = trace(a) / 3
    rest = a - middle * unit(a)
    spread = ((rest**2).sum((0, 1)) / 6).sqrt()
    safe = torch.where(spread > 0, spread, torch.ones_like(spread))
    determinant = (rest[0] * cross(rest[1], rest[2])).sum(0)
    angle = torch.acos((determinant / (2 * safe**3)).clamp(-1.0, 1.0)) / 3
    largest = middle + 2 * spread * torch.cos(angle)
    least = middle + 2 * spread * torch.cos(angle + 2 * math.pi / 3)
    return torch.stack([least, 3 * middle - least - largest, largest])


def _vector(a: Tensor, value: Tensor) -> Tensor:
    """A unit vector of an eigenvalue: what is perpendicular to two rows of A − λ 1."""
    rows = a - value * unit(a)
    minors = torch.stack(
        [cross(rows[1], rows[2]), cross(rows[2], rows[0]), cross(rows[0], rows[1])]
    )
    sizes = (minors**2).sum(1)  # (3, B)
    best = sizes.argmax(0)
    found = minors.gather(0, best[None, None].expand(1, 3, -1))[0]
    size = (a**2).sum((0, 1))
    flat = sizes.amax(0) <= (_FLAT * size) ** 2
    if bool(flat.any()):  # two eigenvalues meet: any vector of theirs will do
        _, vectors = torch.linalg.eigh(a[:, :, flat].permute(2, 0, 1))
        below = value[flat] <= trace(a)[flat] / 3
        found[:, flat] = torch.where(below, vectors[:, :, 0].mT, vectors[:, :, 2].mT)
    length: Tensor = torch.linalg.vector_norm(found, dim=0)
    return found / length


def _resolved(a: Tensor, values: Tensor, place: int, vector: Tensor, given: Tensor) -> Tensor:
    """(λ − A)⁺ applied to a gradient, (3, B), held down where eigenvalues meet.

    On the plane perpendicular to the vector, N = λ − A has eigenvalues g and g′ of one sign, and
    N⁻¹ = ((g + g′) − N) / (g g′) there.
    """
    others = [values[place] - values[other] for other in range(3) if other != place]
    inside = given - vector * (vector * given).sum(0)
    turned = values[place] * inside - applied(a, inside)
    near = _TIE**2 * (a**2).sum((0, 1)) + torch.finfo(a.dtype).tiny
    first, second = (gap / (gap**2 + near) for gap in others)  # 1 / gap, or nothing
    return ((others[0] + others[1]) * inside - turned) * (first * second)
