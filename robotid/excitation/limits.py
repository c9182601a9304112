"""Limits of the joints: from the robot file or given, with margins taken off, and checked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robotid.errors import ConfigError, Notice, nearest
from robotid.excitation.options import ExcitationOptions
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]

# A joint that could use less of its range than this, at its limit of speed, shows next to nothing.
_LEAST_RANGE = 0.02
_ROUNDING = 1e-9  # rad, m, or what the limit is in


@dataclass(frozen=True, eq=False)
class Limits:
    """What the joints may do; shapes (n,), infinite where there is no limit.

    Args:
        joints: names.
        lower: least position [rad or m].
        upper: largest position.
        velocity: largest speed, for the fastest play.
        acceleration: largest acceleration.
        jerk: largest jerk.
        torque: largest torque [N m or N], margin taken off.
        full_velocity: the limit of speed itself.
    """

    joints: tuple[str, ...]
    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    jerk: Array
    torque: Array
    full_velocity: Array

    @property
    def middle(self) -> Array:
        """Middle of the ranges."""
        return 0.5 * (self.lower + self.upper)

    @property
    def half(self) -> Array:
        """Half of the ranges."""
        return 0.5 * (self.upper - self.lower)

    def derivative(self, order: int) -> Array:
        """The limit of a derivative of the position: 1 velocity, 2 acceleration, 3 jerk."""
        return (self.half, self.velocity, self.acceleration, self.jerk)[order]


def limits_of(robot: RobotTree, options: ExcitationOptions) -> Limits:
    """The limits a design keeps to; what is missing or contradicts itself is an error."""
    lower = _given(options.lower, robot, "lower", robot.bound("lower"))
    upper = _given(options.upper, robot, "upper", robot.bound("upper"))
    full = _given(options.velocity, robot, "velocity", robot.bound("velocity"))
    none = np.full(robot.n, np.inf)
    acceleration = _given(options.acceleration, robot, "acceleration", none)
    jerk = _given(options.jerk, robot, "jerk", none)
    torque = _given(options.torque, robot, "torque", robot.bound("effort"))
    for i, name in enumerate(robot.joint_names):
        _check_joint(name, lower[i], upper[i], full[i])
        for key, values in (("acceleration", acceleration), ("jerk", jerk), ("torque", torque)):
            if not values[i] > 0:
                raise ConfigError(
                    "bad-limits", f"{key} of {values[i]:g} is not positive", joint=name
                )
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower) * options.position_share
    found = Limits(
        joints=robot.joint_names,
        lower=middle - half,
        upper=middle + half,
        velocity=full * max(options.speeds),
        acceleration=acceleration,
        jerk=jerk,
        torque=torque * options.torque_share,
        full_velocity=full,
    )
    _check_period(found, options)
    return found


def wider_than_file(
    robot: RobotTree, limits: Limits, options: ExcitationOptions
) -> Iterator[Notice]:
    """Limits that were given and let the robot do more than its file does."""
    share = options.position_share
    middle, half = limits.middle, limits.half / share
    used = {
        "lower": (half - middle, -robot.bound("lower")),
        "upper": (middle + half, robot.bound("upper")),
        "velocity": (limits.full_velocity, robot.bound("velocity")),
        "torque": (limits.torque / options.torque_share, robot.bound("effort")),
    }
    for key, (here, file) in used.items():
        wider = here > file + _ROUNDING
        joints = [name for name, more in zip(robot.joint_names, wider, strict=True) if more]
        if getattr(options, key) and joints:
            said = f"{key}: what is given is wider than the robot file says for {', '.join(joints)}"
            hint = "see that the controller and the cell allow it"
            yield Notice(code="wider-than-file", message=said, hint=hint)


def posture_of(values: Sequence[float], limits: Limits, key: str) -> Array | None:
    """A posture inside the limits, shape (n,); None where none is given."""
    if not values:
        return None
    if len(values) != len(limits.joints):
        raise ConfigError(
            "wrong-count",
            f"{key}: {len(values)} values for {len(limits.joints)} joints",
            hint=f"give one for each of {', '.join(limits.joints)}",
        )
    posture = np.array(values, dtype=np.float64)
    for i, name in enumerate(limits.joints):
        over = max(posture[i] - limits.upper[i], limits.lower[i] - posture[i])
        if over >= 0:
            raise ConfigError(
                "outside-limits",
                f"{key}: {posture[i]:g} is outside {limits.lower[i]:.6g} … {limits.upper[i]:.6g} "
                f"by {over:.3g}",
                joint=name,
                hint="position_share takes a margin off the limits of the robot file",
            )
    return posture


def _given(texts: Sequence[str], robot: RobotTree, key: str, otherwise: Array) -> Array:
    """Values of all joints from texts VALUE or JOINT=VALUE; the last one counts."""
    result = otherwise.copy()
    for text in texts:
        name, sign, value = text.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            raise ConfigError("bad-value", f"{key}: {text!r} is not VALUE or JOINT=VALUE") from None
        if not np.isfinite(number):
            raise ConfigError("bad-value", f"{key}: {text!r} is not a finite number")
        if sign and name not in robot.joint_names:
            said = f"{key}: robot {robot.name} has no joint {name!r}"
            raise ConfigError("unknown-joint", said, hint=nearest(name, robot.joint_names))
        result[robot.joint_index(name) if sign else slice(None)] = number
    return result


def _check_joint(name: str, lower: float, upper: float, velocity: float) -> None:
    for key, value in (("lower", lower), ("upper", upper), ("velocity", velocity)):
        if not np.isfinite(value):
            raise ConfigError(
                "no-limits",
                f"the joint has no {key} limit, and how far it may go has to be known",
                joint=name,
                hint=f"give --{key} {name}=VALUE",
            )
    if not lower < upper:
        said = f"the lower limit {lower:g} is above the upper limit {upper:g} by {lower - upper:g}"
        raise ConfigError("infeasible-limits", said, joint=name)
    if not velocity > 0:
        raise ConfigError("bad-limits", f"velocity of {velocity:g} is not positive", joint=name)


def _check_period(limits: Limits, options: ExcitationOptions) -> None:
    """Whether the joints can move at all within a period: by their limit of each derivative."""
    w = 2 * np.pi / options.period_s
    for order, key in ((1, "velocity"), (2, "acceleration"), (3, "jerk")):
        amplitude = limits.derivative(order) / w**order
        for i, name in enumerate(limits.joints):
            share = amplitude[i] / limits.half[i]
            if share < _LEAST_RANGE:
                needed = options.period_s * (_LEAST_RANGE / share) ** (1.0 / order)
                raise ConfigError(
                    "period-too-short",
                    f"at a period of {options.period_s:g} s the {key} limit of "
                    f"{limits.derivative(order)[i]:.4g} leaves {100 * share:.2g} % of the range",
                    joint=name,
                    hint=f"a period of {needed:.3g} s or more would do",
                )
