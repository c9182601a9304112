"""`FloatingLagrangian`: generalised forces of a robot on a floating base whose energy is learned.

With ν = (v, ω of the base in base coordinates, q̇) and p = H(q) ν,

    base:    ṗ_B + (ω × p_v, v × p_v + ω × p_ω) + what gravity does
    joints:  ṗ_q − ½ ∂(νᵀ H ν)/∂q + ∂P/∂q

which is Euler and Lagrange without angles that have poles. Derivatives of the layers along q̇ and
back are written out (`lagrangian_layers`), so forces can be differentiated once, for training.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from robotid.models.deep_lagrangian import FLOOR, LagrangianTerms
from robotid.models.floating.energies import (
    Columns,
    Composite,
    Energy,
    Moments,
    Potential,
    Scales,
    State,
)
from robotid.models.floating.layers import Circles, Layers
from robotid.models.floating.pattern import BASE, Network, branched, dense, of_base
from robotid.models.floating.potential import pose_of
from robotid.models.floating.symmetric import cross, skew, unit
from robotid.models.lagrangian_forces import Triangle, factor, forces
from robotid.models.lagrangian_layers import Activation, Passed
from robotid.robot.tree import RobotTree

Kind = Literal["felan", "felan-bs", "delan", "delan-pp"]


class Inertia(NamedTuple):
    """H(q), shape (..., 6 + n, 6 + n); mass, shape (...,) [kg]; first moment, (..., 3) [kg m]."""

    H: Tensor
    mass: Tensor
    h: Tensor


class FloatingLagrangian(nn.Module):
    """Forces of an energy that is learned.

    Args:
        robot: its tree and gravity; nothing else of it is used.
        kind: `felan`: sparsity of the tree, and an inertia about the base that a rigid body could
            have; `felan-bs`: the sparsity alone; `delan-pp`: a factor without zeros; `delan`: the
            same, with a network of its own for the potential.
        generator: of the first weights.
        hidden: sizes of the layers of each network.
        activation: of these.
    """

    def __init__(
        self,
        robot: RobotTree,
        kind: Kind,
        generator: torch.Generator,
        hidden: Sequence[int] = (16, 16),
        activation: Activation = "softplus",
    ) -> None:
        super().__init__()
        self.n = robot.n
        self.register_buffer("usual", torch.ones(BASE + robot.n, dtype=torch.float64))
        self.register_buffer("gravity", torch.tensor(robot.gravity))
        turns = [joint.kind != "prismatic" for joint in robot.driven]

        def layers(inputs: int, outputs: int) -> Layers:
            return Layers(inputs, outputs, generator, hidden, activation)

        self.parts = networks_of(robot, kind)
        self.seen = [Circles([turns[joint] for joint in part.joints]) for part in self.parts]
        own = zip(self.seen, self.parts, strict=True)
        self.networks = nn.ModuleList(layers(seen.size, len(part.entries)) for seen, part in own)
        every = Circles(turns)
        self.energy: Energy
        if kind == "felan":
            self.energy = Composite(every, layers(every.size, 9))
        elif kind == "delan":
            self.energy = Potential(every, layers(12 + every.size, 1))
        else:
            self.energy = Moments()
        entries = [entry for part in self.parts for entry in part.entries]
        for name, values in _transposed(entries, BASE + robot.n).items():
            self.register_buffer(f"entry_{name}", values, persistent=False)
        rows = range(BASE if self.energy.own_base else 0, BASE + robot.n)
        for name, first in (("linear", 0), ("angular", 3)):
            places = _places(entries, rows, range(first, first + 3))
            self.register_buffer(f"{name}_at", places, persistent=False)

    def begin_with(self, scales: Scales, weights: tuple[float, float] = (0.0, 0.0)) -> None:
        """Take over usual sizes.

        Args:
            scales: of the data.
            weights: with which mass and inertia of a `felan` count in training where they fall
                short of what joints take of them.
        """
        self.get_buffer("usual").copy_(scales.inertia)
        self.energy.begin_with(scales, weights)

    def forward(self, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
        """Generalised forces, (..., 6 + n), of q (..., 7 + n), qd and qdd (..., 6 + n)."""
        return self.judged(q, qd, qdd)[0]

    def judged(self, q: Tensor, qd: Tensor, qdd: Tensor) -> tuple[Tensor, Tensor]:
        """Forces, and what a training loss counts on top of their errors, shape (...)."""
        found, short = self._force(self._state(q, qd, qdd))
        return found.mT.reshape(qd.shape), short.reshape(qd.shape[:-1])

    def terms(self, q: Tensor, qd: Tensor, qdd: Tensor) -> LagrangianTerms:
        """The force in parts, (..., 6 + n) each: H ν̇, what velocities do, what gravity does."""
        state = self._state(q, qd, qdd)
        none = torch.zeros_like(state.nu)
        gravity, _ = self._force(state._replace(nu=none, rate=none))
        inertial, _ = self._force(state._replace(nu=none))
        moving, _ = self._force(state._replace(rate=none))
        found = inertial - gravity, moving - gravity, gravity
        return LagrangianTerms(*(part.mT.reshape(qd.shape) for part in found))

    def inertia(self, q: Tensor) -> Inertia:
        """Mass matrix, mass and first moment of configurations (..., 7 + n)."""
        angle, shape, size = _samples_last(q)[7:], q.shape[:-1], BASE + self.n
        given = zip(self.parts, self.seen, self.networks, strict=True)
        raw = [network(seen.of(angle[list(part.joints)])) for part, seen, network in given]
        entries, _ = factor(torch.cat(raw), self._triangle)
        C = entries.new_zeros(size, size, entries.shape[-1])
        C[self._triangle.rows, self._triangle.columns] = entries
        H = torch.einsum("ikb,jkb->ijb", C, C) + torch.diag(self._floor[:, 0])[:, :, None]
        mass, h, rotational = self.energy.inertia(self._columns(entries), angle)
        if rotational is not None:
            H[:3, :3], H[3:6, 3:6] = mass * unit(H), rotational
            H[3:6, :3] = skew(h)
            H[:3, 3:6] = skew(h).transpose(0, 1)
        H = H.permute(2, 0, 1).reshape(*shape, size, size)
        return Inertia(H, mass.reshape(shape), h.mT.reshape(*shape, 3))

    def _force(self, state: State) -> tuple[Tensor, Tensor]:
        """Forces, (6 + n, B), and by how much the inertia falls short of being physical, (B,)."""
        triangle, twist = self._triangle, state.nu[:BASE]
        passed = self._passed(state.q, state.nu[BASE:])
        raw, along = (torch.cat(part) for part in zip(*((p[0], p[1]) for p in passed), strict=True))
        found, by_raw = forces(raw, along, state.nu, state.rate, triangle)
        entries, slopes = factor(raw, triangle)
        w = (triangle.in_column @ (entries * state.nu[triangle.rows]))[triangle.columns]
        momentum = (triangle.in_row @ (entries * w))[:BASE] + self._floor[:BASE] * twist
        added = self.energy.added(self._columns(entries), self._columns(slopes * along), state)
        if added.by_columns is not None:
            by_raw = by_raw + slopes * self._at_entries(added.by_columns, len(entries))
        v, omega = twist.split(3)
        p_v, p_w = (momentum + added.momentum).split(3)
        turning = torch.cat([cross(omega, p_v), cross(v, p_v) + cross(omega, p_w)])
        joints = self._back(state.q, by_raw, passed) + added.joints
        found = found + self._floor * state.rate + torch.cat([added.wrench + turning, joints])
        return found, added.short

    def _back(self, q: Tensor, by_raw: Tensor, passed: Sequence[Passed]) -> Tensor:
        """With respect to joints, (n, B), of a gradient with respect to what networks give."""
        found = torch.zeros_like(q)
        sizes = [len(part.entries) for part in self.parts]
        given = zip(self.parts, self.seen, self._layers, passed, by_raw.split(sizes), strict=True)
        for part, seen, network, own, gradient in given:
            places = torch.tensor(part.joints)
            found = found.index_add(0, places, seen.back(q[places], network.back(gradient, own)))
        return found

    def _passed(self, q: Tensor, qd: Tensor) -> list[Passed]:
        """Every network of entries with its derivative along q̇."""
        found = []
        for part, seen, network in zip(self.parts, self.seen, self._layers, strict=True):
            own, rate = q[list(part.joints)], qd[list(part.joints)]
            found.append(network.passed(seen.of(own), seen.along(own, rate)))
        return found

    def _columns(self, entries: Tensor) -> Columns:
        """Of the base; zero where there is no entry."""
        wide = torch.cat([entries, torch.zeros_like(entries[:1])])
        return Columns(wide[self.get_buffer("linear_at")], wide[self.get_buffer("angular_at")])

    def _at_entries(self, columns: Columns, count: int) -> Tensor:
        """A gradient with respect to columns, at the entries, (count, B)."""
        found = columns.linear.new_zeros(count + 1, columns.linear.shape[-1])  # one for no entry
        for name, values in zip(("linear_at", "angular_at"), columns, strict=True):
            found = found.index_add(0, self.get_buffer(name).flatten(), values.flatten(0, 1))
        return found[:count]

    @property
    def _layers(self) -> list[Layers]:
        return cast("list[Layers]", list(self.networks))

    @property
    def _floor(self) -> Tensor:
        """On the diagonal of H, shape (6 + n, 1): a factor with a long side has next to nothing."""
        floor = FLOOR * self.get_buffer("usual")[:, None]
        if self.energy.own_base:  # which is never next to nothing
            floor = torch.cat([torch.zeros_like(floor[:BASE]), floor[BASE:]])
        return floor

    def _state(self, q: Tensor, qd: Tensor, qdd: Tensor) -> State:
        place, nu, rate = (_samples_last(x) for x in (q, qd, qdd))
        return State(place[7:], nu, rate, pose_of(place), self.get_buffer("gravity"))

    @property
    def _triangle(self) -> Triangle:
        """Scaled by the root of the usual inertia of each column of L."""
        given = {
            name: self.get_buffer(f"entry_{name}") for name in Triangle._fields if name != "scale"
        }
        return Triangle(**given, scale=self.get_buffer("usual").sqrt()[given["rows"], None])


def networks_of(robot: RobotTree, kind: Kind) -> list[Network]:
    """Networks of the entries of the factor."""
    match kind:
        case "felan":
            return branched(robot)
        case "felan-bs":
            return [of_base(robot), *branched(robot)]
        case _:
            return [dense(robot)]


def _transposed(entries: Sequence[tuple[int, int]], size: int) -> dict[str, Tensor]:
    """Where entries (row, column) of L stand in C = Lᵀ; see `Triangle`."""
    columns, rows = (torch.tensor(part) for part in zip(*entries, strict=True))
    return {
        "rows": rows,
        "columns": columns,
        "diagonal": (rows == columns).nonzero()[:, 0],
        "in_row": functional.one_hot(rows, size).mT.double(),
        "in_column": functional.one_hot(columns, size).mT.double(),
    }


def _places(entries: Sequence[tuple[int, int]], rows: range, columns: range) -> Tensor:
    """Numbers of entries at rows and columns; where there is none, that after the last."""
    place = {entry: number for number, entry in enumerate(entries)}
    found = [[place.get((row, column), len(entries)) for column in columns] for row in rows]
    return torch.tensor(found)


def _samples_last(values: Tensor) -> Tensor:
    """(..., n) as (n, B)."""
    return values.reshape(-1, values.shape[-1]).mT.contiguous()
