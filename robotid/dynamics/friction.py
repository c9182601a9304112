"""Columns that joints add to the regressor: friction, offset and the inertia of the rotor."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

COULOMB_WIDTH = 0.02  # rad/s or m/s: below it the sign of the velocity is not to be trusted


def _viscous(qd: Tensor, qdd: Tensor) -> Tensor:
    del qdd
    return qd


def _coulomb(qd: Tensor, qdd: Tensor) -> Tensor:
    del qdd
    return torch.clamp(qd / COULOMB_WIDTH, -1.0, 1.0)


def _offset(qd: Tensor, qdd: Tensor) -> Tensor:
    del qdd
    return torch.ones_like(qd)


def _rotor(qd: Tensor, qdd: Tensor) -> Tensor:
    del qd
    return qdd


class JointTerm(NamedTuple):
    """A torque per joint that is one parameter times a function of its motion."""

    column: Callable[[Tensor, Tensor], Tensor]
    unit: str
    summary: str


JOINT_TERMS: dict[str, JointTerm] = {
    "viscous": JointTerm(_viscous, "N m s/rad", "friction in proportion to velocity"),
    "coulomb": JointTerm(_coulomb, "N m", "friction of constant size against the motion"),
    "offset": JointTerm(_offset, "N m", "constant torque, such as that of a sensor's zero"),
    "rotor": JointTerm(_rotor, "kg m²", "inertia of the rotor, seen from the joint"),
}


def joint_columns(terms: Sequence[str], qd: Tensor, qdd: Tensor) -> Tensor:
    """Values of the terms for each joint, shape (..., n, terms).

    Args:
        terms: names from `JOINT_TERMS`.
        qd: velocities of the driven joints, shape (..., n).
        qdd: their accelerations, shape (..., n).
    """
    columns = [JOINT_TERMS[term].column(qd, qdd) for term in terms]
    return torch.stack(columns, -1) if columns else qd.new_zeros(*qd.shape, 0)


def joint_term_regressor(terms: Sequence[str], qd: Tensor, qdd: Tensor) -> Tensor:
    """The same as columns of a regressor, shape (..., n, n terms): joint by joint."""
    values = joint_columns(terms, qd, qdd)
    n, count = values.shape[-2:]
    return torch.einsum("...jt,jk->...jkt", values, torch.eye(n, dtype=qd.dtype)).reshape(
        *values.shape[:-2], n, n * count
    )
