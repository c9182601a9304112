"""`fit.json`: what a fit found, how well it predicts, and what of it to trust.

A folder of a fit holds beside it

    parameters.parquet          the parameters again, as a table
    information.safetensors     what the training data say: R (p, p), z (p,), rho, in weighted units
    training.safetensors        the same row by row without weights, for fits that continue this one
    residuals.parquet           excerpts of measured and predicted torque
    nominal.urdf or .xml        the robot file that was given, unchanged
    robot.urdf or .xml          the same with the identified links, where they are consistent
"""

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from robotid.contracts.fit_data import (
    Autocorrelation,
    Continued,
    FilteredData,
    JointRange,
    Provenance,
    RecordingUsed,
    Remark,
    Whiteness,
)
from robotid.contracts.fit_sums import ReducedParameter, TotalMass
from robotid.contracts.fit_text import parsed
from robotid.contracts.forces import Forces
from robotid.contracts.splits import Split
from robotid.contracts.versions import kind_of
from robotid.errors import BadDataError

FIT = "fit.json"
PARAMETERS = "parameters.parquet"
INFORMATION = "information.safetensors"
TRAINING = "training.safetensors"
RESIDUALS = "residuals.parquet"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Metric(_Part):
    """A metric, averaged over the joints and for each; null where it has no value.

    `total` is the sum over the joints, of metrics that are summed.
    """

    mean: float | None
    joints: dict[str, float | None]
    total: float | None = None


Metrics = dict[str, dict[str, Metric]]  # by split, by metric


def held_out(metrics: Metrics) -> str:
    """The split that counts: the test, else validation, else (nothing was held out) training."""
    return next((split for split in ("test", "val") if split in metrics), "train")


# "not vouched for": would be identified, were the fit one to be used.
ParameterStatus = Literal[
    "identified",
    "in combination",
    "not excited",
    "from prior",
    "held by a bound",
    "uncertain",
    "not vouched for",
]


class Parameter(_Part):
    """A parameter of a link (`owner` is the link) or of a joint (or coupled joints).

    `std` is null where the data do not determine it by itself; `said` is why, in words. `percent`
    is `std` relative to the value, `nominal` the value of the robot file, null where it has none.
    """

    name: str
    owner: str
    unit: str
    value: float
    std: float | None
    percent: float | None = None
    status: ParameterStatus
    said: str = ""
    nominal: float | None = None


class BaseParameter(_Part):
    """A sum of parameters that torques show, with its 95 % interval."""

    name: str
    grouping: str
    unit: str
    value: float
    std: float
    lower: float
    upper: float
    nominal: float
    status: ParameterStatus


class Identifiability(_Part):
    """Rank of the data against the structure, scaled condition number, and what is known worst."""

    rank: int
    structural_rank: int
    condition: float | None
    worst: str = ""
    silent: list[str] = []


class Status(_Part):
    """How the fit ended, and what to do if it did not end well.

    Args:
        converged: whether nothing more was to be gained, or enough was reached.
        message: how it ended.
        remedy: what to do if that is not well.
        iterations: steps of a solver, or epochs of a training.
        reached: whether a training came to its target; null without one.
    """

    converged: bool
    message: str
    remedy: str | None = None
    iterations: int | None = None
    reached: bool | None = None


class Reason(_Part):
    """Why a fit should not be used, and what to do about it."""

    code: str
    message: str
    hint: str | None


class Verdict(_Part):
    """Whether a fit can be used, in one sentence, and the reasons if not."""

    usable: bool
    sentence: str
    reasons: list[Reason]


class Link(_Part):
    """A link as a rigid body; `consistent` if its pseudo-inertia is positive definite.

    Args:
        name: of the link.
        mass: [kg].
        centre: of mass, in the frame of the link [m]; null without a mass.
        moments: principal ones about the centre of mass, ascending [kg m²].
        margin: least eigenvalue of the pseudo-inertia, for a link in units of its own size.
        consistent: whether such a body can exist.
    """

    name: str
    mass: float
    centre: list[float] | None
    moments: list[float] | None
    margin: float
    consistent: bool


class JointTerms(_Part):
    """Which terms joints have, as `Layout` takes them: single widths, no candidates left."""

    terms: list[str]
    joint_terms: dict[str, list[str]] = {}
    coupled: list[str] = []


class RobotUsed(_Part):
    """The robot of a fit: its file within the folder, and what was changed once it was read."""

    name: str
    file: str
    options: dict[str, Any] = Field(description="Keys of `RobotOptions`.")
    links: list[str]


class Choice(_Part):
    """A width that was chosen among candidates, by the least loss on the training data.

    Losses count squared errors in units of the noise, of as many samples as are independent.

    Args:
        owner: joint, or coupled joints.
        term: of friction.
        candidates: widths.
        losses: of each.
        chosen: the width of least loss.
        at_edge: whether the true width may well lie beyond the first or last.
        without: the loss without the term.
        needed: whether the term takes away more of the loss than chance.
    """

    owner: str
    term: str
    candidates: list[float]
    losses: list[float]
    chosen: float
    at_edge: bool
    without: float | None = None
    needed: bool = True


class BlockErrors(_Part):
    """Errors of one stretch of a recording: root mean square and mean, by joint."""

    recording: str
    split: Split
    start_s: float
    end_s: float
    rmse: dict[str, float]
    mean: dict[str, float | None]


class Fold(_Part):
    """One round of cross-validation.

    Args:
        left_out: the recordings that were.
        metrics: errors there.
        baselines: those of each baseline there; the mean torque is that of the other recordings.
        status: how the fit to the others ended.
    """

    left_out: list[str]
    metrics: dict[str, Metric]
    baselines: dict[str, dict[str, Metric]] = {}
    status: Status | None = None


