"""Forces of a mass matrix H = C Cᵀ that depends on what a network gives, with their derivatives.

Only the lower half of C is stored, entry by entry along the first axis, samples along the last:
products with a triangle are then element by element, and sums are products with zeros and ones.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from robotid.models.lagrangian_layers import only_once

LEAST = 1e-2  # on the diagonal of C, in units of its scale


class Triangle(NamedTuple):
    """Where the e entries of the lower half of C stand.

    Args:
        rows: of the entries, shape (e,).
        columns: of the entries, shape (e,).
        diagonal: which of them are on it, shape (n,).
        scale: of each, shape (e, 1).
        in_row: ones where an entry belongs to a row, shape (n, e).
        in_column: ones where it belongs to a column, shape (n, e).
    """

    rows: Tensor
    columns: Tensor
    diagonal: Tensor
    scale: Tensor
    in_row: Tensor
    in_column: Tensor


def triangle_of(root: Tensor) -> Triangle:
    """Row by row, scaled by a value for each row, shape (n,)."""
    n = len(root)
    rows, columns = torch.tril_indices(n, n, device=root.device)
    in_row, in_column = (functional.one_hot(at, n).mT.to(root.dtype) for at in (rows, columns))
    diagonal = (rows == columns).nonzero()[:, 0]
    return Triangle(rows, columns, diagonal, root[rows, None], in_row, in_column)


def factor(raw: Tensor, triangle: Triangle) -> tuple[Tensor, Tensor]:
    """Entries of C and their slopes over what a network gives, shape (e, B) each."""
    diagonal = triangle.diagonal
    own = raw.index_select(0, diagonal)
    entries = raw.index_copy(0, diagonal, functional.softplus(own) + LEAST)
    slopes = torch.ones_like(raw).index_copy(0, diagonal, torch.sigmoid(own))
    return entries * triangle.scale, slopes * triangle.scale


def forces(
    raw: Tensor, along: Tensor, qd: Tensor, qdd: Tensor, triangle: Triangle
) -> tuple[Tensor, Tensor]:
    """H q̈ + Ḣ q̇, shape (n, B), and the gradient of −½ q̇ᵀ H q̇ over raw, shape (e, B).

    With w = Cᵀ q̇ that is C (Cᵀ q̈ + Ċᵀ q̇) + Ċ w, and what −½ |w|² gets through C is −q̇ wᵀ, of which
    the lower half counts. First derivatives only.

    Args:
        raw: what a network gives for the entries of C, shape (e, B).
        along: its derivative along q̇, shape (e, B).
        qd: velocities, shape (n, B).
        qdd: accelerations, shape (n, B).
        triangle: where entries stand.
    """
    found: tuple[Tensor, Tensor] = _Forces.apply(raw, along, qd, qdd, triangle)  # type: ignore[no-untyped-call]
    return found


class _Forces(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, raw: Tensor, along: Tensor, qd: Tensor, qdd: Tensor, triangle: Triangle
    ) -> tuple[Tensor, Tensor]:
        rows, columns, _, _, in_row, in_column = triangle
        C, slopes = factor(raw, triangle)
        D = slopes * along
        qd, qdd = qd.index_select(0, rows), qdd.index_select(0, rows)
        w = (in_column @ (C * qd)).index_select(0, columns)
        v = (in_column @ (C * qdd).addcmul_(D, qd)).index_select(0, columns)
        ctx.triangle = triangle
        ctx.save_for_backward(C, D, slopes, along, qd, qdd, w, v)
        return in_row @ (C * v).addcmul_(D, w), (qd * w).mul_(slopes).neg_()

    @staticmethod
    def backward(ctx: Any, of_tau: Tensor, of_gradient: Tensor) -> tuple[Tensor | None, ...]:
        only_once()
        rows, columns, _, scale, in_row, in_column = ctx.triangle
        C, D, slopes, along, qd, qdd, w, v = ctx.saved_tensors  # vectors: at entries
        u, minus = of_tau.index_select(0, rows), of_gradient * slopes
        of_v = (in_column @ (u * C)).index_select(0, columns)
        of_w = (in_column @ (u * D).addcmul_(minus, qd, value=-1)).index_select(0, columns)
        of_C = (u * v).addcmul_(of_v, qdd).addcmul_(of_w, qd)
        of_D = (u * w).addcmul_(of_v, qd)
        of_slopes = (of_D * along).addcmul_(of_gradient * qd, w, value=-1)
        # Off the diagonal slopes are the scale: nothing is added.
        of_raw = of_C.addcmul_(of_slopes, 1 - slopes / scale).mul_(slopes)
        of_qd = of_qdd = None
        if ctx.needs_input_grad[2]:
            of_qd = in_row @ (C * of_w).addcmul_(D, of_v).addcmul_(minus, w, value=-1)
        if ctx.needs_input_grad[3]:
            of_qdd = in_row @ (C * of_v)
        return of_raw, of_D.mul_(slopes), of_qd, of_qdd, None
