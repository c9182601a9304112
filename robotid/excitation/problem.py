"""The design of one trajectory as an optimisation problem.

Unknowns are the free numbers x of the Fourier series (`space`). Position, velocity, acceleration
and jerk are linear in x; they are held at samples so far inside their limits that they keep to them
at all times (`signals.fourier.grid_factor`). Torques of the nominal model and clearances are
functions of the state at the samples.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from robotid.excitation.clearance import Clearances
from robotid.excitation.criteria import about, goal
from robotid.excitation.information import MotionInformation
from robotid.excitation.interior_point import Block, Curved, Functions
from robotid.excitation.limits import Limits
from robotid.excitation.options import CriterionName
from robotid.excitation.regressor_adjoint import RegressorAdjoint
from robotid.excitation.space import Space
from robotid.excitation.unknowns import Unknowns
from robotid.robot.tree import RobotTree
from robotid.signals.fourier import grid_factor

Array = NDArray[np.float64]

SAMPLES_PER_HARMONIC = 24  # of criterion, torque and clearance
LEAST_SAMPLES = 120
LIMIT_SAMPLES = 32  # per harmonic: limits of a joint then lose half a percent
_TORQUE_SPARE = 0.01  # share of the limit kept for what happens between samples
_CLEARANCE_SPARE = 0.002  # the same for distances [m]


@dataclass(eq=False)
class Problem:
    """A trajectory to be designed.

    Args:
        robot: with its nominal parameters.
        limits: of its joints.
        space: of trajectories.
        unknowns: what is to be found out.
        noise: standard deviation of the torque, shape (n,).
        weight: independent samples of torque in one run of the series.
        criterion: what to improve.
        given: information there is already, in scaled parameters, shape (b, b).
        clearances: distances to keep; None for none.
        samples: per period.
        free_centre: whether the joints may swing about any position.
    """

    robot: RobotTree
    limits: Limits
    space: Space
    unknowns: Unknowns
    noise: Array
    weight: float
    criterion: CriterionName
    given: Array
    clearances: Clearances | None
    samples: int
    free_centre: bool = True

    def __post_init__(self) -> None:
        self._regressor = RegressorAdjoint(self.robot, self.samples)
        self._maps = self.space.maps(self.samples)
        each = self.weight / self.samples
        self._information = MotionInformation(
            self.unknowns, self.noise, each, self.samples, self._regressor
        )
        driven = self.robot.driven
        self._rotor = np.array([joint.rotor_inertia for joint in driven])
        self._damping = np.array([joint.damping for joint in driven])
        friction = np.array([abs(joint.friction) for joint in driven])
        self._bounded = np.flatnonzero(np.isfinite(self.limits.torque))
        self.torque_room = (self.limits.torque - friction)[self._bounded]

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Limits of each joint that are linear in x, in units of the limits."""
        result = []
        joints = zip(self.space.joints, self.space.parts, strict=True)
        for i, (joint, part) in enumerate(joints):
            samples = LIMIT_SAMPLES * joint.degree
            inside = grid_factor(joint.degree, samples)
            R, r = [], []
            for order in range(4):
                limit = self.limits.derivative(order)[i]
                if np.isfinite(limit):
                    basis = joint.basis(order, samples) / limit
                    middle = self.limits.middle[i] / limit if order == 0 else 0.0
                    R.append(basis @ joint.Z)
                    r.append(basis @ joint.origin - middle)
            rows = np.vstack(R)
            result.append(Block(part, rows, np.concatenate(r), np.full(len(rows), inside)))
        return tuple(result)

    def functions(self) -> Functions:
        """The problem as the optimiser sees it."""
        curved = bool(self._bounded.size or self.clearances)
        return Functions(
            objective=self.objective,
            curved=self.curved if curved else None,
            curved_values=self.curved_values if curved else None,
            blocks=self.blocks,
        )

    def information(self, x: Array) -> Array:
        """In scaled parameters, with what was given, shape (b, b)."""
        return self.given + self._information.of(self._maps.motion(x))

    def objective(self, x: Array, sharpness: float = np.inf) -> tuple[float, Array]:
        """Criterion and its gradient with respect to x.

        Args:
            x: shape (size,).
            sharpness: what largest eigenvalues are smoothed by less and less.
        """
        A = self.information(x)
        reduced = about(A, self.unknowns.wanted)
        found = goal(self.criterion, reduced.A, np.sqrt(sharpness))
        motion = self._information.gradient(reduced.gradient(found.gradient))
        return found.value, self._maps.pulled_back(motion)

    def value(self, x: Array) -> float:
        """The criterion itself."""
        return goal(self.criterion, about(self.information(x), self.unknowns.wanted).A).value

    def torques(self, motion: Array, regressor: RegressorAdjoint | None = None) -> Array:
        """Torques of the nominal model without Coulomb friction, shape (samples, n)."""
        kernel = regressor or self._regressor
        kernel.regressor(*motion)
        rigid = kernel.torques(self.robot.phi, self._rotor)
        result: Array = rigid + self._damping * motion[1]
        return result

    def curved_values(self, x: Array) -> Array:
        """Torque limits (in units of what there is room for) and clearances [m], flat."""
        motion = self._maps.motion(x)
        parts = []
        if self._bounded.size:
            share = self.torques(motion)[:, self._bounded] / self.torque_room
            parts += [1.0 - _TORQUE_SPARE - share, 1.0 - _TORQUE_SPARE + share]
        if self.clearances:
            parts.append(self.clearances.at(motion[0]) - _CLEARANCE_SPARE)
        return np.concatenate([part.ravel() for part in parts])

    def curved(self, x: Array) -> Curved:
        """The same with the Jacobian."""
        motion = self._maps.motion(x)
        values, rows = [], []
        if self._bounded.size:
            share = self.torques(motion)[:, self._bounded] / self.torque_room
            slopes = self._regressor.torque_gradients(self.robot.phi, self._rotor)
            joints = np.arange(self.robot.n)
            slopes[:, joints, 1, joints] += self._damping
            J = self._maps.rows(slopes[:, self._bounded] / self.torque_room[:, None, None])
            values += [1.0 - _TORQUE_SPARE - share, 1.0 - _TORQUE_SPARE + share]
            rows += [-J, J]
        if self.clearances:
            distances, gradients = self.clearances.with_gradients(motion[0])
            values.append(distances - _CLEARANCE_SPARE)
            rows.append(self._maps.rows(gradients[:, :, None, :]))
        return Curved(np.concatenate([v.ravel() for v in values]), np.vstack(rows))

    def worst(self, x: Array) -> tuple[str, float]:
        """The curved constraint that is broken most at a point, in words, and by how much."""
        motion = self._maps.motion(x)
        found: list[tuple[str, float]] = []
        if self._bounded.size:
            torque = np.abs(self.torques(motion)[:, self._bounded]).max(0)
            for i, reached, room in zip(self._bounded, torque, self.torque_room, strict=True):
                name = self.limits.joints[i]
                found.append((f"torque of {name}: {reached:.3g} of {room:.3g}", reached - room))
        if self.clearances:
            least = self.clearances.at(motion[0]).min(0)
            found += [
                (f"{name}: {1000 * -value:.3g} mm too near", -value)
                for name, value in zip(self.clearances.names, least, strict=True)
            ]
        return max(found, key=lambda item: item[1])


def samples_for(space_degree: int, wanted: int) -> int:
    """How many samples per period criterion and torque are computed at."""
    return wanted or max(LEAST_SAMPLES, SAMPLES_PER_HARMONIC * space_degree)


def inside(blocks: Sequence[Block], x: Array) -> float:
    """How far inside all linear limits x is, as a share of them; negative outside."""
    return min(
        float((block.bound - np.abs(block.R @ x[block.part] + block.r)).min()) for block in blocks
    )
