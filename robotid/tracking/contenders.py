"""The models that drive the robot: fits, and the baselines that stand beside them."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robotid.contracts.fit import FIT, AnyFit
from robotid.contracts.learned import LearnedResult
from robotid.contracts.tracking import Kind
from robotid.dynamics.terms import WIDTH
from robotid.errors import BadDataError, ConfigError
from robotid.information.layout import Layout
from robotid.information.sizes import nominal as of_file
from robotid.models.learned.inverse import InverseModel
from robotid.models.learned.torques import LearnedTorques
from robotid.models.rigid_body import RigidBodyModel
from robotid.models.stepping import Stepper, stepper
from robotid.models.torque_models import read_torque_model
from robotid.robot.tree import RobotTree
from robotid.simulation.drives import Drives, moved_inertias
from robotid.tracking.moved import Moved
from robotid.tracking.options import TrackOptions

Array = NDArray[np.float64]
_WHOLE = 0.01  # how far a ratio of rates may be from a whole number
_OF_FILE = ("viscous", "coulomb", "rotor")  # what a robot file can say of its joints


class Contender(NamedTuple):
    """A model, what it is in words, and how it is stepped for so many motions."""

    name: str
    kind: Kind
    model: str
    usable: bool | None
    stepper: Callable[[int], Stepper]


def contenders(
    folders: Mapping[str, Path],
    nominal: RobotTree,
    moved: Moved,
    inertia: Array,
    options: TrackOptions,
) -> list[Contender]:
    """All models, fits first.

    Args:
        folders: of the fits, by name.
        nominal: the robot file.
        moved: the robot that is moved.
        inertia: that each joint moves alone according to the file, shape (n,) [kg m²].
        options: how often models are called, and whether bodies are without their networks.
    """
    known = [
        _rigid("nominal", "nominal", "the robot file", nominal_model(nominal)),
        Contender("none", "none", "feedback alone", None, lambda _: FeedbackAlone(inertia)),
        _rigid("truth", "truth", "the robot that is moved", true_model(moved.robot, moved.drives)),
    ]
    for one in known:
        if one.name in folders:
            said = f"a fit is called {one.name!r}, as the baseline is"
            hint = "give its folder another name"
            raise ConfigError("name-taken", said, file=str(folders[one.name]), hint=hint)
    fits = [one for name, path in folders.items() for one in _of_fit(name, path, nominal, options)]
    return [*fits, *known]


def nominal_model(robot: RobotTree) -> RigidBodyModel:
    """The robot file as a model: links, and the friction and rotors that it states."""
    layout = Layout(robot, _OF_FILE)
    return RigidBodyModel(layout, of_file(layout))


def true_model(robot: RobotTree, drives: Drives) -> RigidBodyModel:
    """All that a rigid model can know of the robot that is moved.

    Of friction with a memory that is the curve of steady speeds; of springs nothing.
    """
    friction, names = drives.friction, robot.joint_names
    remembers, shown = friction.remembers, friction.kind in ("stribeck", "stick-slip")
    widths = np.full(robot.n, WIDTH) if remembers else friction.width
    terms = {
        name: ["viscous", f"coulomb({width!r})", "rotor"]
        + ([f"stribeck({fades!r},width={width!r})"] if shown else [])
        for name, width, fades in zip(
            names, widths.tolist(), friction.stribeck_velocity.tolist(), strict=True
        )
    }
    layout = Layout(robot, (), terms)
    values = {
        "viscous": friction.viscous,
        "coulomb": friction.coulomb,
        "stribeck": friction.static - friction.coulomb,
        "rotor": drives.rotor_inertia,
    }
    own = [values[column.term][names.index(column.owner)] for column in layout.own]
    return RigidBodyModel(layout, np.concatenate([robot.phi.ravel(), own]))


def inertias(nominal: RobotTree) -> Array:
    """What each joint moves alone according to the file, a mean over postures, shape (n,)."""
    rotors = np.array([joint.rotor_inertia for joint in nominal.driven])
    moved: Array = moved_inertias(nominal) + rotors
    return moved


class FeedbackAlone:
    """No model: each joint is taken for an inertia of its own, without weight or friction."""

    def __init__(self, inertia: Array) -> None:
        self._inertia = inertia

    def __call__(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Torques, shape (batch, n)."""
        del q, qd
        torque: Array = self._inertia * qdd
        return torque

    def rest(self, q: Array, samples: int) -> None:
        """Nothing is remembered."""


def _rigid(name: str, kind: Kind, said: str, model: RigidBodyModel) -> Contender:
    return Contender(name, kind, said, None, lambda batch: stepper(model, batch))


def _of_fit(name: str, folder: Path, nominal: RobotTree, options: TrackOptions) -> list[Contender]:
    """A fit and, if that is asked for, the body of a hybrid."""
    fitted, file = read_torque_model(folder), str(folder / FIT)
    robot = fitted.robot.tree
    if robot.floating:
        said = f"{name} is a fit of {robot.name}, which has a floating base and cannot be held"
        hint = 'only arms can be followed; fit with base = "fixed"'
        raise BadDataError("floating-base", said, file=file, hint=hint)
    own, wanted = (_joints(tree) for tree in (robot, nominal))
    if own != wanted:
        said = f"{name} is a fit of {robot.name} with joints {own}; {nominal.name} has {wanted}"
        hint = "give the robot of the fit, with the same locks and chain"
        raise BadDataError("robots-differ", said, file=file, hint=hint)
    fit = fitted.fit
    every = _every(fit, options.control_hz, file)
    driver = Contender(
        name,
        "fit",
        fit.model,
        fit.verdict.usable,
        lambda batch: stepper(fitted.model, batch, every),
    )
    whole = fitted.model.model if isinstance(fitted.model, LearnedTorques) else None
    if not options.bodies or whole is None or whole.body is None or whole.residual is None:
        return [driver]
    body = LearnedTorques(
        fitted.model.layout, InverseModel(whole.body, whole.joints, whole.actuator)
    )
    said = f"{fit.model}, without its network"
    return [
        driver,
        Contender(f"body of {name}", "body", said, None, lambda batch: stepper(body, batch)),
    ]


def _every(fit: AnyFit, control_hz: float, file: str) -> int:
    """Of how many steps of the controller one is a sample for a network with a memory."""
    if not isinstance(fit, LearnedResult) or fit.learning.length == 1:
        return 1
    ratio = control_hz / fit.learning.rate_hz
    if round(ratio) < 1 or abs(ratio - round(ratio)) > _WHOLE * ratio:
        said = (
            f"its memory was trained with {fit.learning.rate_hz:g} samples per second, the "
            f"controller has {control_hz:g} steps"
        )
        hint = "choose a control_hz that is a multiple of that rate"
        raise BadDataError("rates-differ", said, file=file, hint=hint)
    return round(ratio)


def _joints(robot: RobotTree) -> str:
    return ", ".join(
        f"{joint.name} (slides)" if joint.kind == "prismatic" else joint.name
        for joint in robot.driven
    )
