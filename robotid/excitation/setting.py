"""What a user asks for, checked and in arrays: all that designs of a campaign share."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.information import Information
from robotid.errors import BadDataError, ConfigError, Notice, nearest
from robotid.excitation.clearance import Clearances
from robotid.excitation.kept_apart import kept_apart
from robotid.excitation.limits import Limits, limits_of, posture_of, wider_than_file
from robotid.excitation.options import ExcitationOptions
from robotid.excitation.problem import Recipe, samples_for
from robotid.excitation.reach import Ranges
from robotid.excitation.space import Space, make_space
from robotid.excitation.unknowns import Unknowns, unknowns_of
from robotid.information.layout import Layout
from robotid.robot.shapes import Shapes
from robotid.robot.tree import RobotTree

Array = NDArray[np.float64]

_NOISE_SHARE = 0.01  # of the effort limit


@dataclass(frozen=True, eq=False)
class Setting:
    """Everything but the trajectory.

    Args:
        robot: with its nominal parameters.
        options: as given.
        limits: of its joints.
        space: of trajectories.
        unknowns: what is to be found out.
        noise: standard deviation of the torque, shape (n,).
        clearances: distances to keep.
        home: where the robot is before and after, shape (n,); None for where the series starts.
        given: information there is before the first trajectory, shape (b, b), scaled.
        samples: per period.
        notices: what the user should know.
        unguarded: links that no distance is about.
    """

    robot: RobotTree
    options: ExcitationOptions
    limits: Limits
    space: Space
    unknowns: Unknowns
    noise: Array
    clearances: Clearances
    home: Array | None
    given: Array
    samples: int
    notices: tuple[Notice, ...] = field(default=())
    unguarded: tuple[str, ...] = ()

    @property
    def recipe(self) -> Recipe:
        """What the designs of all trajectories share."""
        options = self.options
        return Recipe(
            robot=self.robot,
            limits=self.limits,
            space=self.space,
            target=self.unknowns.target,
            noise=self.noise,
            weight=options.noise_hz * options.period_s * options.periods,
            criterion=options.criterion,
            clearances=self.clearances if self.clearances.names else None,
            samples=self.samples,
            free_centre=not options.posture,
            home=self.home,
        )


def setting_of(
    robot: RobotTree,
    layout: Layout,
    options: ExcitationOptions,
    *,
    given: Information | None = None,
    shapes: Shapes | None = None,
) -> Setting:
    """Check all that is asked for.

    Args:
        robot: with a fixed base.
        layout: its parameters.
        options: the configuration.
        given: what a fit says already.
        shapes: collision geometry of the robot file.
    """
    if robot.floating:
        raise ConfigError(
            "floating-base",
            f"robot {robot.name} has a floating base; trajectories are designed for a fixed one",
            hint="hold it with base = fixed",
        )
    limits = limits_of(robot, options)
    posture = posture_of(options.posture, limits, "posture")
    home = posture_of(options.home, limits, "home")
    harmonics = _harmonics(robot, options)
    space = make_space(
        limits, harmonics, options.period_s, at_rest=options.at_rest, posture=posture
    )
    noise, torque_scale = _noise(robot, limits, options)
    unknowns = unknowns_of(
        layout,
        torque_scale,
        limits.full_velocity,
        wanted=options.parameters,
        payload_link=options.payload_link,
    )
    kept = kept_apart(robot, options, shapes or Shapes(), Ranges(limits.lower, limits.upper))
    _check_home(home, kept.clearances)
    return Setting(
        robot=robot,
        options=options,
        limits=limits,
        space=space,
        unknowns=unknowns,
        noise=noise,
        clearances=kept.clearances,
        home=home,
        given=_known(unknowns, given),
        samples=samples_for(space.degree, options.samples),
        notices=(*kept.notices, *wider_than_file(robot, limits, options)),
        unguarded=kept.unguarded,
    )


def _check_home(home: Array | None, clearances: Clearances) -> None:
    """Refuse to come from where a distance is not kept: no ramp could."""
    if home is None or not clearances.names:
        return
    left = clearances.at(home[None])[0]
    worst = int(np.argmin(left))
    if left[worst] < 0:
        said = f"home: {clearances.names[worst]} lacks {-1000 * left[worst]:.3g} mm"
        raise ConfigError("infeasible-limits", said, hint="another home, or less clearance")


def _harmonics(robot: RobotTree, options: ExcitationOptions) -> list[list[int]]:
    result = {name: list(range(1, options.harmonics + 1)) for name in robot.joint_names}
    for text in options.joint_harmonics:
        name, _, numbers = text.partition("=")
        if name not in result:
            said = f"joint_harmonics: robot {robot.name} has no joint {name!r}"
            raise ConfigError("unknown-joint", said, hint=nearest(name, robot.joint_names))
        try:
            found = sorted({int(number) for number in numbers.split(",")})
        except ValueError:
            found = []
        if not found or found[0] < 1 or found[-1] > 1000:
            said = f"joint_harmonics: {text!r} is not JOINT=1,2,4"
            raise ConfigError("bad-value", said, hint="whole numbers from 1 to 1000")
        result[name] = found
    return list(result.values())


def _noise(robot: RobotTree, limits: Limits, options: ExcitationOptions) -> tuple[Array, Array]:
    """Standard deviation of the torques, and the size of torques, shape (n,) each."""
    file = robot.bound("effort")
    usable = np.isfinite(file) & (file > 0)
    effort = np.where(usable, file, limits.torque / options.torque_share)
    if options.noise:
        if len(options.noise) not in (1, robot.n):
            said = f"noise: {len(options.noise)} values for {robot.n} joints"
            raise ConfigError("wrong-count", said, hint="give one value, or one per joint")
        noise = np.broadcast_to(np.array(options.noise), (robot.n,)).copy()
    else:
        noise = _NOISE_SHARE * effort
        for name, value in zip(robot.joint_names, noise, strict=True):
            if not np.isfinite(value):
                said = "the joint has no effort limit, so the noise of its torque is not known"
                raise ConfigError("no-noise", said, joint=name, hint="give --noise [N m]")
    return noise, np.where(np.isfinite(effort), effort, noise / _NOISE_SHARE)


def _known(unknowns: Unknowns, given: Information | None) -> Array:
    """What a fit says of the base parameters, in units of their scales.

    R^T R of all parameters is B^T A B with β = B φ, so A are its entries of the parameters that
    base parameters are called after.
    """
    target = unknowns.target
    if given is None:
        return np.zeros((target.size, target.size))
    layout = target.layout
    if given.facts.geometry_sha256 != layout.digest:
        raise BadDataError(
            "other-robot",
            f"the fit is of {given.facts.robot}, which moves otherwise than {layout.robot.name}",
            hint="give the robot that the fit was made with",
        )
    if tuple(given.facts.parameters) != layout.names:
        other = sorted(set(given.facts.parameters) ^ set(layout.names))
        raise BadDataError(
            "other-terms",
            f"the fit has other terms than asked for: {', '.join(other[:5])}",
            hint="give the terms that the fit was made with",
        )
    R = given.R[:, target.columns] * target.scale
    result: Array = given.facts.independent * (R.T @ R)
    return result
