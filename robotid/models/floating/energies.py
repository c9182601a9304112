"""What a floating robot's energy has beside the factor of its mass matrix: three kinds.

Each says which wrench and momentum of the base it adds, what it does to joints through networks of
its own, and how it depends on the columns of the factor that belong to the base. Samples are along
the last axis.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from robotid.models.floating import composite as whole
from robotid.models.floating.layers import Circles, Layers
from robotid.models.floating.potential import Pose, moments, of_moments, of_pose, weight

_ROOT = ((0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2))  # entries of L in Σ = Lᵀ L
_DIAGONAL = [0, 2, 5]  # of these
_LEAST = 1e-2  # on the diagonal, in units of its scale


class State(NamedTuple):
    """A motion, samples last.

    Args:
        q: positions of joints, shape (n, B).
        nu: twist of the base and velocities of joints, shape (6 + n, B).
        rate: of these, shape (6 + n, B).
        pose: of the base.
        gravity: in the world, shape (3,).
    """

    q: Tensor
    nu: Tensor
    rate: Tensor
    pose: Pose
    gravity: Tensor

    @property
    def down(self) -> Tensor:
        """Gravity in base coordinates, shape (3, B)."""
        return self.pose.in_base(self.gravity)

    @property
    def raised(self) -> Tensor:
        """What the potential gains with mass, −gᵀ r, shape (B,) [J/kg]."""
        return -(self.gravity @ self.pose.position)


class Columns(NamedTuple):
    """Columns of the factor, or their rates, or a gradient: of translation and of rotation.

    Rows by rows, (rows, 3, B) each: those of joints, or of base and joints.
    """

    linear: Tensor
    angular: Tensor


class Added(NamedTuple):
    """What an energy adds.

    Args:
        wrench: on the base, shape (6, B).
        momentum: of the base, shape (6, B).
        joints: forces of joints through networks of its own, shape (n, B).
        by_columns: its gradient with respect to the columns; None where it does not depend on them.
        short: by how much it falls short of being physical, shape (B,).
    """

    wrench: Tensor
    momentum: Tensor
    joints: Tensor
    by_columns: Columns | None
    short: Tensor


class BaseInertia(NamedTuple):
    """Mass, shape (B,); first moment, (3, B); inertia, (3, 3, B), or None as the factor has it."""

    mass: Tensor
    h: Tensor
    rotational: Tensor | None


class Scales(NamedTuple):
    """Usual sizes in the data.

    Args:
        inertia: force over acceleration, shape (6 + n,); alike for translations, for rotations.
        mass: of the robot, by the force that carries it [kg].
        lever: moment over the acceleration that a base feels: first moments vary by it [kg m].
        position: mean and spread of the base's position, shape (2, 3) [m].
        energy: of the potential [J].
    """

    inertia: Tensor
    mass: Tensor
    lever: Tensor
    position: Tensor
    energy: Tensor


class Energy(nn.Module, ABC):
    """What is added to the factor."""

    own_base = False  # whether the inertia about the base is its own, not that of the factor

    def begin_with(self, scales: Scales, weights: tuple[float, float]) -> None:
        """Take over usual sizes, and weights of what falls short; by default none."""

    @abstractmethod
    def added(self, columns: Columns, rates: Columns, state: State) -> Added:
        """What it adds in a motion."""

    def inertia(self, columns: Columns, q: Tensor) -> BaseInertia:  # noqa: ARG002 - of others
        """The inertia about the base at positions (n, B); by default as the factor has it."""
        return BaseInertia(*moments(*columns), None)


class Moments(Energy):
    """Gravity by mass and first moment, which are those of the factor."""

    def added(self, columns: Columns, _: Columns, state: State) -> Added:
        """Of gravity alone."""
        mass, h = moments(*columns)
        none = torch.zeros_like(state.nu[:6])
        return Added(
            weight(mass, h, state.down),
            none,
            torch.zeros_like(state.q),
            Columns(*of_moments(*columns, state.raised, -state.down)),
            none[0],
        )


class Potential(Energy):
    """A potential with a network of its own, of the whole configuration.

    Args:
        seen: what it sees of joints.
        network: of position, rotation and joints.
    """

    def __init__(self, seen: Circles, network: Layers) -> None:
        super().__init__()
        self.seen, self.network = seen, network
        position = torch.tensor([[0.0], [1.0]], dtype=torch.float64).repeat(1, 3)
        self.register_buffer("position", position)
        self.register_buffer("energy", torch.ones((), dtype=torch.float64))

    def begin_with(self, scales: Scales, _: tuple[float, float]) -> None:
        """Take over usual positions and energies."""
        self.get_buffer("position").copy_(scales.position)
        self.get_buffer("energy").copy_(scales.energy)

    def inputs(self, pose: Pose, q: Tensor) -> Tensor:
        """Of the network, (in, B)."""
        mean, spread = self.get_buffer("position")[:, :, None]
        normal = (pose.position - mean) / spread
        return torch.cat([normal, pose.rotation.flatten(0, 1), self.seen.of(q)])

    def added(self, _: Columns, __: Columns, state: State) -> Added:
        """Its gradient."""
        inputs = self.inputs(state.pose, state.q)
        passed = self.network.passed(inputs, torch.zeros_like(inputs))
        one = self.get_buffer("energy").expand(1, inputs.shape[-1])
        by = self.network.back(one, passed)
        spread = self.get_buffer("position")[1, :, None]
        none = torch.zeros_like(state.nu[:6])
        return Added(
            of_pose(state.pose, by[:3] / spread, by[3:12].reshape(3, 3, -1)),
            none,
            self.seen.back(state.q, by[12:]),
            None,
            none[0],
        )


class Composite(Energy):
    """An inertia about the base that some rigid body could have, and gravity by it (`composite`).

    Args:
        seen: what it sees of joints.
        network: of joints, for first moment and Σ.
    """

    own_base = True

    def __init__(self, seen: Circles, network: Layers) -> None:
        super().__init__()
        self.seen, self.network = seen, network
        self._weights = (0.0, 0.0)
        self.soft = whole.SOFT
        self.mass_root = nn.Parameter(torch.ones((), dtype=torch.float64))
        # Usual ones of the base: along [kg], and about [kg m²].
        self.register_buffer("inertias", torch.ones(2, dtype=torch.float64))
        self.register_buffer("lever", torch.ones((), dtype=torch.float64))

    def begin_with(self, scales: Scales, weights: tuple[float, float]) -> None:
        """Take over mass and inertias; with which weights m and D count where they fall short."""
        self._weights = weights
        self.get_buffer("inertias").copy_(scales.inertia[[0, 3]])
        self.get_buffer("lever").copy_(scales.lever)
        with torch.no_grad():
            self.mass_root.copy_(scales.mass.sqrt())

    def added(self, columns: Columns, rates: Columns, state: State) -> Added:
        """What is left for the base once joints have taken theirs."""
        rate = state.nu[6:]
        passed = self.network.passed(self.seen.of(state.q), self.seen.along(state.q, rate))
        slopes = self._slopes(passed.result)
        own = self._composite(columns, passed.result)
        moving = whole.Parts(*rates, *self._split(slopes * passed.along))
        twist, still = state.nu[:6], whole.Parts(*(torch.zeros_like(part) for part in moving))
        by = whole.gradient(own, twist, state.raised, state.down)
        back = self.network.back(slopes * self._joined(by), passed)
        force = whole.force(own, moving, twist, state.rate[:6])
        return Added(
            force + weight(own.mass, own.parts.h, state.down),
            whole.force(own, still, torch.zeros_like(twist), twist),
            self.seen.back(state.q, back),
            Columns(by.K, by.W),
            self._short(own),
        )

    def inertia(self, columns: Columns, q: Tensor) -> BaseInertia:
        """Its own."""
        own = self._composite(columns, self.network(self.seen.of(q)))
        return BaseInertia(own.mass, own.parts.h, own.rotational)

    def _composite(self, columns: Columns, raw: Tensor) -> whole.Composite:
        mass, inertia = self.get_buffer("inertias")
        diagonal = 3 + torch.tensor(_DIAGONAL)
        positive = functional.softplus(raw[diagonal]) + _LEAST
        values = self._scale * raw.index_copy(0, diagonal, positive)
        parts = whole.Parts(*columns, *self._split(values))
        return whole.composite(self.mass_root**2, parts, self.soft * mass, self.soft * inertia)

    def _short(self, own: whole.Composite) -> Tensor:
        """w_U Σ softplus(λ_i(E) − m) + w_D softplus(−λ_min D)², in units of usual inertias."""
        mass, inertia = self.get_buffer("inertias")
        above = functional.softplus((own.eigen_e.values - self.mass_root**2) / mass)
        below = functional.softplus(-own.eigen_d.values[0] / inertia)
        return self._weights[0] * above.sum(0) + self._weights[1] * below**2

    @property
    def _scale(self) -> Tensor:
        """Of what the network gives, shape (9, 1): first moment, then entries of L."""
        of_h, of_root = self.get_buffer("lever"), self.get_buffer("inertias")[1].sqrt()
        return torch.cat([of_h.expand(3), of_root.expand(6)])[:, None]

    def _slopes(self, raw: Tensor) -> Tensor:
        """Of what results are used as, over results, (9, B)."""
        diagonal = 3 + torch.tensor(_DIAGONAL)
        ones = torch.ones_like(raw)
        return self._scale * ones.index_copy(0, diagonal, torch.sigmoid(raw[diagonal]))

    def _split(self, values: Tensor) -> tuple[Tensor, Tensor]:
        """First moment, (3, B), and L, (3, 3, B), of nine values."""
        zero = torch.zeros_like(values[0])
        entry = {place: values[3 + number] for number, place in enumerate(_ROOT)}
        rows = [torch.stack([entry.get((i, j), zero) for j in range(3)]) for i in range(3)]
        return values[:3], torch.stack(rows)

    def _joined(self, by: whole.Parts) -> Tensor:
        """The nine of a gradient that are values of the network, (9, B)."""
        rows, columns = zip(*_ROOT, strict=True)
        return torch.cat([by.h, by.root[list(rows), list(columns)]])
