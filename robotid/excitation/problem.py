"""The design of one trajectory as an optimisation problem.

Unknowns are the free numbers x of the Fourier series (`space`). Position, velocity, acceleration
and jerk are linear in x; they are held at samples so far inside their limits that they keep to them
at all times (`signals.fourier.grid_factor`). Torques of the nominal model and clearances are
functions of the state at the samples. A ramp from rest to rest is a straight line in the space of
the joints: clearances are kept on the way from home, too.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.excitation.clearance import Clearances
from robotid.excitation.criteria import about, goal
from robotid.excitation.information import MotionInformation
from robotid.excitation.interior_point import Block, CurvedValues, Functions
from robotid.excitation.limits import Limits
from robotid.excitation.options import CriterionName
from robotid.excitation.regressor_adjoint import RegressorAdjoint
from robotid.excitation.space import Space
from robotid.excitation.target import Target
from robotid.robot.tree import RobotTree
from robotid.signals.fourier import grid_factor

Array = NDArray[np.float64]

SAMPLES_PER_HARMONIC = 24  # of criterion, torque and clearance
LEAST_SAMPLES = 120
LIMIT_SAMPLES = 32  # per harmonic: limits of a joint then lose half a percent
CLEARANCE_SPARE = 0.002  # distance kept for what happens between samples [m]
_TORQUE_SPARE = 0.01  # the same of torques, as a share of the limit
_WAY = np.linspace(0.0, 1.0, 41)[1:-1, None]  # shares of the way from home to the start


class Recipe(NamedTuple):
    """What problems of a campaign share; plain data, which can be sent to other processes.

    Args:
        robot: with its nominal parameters.
        limits: of its joints.
        space: of trajectories.
        target: what is to be found out.
        noise: standard deviation of the torque, shape (n,).
        weight: independent samples of torque in one run of the series.
        criterion: what to improve.
        clearances: distances to keep; None for none.
        samples: per period.
        free_centre: whether the joints may swing about any position.
        home: where ramps come from, shape (n,); None for none.
    """

    robot: RobotTree
    limits: Limits
    space: Space
    target: Target
    noise: Array
    weight: float
    criterion: CriterionName
    clearances: Clearances | None
    samples: int
    free_centre: bool = True
    home: Array | None = None


class Problem:
    """A trajectory to be designed."""

    def __init__(self, recipe: Recipe, given: Array) -> None:
        """Prepare for trajectories.

        Args:
            recipe: what to do.
            given: information there is already, in scaled parameters, shape (b, b).
        """
        self.recipe, self.given = recipe, given
        self.robot, self.limits, self.space = recipe.robot, recipe.limits, recipe.space
        self.clearances = recipe.clearances
        samples = recipe.samples
        self._regressor = RegressorAdjoint(recipe.robot, samples)
        self._maps = recipe.space.maps(samples)
        each = recipe.weight / samples
        self._information = MotionInformation(
            recipe.target, recipe.noise, each, samples, self._regressor
        )
        driven = self.robot.driven
        self._rotor = np.array([joint.rotor_inertia for joint in driven])
        self._damping = np.array([joint.damping for joint in driven])
        friction = np.array([abs(joint.friction) for joint in driven])
        self.bounded = np.flatnonzero(np.isfinite(self.limits.torque))
        self.torque_room = (self.limits.torque - friction)[self.bounded]
        self._spare = self._spares()
        self._x: Array | None = None

    def _spares(self) -> Array:
        """What distances keep at samples and on the way from home, (all of these, P) [m].

        Home itself may be nearer to something than a search would go.
        """
        if self.clearances is None:
            return np.zeros((0, 0))
        spare = np.full((self.recipe.samples, len(self.clearances.names)), CLEARANCE_SPARE)
        home = self.recipe.home
        if home is None:
            return spare
        there = np.minimum(CLEARANCE_SPARE, 0.5 * self.clearances.at(home[None])[0])
        return np.vstack([spare, np.tile(there, (len(_WAY), 1))])

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
        curved = bool(self.bounded.size or self.clearances)
        return Functions(
            objective=self.objective,
            curved=self.curved_values if curved else None,
            jacobian=self.curved_jacobian if curved else None,
            blocks=self.blocks,
        )

    def _moved(self, x: Array) -> tuple[Array, Array]:
        """Motion and regressor of the links at x; the last ones are kept."""
        if self._x is None or not np.array_equal(x, self._x):
            self._motion = self._maps.motion(x)
            self._Y = self._regressor.regressor(*self._motion)
            self._x = x.copy()
        return self._motion, self._Y

    def information(self, x: Array) -> Array:
        """In scaled parameters, with what was given, shape (b, b)."""
        return self.given + self._information.of_regressor(*self._moved(x))

    def objective(self, x: Array, sharpness: float = np.inf) -> tuple[float, Array]:
        """Criterion and its gradient with respect to x.

        Args:
            x: shape (size,).
            sharpness: what largest eigenvalues are smoothed by less and less.
        """
        A = self.information(x)
        reduced = about(A, self.recipe.target.wanted)
        found = goal(self.recipe.criterion, reduced.A, np.sqrt(sharpness))
        motion = self._information.gradient(reduced.gradient(found.gradient))
        return found.value, self._maps.pulled_back(motion)

    def value(self, x: Array) -> float:
        """The criterion itself."""
        return goal(
            self.recipe.criterion, about(self.information(x), self.recipe.target.wanted).A
        ).value

    def _torque_shares(self, x: Array) -> Array:
        """Torques of the nominal model in units of what there is room for, (samples, bounded)."""
        motion, _ = self._moved(x)
        torques = self._regressor.torques(self.robot.phi, self._rotor)
        torques += self._damping * motion[1]
        result: Array = torques[:, self.bounded] / (self.torque_room * (1.0 - _TORQUE_SPARE))
        return result

    def _places(self, x: Array) -> Array:
        """Postures that keep distances: those of the series and of the way to it."""
        q, home = self._moved(x)[0][0], self.recipe.home
        return q if home is None else np.vstack([q, home + _WAY * (q[0] - home)])

    def curved_values(self, x: Array) -> CurvedValues:
        """Torques as shares of their limits, and clearances [m]."""
        shares, apart = np.zeros(0), np.zeros(0)
        if self.bounded.size:
            shares = self._torque_shares(x).ravel()
        if self.clearances:
            apart = (self.clearances.at(self._places(x)) - self._spare).ravel()
        return CurvedValues(shares, apart)

    def curved_jacobian(self, x: Array) -> Array:
        """Of the curved values, one row each."""
        self._moved(x)
        rows = []
        if self.bounded.size:
            slopes = self._regressor.torque_gradients(self.robot.phi, self._rotor)
            joints = np.arange(self.robot.n)
            slopes[:, joints, 1, joints] += self._damping
            room = self.torque_room * (1.0 - _TORQUE_SPARE)
            rows.append(self._maps.rows(slopes[:, self.bounded] / room[:, None, None]))
        if self.clearances:
            _, gradients = self.clearances.with_gradients(self._places(x))
            series, way = np.split(gradients, [self.recipe.samples])
            rows.append(self._maps.rows(series[:, :, None, :]))
            if len(way):
                rows.append(self._maps.start_rows(_WAY[:, :, None] * way))
        return np.vstack(rows)

    def worst(self, x: Array) -> tuple[str, float]:
        """The curved constraint that is broken most at a point, in words, and by how much."""
        found: list[tuple[str, float]] = []
        if self.bounded.size:
            shares = np.abs(self._torque_shares(x)).max(0)
            found += [
                (f"the torque limit of {self.limits.joints[i]} by {100 * (share - 1):.3g} %", share)
                for i, share in zip(self.bounded, shares, strict=True)
            ]
        if self.clearances:
            least = (self.clearances.at(self._places(x)) - self._spare).min(0)
            found += [
                (f"{name} by {-1000 * value:.3g} mm", 1.0 - value)
                for name, value in zip(self.clearances.names, least, strict=True)
            ]
        return max(found, key=lambda item: item[1])


def samples_for(space_degree: int, wanted: int) -> int:
    """How many samples per period criterion and torque are computed at."""
    return wanted or max(LEAST_SAMPLES, SAMPLES_PER_HARMONIC * space_degree)
