"""`report.json`: what a report says, before it is laid out."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from robotid.contracts.fit import FitResult, Metric
from robotid.contracts.forward import EnergyClass, ForwardResult, Kinematics
from robotid.contracts.learned import LearnedResult
from robotid.contracts.versions import LEARNED_FITS
from robotid.reporting.quantities import Quantity, quantity_of

REPORT = "report.json"
MARKDOWN = "report.md"
PAGE = "report.html"
CONFIDENCE = 0.95  # of all intervals of a comparison together


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Published(_Part):
    """Figures that somebody published for the same data, to stand beside ours."""

    source: str = Field(min_length=1, description="Where they are published.")
    rmse: float | None = Field(
        default=None, description="Mean over the joints, in the unit of the fits."
    )
    rmse_by_joint: dict[str, float] = Field(
        default={}, description="The same of single joints, by name."
    )
    relative: float | None = Field(default=None, description="Share of what is predicted.")
    nmse_var: float | None = Field(default=None, description="Mean square error over variance.")
    nmse_range: float | None = Field(default=None, description="The same over the range squared.")


class Difference(_Part):
    """By how much the error of a model exceeds the least one, over blocks of held-out data.

    Args:
        value: difference of the errors (RMSE, mean over the joints), in their unit.
        lower: of its interval, which holds for all pairs of models together.
        upper: of it.
        worse: whether the model is worse beyond chance, by an amount that matters.
    """

    value: float
    lower: float
    upper: float
    worse: bool


class ForwardModel(_Part):
    """What tells forward models apart: see `fit.forward.json`."""

    actuator: str
    kinematics: Kinematics
    energy: EnergyClass


class ComparedModel(_Part):
    """One column of a comparison.

    Args:
        model: kind of model.
        metrics: on the held-out data, by name.
        consistent: whether all links can exist; null without links.
        usable: what the verdict says.
        identified: number of parameters that are; null of a forward model.
        parameters: number of them; likewise.
        forward: what kind of forward model it is; null for fits of torques.
        parts: of a learned model, such as `links + lstm`; null for others.
        weights: that were learned; likewise.
        behind: the model of least error; null for that one, and where it cannot be told.
    """

    model: str
    metrics: dict[str, Metric]
    consistent: bool | None
    usable: bool
    identified: int | None = None
    parameters: int | None = None
    forward: ForwardModel | None = None
    parts: str | None = None
    weights: int | None = None
    behind: Difference | None = None


class Comparison(_Part):
    """Fits side by side on the same recordings.

    Args:
        split: that the errors are of.
        recordings: in it.
        blocks: stretches of these recordings that all fits have errors of.
        models: by name of the fit.
        least: the fit of least error among those that can be used; null where none has one.
        best: the same, if all others are worse beyond chance; else null.
        sentence: that in words.
        remarks: what makes errors hard to compare.
        published: figures of others, by name.
        same_data: whether errors are of the same recordings; of a sweep over splits they are not.
    """

    split: str
    recordings: list[str]
    joints: list[str]
    blocks: int
    models: dict[str, ComparedModel]
    least: str | None
    best: str | None
    sentence: str
    remarks: list[str] = []
    published: dict[str, Published] = {}
    same_data: bool = True


class GateOutcome(_Part):
    """A gate (`fail_if`) and what became of it for one fit.

    Args:
        fit: name of the fit.
        expression: as it was given.
        passed: whether it does not hold.
        joints: for which it holds, where it says `[*]`.
        said: the expression with the values in it, or why it has no value.
    """

    fit: str
    expression: str
    passed: bool
    joints: list[str] = []
    said: str


class Change(_Part):
    """Held-out error (RMSE) before and now; `joint` is null for the mean of all.

    `change` is the share by which it grew, null without a value to compare with.
    """

    joint: str | None
    before: float | None
    now: float | None
    change: float | None
    worse: bool = Field(description="By more than is allowed, and it matters.")


class Regression(_Part):
    """A fit beside the one of an older report."""

    fit: str
    baseline: str = Field(description="Name of the fit in the older report.")
    split: str
    changes: list[Change]
    passed: bool


class BaselineCheck(_Part):
    """All fits beside an older report; `limit` is the share that errors may grow by."""

    limit: float | None
    fits: list[Regression]
    remarks: list[str] = []


Result = FitResult | ForwardResult | LearnedResult


def _kind(fit: Any) -> str:
    """What kind of fit it is, as data or as an object."""
    given = fit if isinstance(fit, dict) else {"predicts": fit.predicts, "model": fit.model}
    if given.get("predicts") == "acceleration":
        return "forward"
    return "learned" if given.get("model") in LEARNED_FITS else "rigid"


_Fit = Annotated[
    Annotated[FitResult, Tag("rigid")]
    | Annotated[ForwardResult, Tag("forward")]
    | Annotated[LearnedResult, Tag("learned")],
    Discriminator(_kind),
]


class ReportFacts(_Part):
    """The fits by name, how they compare, and what the gates say; all fits predict the same."""

    format: Literal[1] = 1
    fits: dict[str, _Fit] = Field(min_length=1)
    units: dict[str, str] = Field(
        default={}, description="Unit of what is predicted, by joint, such as N m or rad/s²."
    )
    comparison: Comparison | None = None
    gates: list[GateOutcome] = []
    baseline: BaselineCheck | None = None

    @property
    def quantity(self) -> Quantity:
        """What the fits predict."""
        return quantity_of(self.fits)

    @property
    def unit(self) -> str:
        """Unit of an error over all joints."""
        return self.quantity.unit(self.units.values())

    @property
    def failed_gates(self) -> int:
        """Gates that failed, those of the older report among them."""
        older = self.baseline.fits if self.baseline else []
        return sum(not g.passed for g in self.gates) + sum(not r.passed for r in older)


def read_report(folder: Path) -> ReportFacts:
    """The facts of a report that this version wrote."""
    return ReportFacts.model_validate_json((folder / REPORT).read_bytes())
