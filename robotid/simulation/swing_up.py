"""Swinging a pendulum up by energy shaping, again and again (Åström, Furuta 2000).

Three phases: `PUMP` energy until it is upright, `BALANCE` it for a while, `DRAIN` the energy again.
What is chosen is the acceleration of the driven joint; the nominal model says which torque that
takes. It comes back to its middle softly, and brakes in time before the end of its range.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.robot.tree import RobotTree
from robotid.simulation.driven_pendulum import DrivenPendulum, driven_pendulum
from robotid.simulation.engine import Engine, make_engine
from robotid.simulation.options import SimulationOptions
from robotid.simulation.robots import reach

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
PUMP, BALANCE, DRAIN = range(3)

_TILT = 0.1  # rad: how far from hanging it may start
_APART = 0.1  # of the range: how far from its middle the drive may start
_CATCH = 0.5  # rad from upright at which balancing begins
_LOST = 0.8  # rad from upright at which it has failed
_SLOW = 1.0  # of the frequency of small swings: speed at upright at which it can be caught
_TARGET = 1.1  # energy to arrive with: a little more than upright takes, for what friction takes
_STEEP = 6.0  # of the push over what is missing of the energy, and over the speed of the pendulum
_HOLD_S = 2.0  # how long it balances
_DRAINED = -0.7  # energy at which it is pumped again, in units of the weight
_POLES = 0.8  # of balancing, in units of the frequency of small swings
# The same of the spring to the middle. Where friction eats what pumping gives, swings settle just
# below upright; another spring, after a while, changes their rhythm.
_RETURNS, _PATIENCE_S = np.array([0.35, 0.2, 0.3, 0.5]), 3.0
_EFFORT = 0.95  # share of the effort that pumping may take
_BRAKING = 0.7  # the same of braking; the rest is for what the model does not know
_BRAKE = 0.9  # share of the range outside of which it must not come to rest


class SwingUp(NamedTuple):
    """What a recording begins with: positions at rest, shape (n,)."""

    start: Array


def hanging_down(robot: RobotTree, random: np.random.Generator) -> SwingUp:
    """Hanging at rest, a little beside it, the drive near its middle."""
    pendulum = driven_pendulum(robot)
    lower, half, _ = reach(robot)
    start = lower + half
    apart, tilt = random.uniform(-1, 1, 2)
    start[pendulum.drive] += _APART * apart * half[pendulum.drive]
    start[pendulum.pivot] = pendulum.hanging + _TILT * tilt
    return SwingUp(start)


class SwingUpController:
    """Torques of the drive, from positions and velocities of shape (recordings, n).

    Args:
        nominal: what is known of the robot.
        options: the configuration.
        rotor_inertia: of the nominal robot, shape (n,) [kg m²].
        starts: positions of each recording at rest, shape (recordings, n).
    """

    def __init__(
        self,
        nominal: RobotTree,
        options: SimulationOptions,
        rotor_inertia: Array,
        starts: Array,
    ) -> None:
        self.pendulum = driven_pendulum(nominal)
        drive, frequency = self.pendulum.drive, self.pendulum.frequency
        lower, half, fastest = reach(nominal)
        self.start, self.fastest = starts, fastest
        self.kp = self.kd = np.zeros(nominal.n)
        self._engine = make_engine(options.engine, nominal, rotor_inertia)
        resisted = options.friction != "none"
        self._damping = nominal.driven[drive].damping if resisted else 0.0
        # Energy that the pivot loses on its way up, per rad.
        damped = nominal.driven[self.pendulum.pivot].damping if resisted else 0.0
        self._lost = damped * frequency / self.pendulum.weight
        self._middle = float(lower[drive] + half[drive])
        self._room = _BRAKE * float(half[drive])
        # In steady pumping at ω, an acceleration a means a way of a/ω².
        self._pump = self._room * frequency**2
        self.limit = nominal.bound("effort")
        if not np.isfinite(self.limit[drive]):
            gain = _Affine.of(self._engine, starts, 0 * starts, drive).gain.min()
            self.limit[drive] = 2 * self._pump / gain
        self._gains = _balancing(self.pendulum)
        self._phase = np.full(len(starts), PUMP)
        self._since = np.zeros(len(starts), dtype=np.int64)
        self._step = 0
        self._hold, self._patience = (
            max(1, round(time * options.control_hz)) for time in (_HOLD_S, _PATIENCE_S)
        )

    def torque(self, step: int, q: Array, qd: Array) -> Array:
        """The torque held during a step, shape (recordings, n)."""
        drive = self.pendulum.drive
        nominal = _Affine.of(self._engine, q, qd, drive)
        self._step = step
        self._change_phase(q, qd)
        x, xd = q[:, drive] - self._middle, qd[:, drive]
        resisted = self._damping * xd
        most, brake = (
            np.maximum(share * self.limit[drive] - np.abs(resisted), 0.0) * nominal.gain
            for share in (_EFFORT, _BRAKING)
        )
        balanced = self._phase == BALANCE
        wanted = np.where(
            balanced,
            self._balanced(x, xd, q, qd),
            self._pumped(x, xd, q, qd, nominal, np.minimum(self._pump, most)),
        )
        wanted = self._inside(x, xd, wanted, brake)
        tau = np.zeros_like(q)
        limit = self.limit[drive]
        tau[:, drive] = np.clip((wanted - nominal.free) / nominal.gain + resisted, -limit, limit)
        return tau

    def _change_phase(self, q: Array, qd: Array) -> None:
        pendulum = self.pendulum
        away = np.abs(pendulum.from_upright(q))
        speed = np.abs(qd[:, pendulum.pivot])
        caught = (away < _CATCH) & (speed < _SLOW * pendulum.frequency)
        held = self._step - self._since > self._hold
        phase = self._phase.copy()
        phase[(self._phase == PUMP) & caught] = BALANCE
        phase[(self._phase == BALANCE) & (away > _LOST)] = PUMP
        phase[(self._phase == BALANCE) & held] = DRAIN
        phase[(self._phase == DRAIN) & (pendulum.energy(q, qd) < _DRAINED)] = PUMP
        self._since[phase != self._phase] = self._step
        self._phase = phase

    def _pumped(
        self, x: Array, xd: Array, q: Array, qd: Array, nominal: "_Affine", most: Array
    ) -> Array:
        """Acceleration that brings the energy to 1, or takes it away, shape (recordings,)."""
        pendulum = self.pendulum
        energy = pendulum.energy(q, qd)
        enough = _TARGET + self._lost * np.abs(pendulum.from_upright(q))
        target = np.where(self._phase == DRAIN, -1.0, enough)
        # What a unit of the drive's acceleration does to the pendulum's, per frequency.
        moved = nominal.pivot_gain(pendulum.pivot) * pendulum.inertia / abs(pendulum.coupling)
        along = moved * qd[:, pendulum.pivot] / pendulum.frequency
        push = np.clip(_STEEP * (target - energy), -1, 1) * np.clip(_STEEP * along, -1, 1)
        # At rest there is no direction to push in: any will do.
        still = (energy + 1 < 1e-4) & (self._phase == PUMP)
        push = np.where(still, np.where(x > 0, -1.0, 1.0), push)
        rate = self._returning() * pendulum.frequency
        wanted: Array = most * push - rate**2 * x - rate * xd
        return wanted

    def _returning(self) -> Array:
        tried: NDArray[np.int64] = (self._step - self._since) // self._patience
        return np.asarray(_RETURNS[tried % len(_RETURNS)])

    def _balanced(self, x: Array, xd: Array, q: Array, qd: Array) -> Array:
        pendulum = self.pendulum
        state = x, xd, pendulum.from_upright(q), qd[:, pendulum.pivot]
        wanted: Array = sum(
            (gain * part for gain, part in zip(self._gains, state, strict=True)), np.zeros(len(x))
        )
        return wanted

    def _inside(self, x: Array, xd: Array, wanted: Array, brake: Array) -> Array:
        """No faster than the limit, and braked where it would come to rest too far outside."""
        brake = np.maximum(brake, 1e-9)
        rest = x + xd * np.abs(xd) / (2 * brake)
        side = np.sign(rest)
        beyond = np.abs(rest) > self._room
        fast = xd * np.sign(wanted) > self.fastest[self.pendulum.drive]
        wanted = np.where(fast, 0.0, wanted)
        return np.where(beyond, side * np.minimum(side * wanted, -brake), wanted)


class _Affine(NamedTuple):
    """Accelerations are affine in the torque τ of the drive: free + gain τ, for the drive.

    Args:
        free, gain: shape (recordings,).
        gains: of all joints, shape (recordings, n).
    """

    free: Array
    gain: Array
    gains: Array

    @classmethod
    def of(cls, engine: Engine, q: Array, qd: Array, drive: int) -> "_Affine":
        one = np.zeros_like(q)
        free = engine.acceleration(q, qd, one)
        one[:, drive] = 1.0
        gains = engine.acceleration(q, qd, one) - free
        return cls(free[:, drive], gains[:, drive], gains)

    def pivot_gain(self, pivot: int) -> Array:
        """Acceleration of the pivot per acceleration of the drive, shape (recordings,)."""
        ratio: Array = self.gains[:, pivot] / self.gain
        return ratio


def _balancing(pendulum: DrivenPendulum) -> tuple[float, float, float, float]:
    """Gains on x, ẋ, φ, φ̇ that put all four poles of balancing at -p.

    With ẍ = a and φ̈ = ω² φ + c a about upright.
    """
    omega, p = pendulum.frequency, _POLES * pendulum.frequency
    c = -pendulum.coupling_upright / pendulum.inertia
    on_x, on_xd = p**4 / omega**2, 4 * p**3 / omega**2
    on_phi = -(6 * p**2 + omega**2 + on_x) / c
    return on_x, on_xd, on_phi, -(4 * p + on_xd) / c
