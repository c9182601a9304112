"""A fit as sections of a report see it."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from robotid.contracts.fit import RESIDUALS, FitResult, held_out, read_fit
from robotid.contracts.residuals import Excerpt, read_residuals
from robotid.errors import BadDataError
from robotid.models.from_fit import FittedRobot, read_fitted


@dataclass(frozen=True)
class FitView:
    """One fit: its name in the report, its facts, and the files beside them when asked for.

    Args:
        name: that the report calls it by.
        folder: that holds it.
        fit: the facts.
    """

    name: str
    folder: Path
    fit: FitResult

    @classmethod
    def read(cls, name: str, folder: Path) -> "FitView":
        """The fit in a folder."""
        return cls(name, folder, read_fit(folder))

    @cached_property
    def excerpt(self) -> Excerpt | None:
        """Measured and predicted torques; None where the fit has none."""
        path = self.folder / RESIDUALS
        if not path.exists():
            return None
        found = read_residuals(self.folder)
        if list(found.joints) != self.fit.joints:
            said = f"residuals are of joints {list(found.joints)}, the fit of {self.fit.joints}"
            raise BadDataError("fit-differs", said, file=str(path))
        return found

    @cached_property
    def fitted(self) -> FittedRobot:
        """The robot as its file gives it, and the model with the fitted parameters."""
        return read_fitted(self.folder)

    @cached_property
    def units(self) -> dict[str, str]:
        """The unit of torque of every joint: sliding ones have forces."""
        return self.fitted.robot.tree.torque_units

    @property
    def held_out(self) -> str:
        """The split that counts: the test, else validation, else what it was fitted to."""
        return held_out(self.fit.metrics)
