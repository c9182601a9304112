"""A fit as sections of a report see it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from robotid.contracts.any_fit import read_any_fit
from robotid.contracts.fit import RESIDUALS, AnyFit, FitResult, held_out, read_fit
from robotid.contracts.forward import ForwardResult, read_forward_result
from robotid.contracts.learned import LearnedResult
from robotid.contracts.residuals import Excerpt, read_residuals
from robotid.errors import BadDataError
from robotid.models.forward_from_fit import FittedForward, read_forward
from robotid.models.from_fit import FittedRobot, read_fitted
from robotid.models.learned_from_fit import FittedLearned, read_learned
from robotid.reporting.quantities import ACCELERATION, TORQUE, Quantity
from robotid.robot.tree import RobotTree

Facts = TypeVar("Facts", bound=AnyFit, covariant=True)


@dataclass(frozen=True)
class View(ABC, Generic[Facts]):
    """One fit: its name in the report, its facts, and the files beside them when asked for.

    Args:
        name: that the report calls it by.
        folder: that holds it.
        fit: the facts.
    """

    quantity: ClassVar[Quantity]

    name: str
    folder: Path
    fit: Facts

    @property
    @abstractmethod
    def robot(self) -> RobotTree:
        """The robot as its file gives it."""

    @cached_property
    def units(self) -> dict[str, str]:
        """The unit of what is predicted, of every joint."""
        slides = {row: unit == "N" for row, unit in self.robot.torque_units.items()}
        return self.quantity.units({row: slides[row] for row in self.fit.joints})

    @property
    def unit(self) -> str:
        """The same of a mean over the joints."""
        return self.quantity.unit(self.units.values())

    @property
    def held_out(self) -> str:
        """The split that counts: the test, else validation, else what it was fitted to."""
        return held_out(self.fit.metrics)

    @cached_property
    def excerpt(self) -> Excerpt | None:
        """Measured and predicted values of some samples; None where the fit has none."""
        path = self.folder / RESIDUALS
        if not path.exists():
            return None
        found = read_residuals(self.folder)
        if list(found.joints) != self.fit.joints:
            said = f"residuals are of joints {list(found.joints)}, the fit of {self.fit.joints}"
            raise BadDataError("fit-differs", said, file=str(path))
        return found


@dataclass(frozen=True)
class FitView(View[FitResult]):
    """A fit of torques."""

    quantity = TORQUE

    @classmethod
    def read(cls, name: str, folder: Path) -> "FitView":
        """The fit in a folder."""
        return cls(name, folder, read_fit(folder))

    @cached_property
    def fitted(self) -> FittedRobot:
        """The robot as its file gives it, and the model with the fitted parameters."""
        return read_fitted(self.folder)

    @property
    def robot(self) -> RobotTree:
        """The robot as its file gives it."""
        return self.fitted.robot.tree


@dataclass(frozen=True)
class ForwardView(View[ForwardResult]):
    """A fit of accelerations."""

    quantity = ACCELERATION

    @classmethod
    def read(cls, name: str, folder: Path) -> "ForwardView":
        """The fit in a folder."""
        return cls(name, folder, read_forward_result(folder))

    @cached_property
    def fitted(self) -> FittedForward:
        """The robot as its file gives it, and the model with what was learned."""
        return read_forward(self.folder)

    @property
    def robot(self) -> RobotTree:
        """The robot as its file gives it."""
        return self.fitted.robot.tree


@dataclass(frozen=True)
class LearnedView(View[LearnedResult]):
    """A learned model of torques."""

    quantity = TORQUE

    @cached_property
    def fitted(self) -> FittedLearned:
        """The robot as its file gives it, and the model with what was learned."""
        return read_learned(self.folder)

    @property
    def robot(self) -> RobotTree:
        """The robot as its file gives it."""
        return self.fitted.robot.tree


AnyView = FitView | ForwardView | LearnedView


def read_views(folders: Mapping[str, Path]) -> Sequence[AnyView]:
    """The fits of a report by name; all of them have to predict the same."""
    found = [_view(name, folder) for name, folder in folders.items()]
    names: dict[str, list[str]] = {}
    for view in found:
        given = f"{view.name} ({view.folder})" if view.name != str(view.folder) else view.name
        names.setdefault(view.quantity.names, []).append(given)
    if len(names) > 1:
        said = "; ".join(f"{kind}: {', '.join(own)}" for kind, own in names.items())
        raise BadDataError(
            "fits-differ",
            f"fits that predict different things cannot stand in one report ({said})",
            hint="make one report of the fits of torques and another of those of accelerations",
        )
    return found


def _view(name: str, folder: Path) -> AnyView:
    fit = read_any_fit(folder)
    if isinstance(fit, ForwardResult):
        return ForwardView(name, folder, fit)
    if isinstance(fit, LearnedResult):
        return LearnedView(name, folder, fit)
    return FitView(name, folder, fit)