class ReducedModel(_Part):
    """A model of the essential base parameters alone; all others are zero in it.

    Args:
        parameters: what is left.
        covariance: of their values, in their order.
        dropped: base parameters that were left out, in the order in which they were.
        growth: of the loss, in units in which each parameter that is zero adds about one.
        limit: the growth at which the next one was no longer left out.
        metrics: by split.
    """

    parameters: list[ReducedParameter]
    covariance: list[list[float]]
    dropped: list[str]
    growth: float
    limit: float
    metrics: Metrics


class CurvePoint(_Part):
    """A point of a training curve."""

    step: int
    train: float
    validation: float | None = None
    formulas: float | None = Field(
        default=None, description="Of validation data, without the network of a hybrid."
    )


class OnlinePoint(_Part):
    """Errors of a model that has learned from so many samples, in the order of time.

    Args:
        seen: samples so far.
        nmse_var: on all data of all splits, of which an even excerpt is taken.
    """

    seen: int
    nmse_var: Metric


class DriveGain(_Part):
    """Torque per unit of the drive signal of a joint, identified with the parameters."""

    joint: str
    value: float
    std: float


class PayloadFound(_Part):
    """What the robot carries, in the frame of a link.

    Args:
        frame: the link whose frame it is.
        mass: value, lower, upper of a 95 % interval [kg]; bounds are null without an interval.
        centre: the same for each coordinate [m].
        inertia: the same for xx, xy, yy, xz, yz, zz about the centre of mass [kg m²].
        consistent: whether such a body can exist.
        statuses: of mass, centre, inertia in the order above.
    """

    frame: str
    mass: list[float | None]
    centre: list[list[float | None]]
    inertia: list[list[float | None]]
    consistent: bool
    statuses: dict[str, ParameterStatus]


class AnyFit(_Part):
    """What every `fit.json` states, whatever the fit predicts; metrics are averaged over samples.

    Fields that stand first here stand first in the file: what it predicts has to.
    """

    format: int
    predicts: Literal["torque", "acceleration"] = Field(description="What errors are of.")
    model: str
    options: dict[str, Any] = Field(default={}, description="Configuration keys of the fit.")
    robot: RobotUsed
    joints: list[str] = Field(
        min_length=1,
        description="What errors are of, in the order of the robot: joints, and before them the "
        "rows base.fx … base.mz of a floating base.",
    )
    torque: str = Field(default="tau", description="The signal that stands for torque.")
    samples: dict[str, int] = Field(description="By split.")
    recordings: dict[str, Split]
    split_by: Literal["recording", "segment"]
    status: Status
    verdict: Verdict
    metrics: Metrics
    baselines: dict[str, Metrics]
    links: list[Link] = []
    curve: list[CurvePoint] = Field(default=[], description="Of the training.")
    online: list[OnlinePoint] = Field(
        default=[], description="Errors while it learned in the order of time."
    )
    data: dict[str, RecordingUsed] = Field(default={}, description="By recording.")
    continues: Continued | None = Field(
        default=None, description="The earlier fit whose training data count as well."
    )
    ranges: dict[str, JointRange] = Field(default={}, description="Of training data, by joint.")
    remarks: list[Remark] = Field(default=[], description="What to know before it is used.")
    provenance: Provenance | None = None


class FitResult(AnyFit):
    """The content of `fit.json` of a fit of torques."""

    format: Literal[2] = 2
    predicts: Literal["torque"] = "torque"
    terms: JointTerms
    forces: Forces = Field(default=Forces(), description="Which generalised forces count.")
    independent: float = Field(gt=0, le=1, description="Share of samples not correlated.")
    noise: dict[str, float] = Field(description="Standard deviation of the errors [N m], by joint.")
    identifiability: Identifiability
    parameters: list[Parameter] = Field(min_length=1)
    base_parameters: list[BaseParameter] = []
    total_mass: TotalMass | None = Field(
        default=None, description="Of a floating robot, where the data show it."
    )
    active: list[str] = Field(default=[], description="Constraints that hold parameters back.")
    essential: list[str] | None = Field(default=None, description="Names of base parameters.")
    reduced: ReducedModel | None = Field(default=None, description="Of these parameters alone.")
    choices: list[Choice] = []
    blocks: list[BlockErrors] = []
    whiteness: dict[str, Whiteness] = {}
    folds: list[Fold] = []
    folds_mean: dict[str, Metric] = Field(default={}, description="By metric, over the folds.")
    folds_spread: dict[str, Metric] = Field(default={}, description="Standard deviations.")
    gains: list[DriveGain] = []
    payload: PayloadFound | None = None
    filtered: dict[str, FilteredData] = {}
    autocorrelation: dict[str, Autocorrelation] = Field(default={}, description="By joint.")


def read_fit(folder: Path) -> FitResult:
    """Read `fit.json` of a fit of torques."""
    path = folder / FIT
    raw = path.read_bytes()
    match kind_of(raw):
        case "forward":
            said = "this fit predicts accelerations, not torques"
            hint = "robotid report and rollout take it; for torques fit without --loss forward"
            raise BadDataError("predicts-acceleration", said, file=str(path), hint=hint)
        case "learned":
            said = "this fit is a learned model, which has no parameters of all links and joints"
            hint = "robotid report and predict take it; fit with --model sdp for parameters"
            raise BadDataError("learned-model", said, file=str(path), hint=hint)
    return parsed(FitResult, raw, path)
