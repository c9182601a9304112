"""The one JSON object that a command prints with `--json`."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from robotid.errors import Notice, RobotidError, exit_code_of
from robotid.runner.preview import Preview
from robotid.runner.result import RunResult, StageResult
from robotid.store.explain import Explanation
from robotid.store.housekeeping import Collected, Status


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class StageAnswer(_Answer):
    """How a stage ended."""

    status: Literal["ok", "error", "skipped"]
    stage: str
    outputs: dict[str, str] = Field(description="Paths by kind.")
    cached: bool
    key: str | None = Field(description="The cache key of the result.")
    seconds: float
    warnings: list[Notice]
    error: Notice | None
    exit_code: int


class RunAnswer(_Answer):
    """How a run ended; each stage in the form of a single stage command."""

    status: Literal["ok", "error"]
    run: str | None = Field(description="The run's name, for cache explain.")
    stages: list[StageAnswer]
    warnings: list[Notice] = Field(description="About the run itself, such as its cache.")
    error: Notice | None
    exit_code: int


class ErrorAnswer(_Answer):
    """A command that failed before there was a stage, or that has no stages."""

    status: Literal["error"] = "error"
    stage: str
    outputs: dict[str, str] = {}
    cached: bool = False
    key: None = None
    warnings: list[Notice] = []
    error: Notice
    exit_code: int


class _Finished(_Answer):
    status: Literal["ok"] = "ok"
    warnings: list[Notice] = []
    error: None = None
    exit_code: int = 0


class PreviewAnswer(_Finished):
    """What a run would do."""

    tasks: list[Preview]


class StatusAnswer(_Finished):
    """What the cache holds; sizes in bytes."""

    root: str
    holds: Status


class VerifyAnswer(_Finished):
    """How many entries are sound, and which are not."""

    sound: int
    damaged: list[str]
    repaired: bool


class CollectAnswer(_Finished):
    """What a gc removed, or would; sizes in bytes."""

    dry_run: bool
    collected: Collected


class Explained(_Answer):
    """A result, and the fields in which its key differs from the nearest other one."""

    stage: str
    key: str
    record: dict[str, Any]
    nearest: str | None
    differences: list[dict[Literal["field", "before", "now"], str]]


class ExplainAnswer(_Finished):
    """Why results were computed again."""

    results: list[Explained]


class RobotSummary(_Answer):
    """A robot that comes with the package."""

    name: str
    joints: int = Field(description="Joints with one degree of freedom.")
    floating: bool
    mass: float = Field(description="Of all links, fixed ones included [kg].")
    summary: str


class RobotsAnswer(_Finished):
    """The robots that come with the package."""

    robots: list[RobotSummary]


class JointFacts(_Answer):
    """A joint with one degree of freedom; a limit that is not given is null."""

    name: str
    kind: Literal["revolute", "continuous", "prismatic"]
    link: str = Field(description="The link it moves.")
    parent: str = Field(description="The link that one hangs on.")
    axis: tuple[float, float, float] = Field(description="In the axes of the link.")
    lower: float | None = Field(description="[rad or m]")
    upper: float | None
    velocity: float | None
    effort: float | None = Field(description="[N m or N]")
    damping: float
    friction: float
    rotor_inertia: float


class LinkFacts(_Answer):
    """A link of the file, with its own mass."""

    name: str
    mass: float
    tied_to: str | None = Field(
        description="What it is fixed to: a moving link, the base, the ground; null if it moves."
    )


class RobotAnswer(_Finished):
    """All about one robot."""

    name: str
    file: str
    format: Literal["urdf", "mjcf"]
    base: str
    floating: bool
    gravity: tuple[float, float, float]
    mass: float
    joints: list[JointFacts]
    links: list[LinkFacts]
    base_parameters: list[str] | None = Field(
        description="Sums of link parameters that torques determine; null if not asked for."
    )


class TrackAnswer(_Answer):
    """Lowest, mean and highest value in stretches of equal length; null where there is none."""

    low: list[float | None]
    mean: list[float | None]
    high: list[float | None]


class TimeAnswer(_Answer):
    """Steps of a column that could be times, in its own unit."""

    step: float
    gaps: int = Field(description="Steps longer than three usual ones.")
    longest: float
    back: int
    same: int
    jitter: float = Field(description="Standard deviation over mean of steps between gaps.")
    rates_hz: dict[str, float] = Field(description="By units of time that make sense.")


class ColumnAnswer(_Answer):
    """A column; null where there is no finite value."""

    name: str
    kind: Literal["float", "int", "bool", "text"]
    unit: str | None = Field(description="As the file states it.")
    signal: str | None = Field(description="What it is by the map.")
    mapped_unit: str | None = Field(description="Its unit by the map.")
    values: int
    not_finite: int
    low: float | None
    high: float | None
    mean: float | None
    std: float | None
    first: float | None
    last: float | None
    repeats: float = Field(description="Share of values equal to the one before.")
    roughness: float | None = Field(description="Std of second differences over std of values.")
    lost_sign_bits: int | None
    track: TrackAnswer
    time: TimeAnswer | None


class StreamAnswer(_Answer):
    """A stream of a log."""

    file: str
    name: str
    message_type: str
    rows: int = Field(description="That were looked at.")
    complete: bool = Field(description="Whether these are all.")
    columns: list[ColumnAnswer]


class RemarkAnswer(_Answer):
    """A reason, or something to check, about a table of the map."""

    table: str
    text: str
    check: bool
    line: str | None


class PassedAnswer(_Answer):
    """Columns that were not chosen for a signal, and why."""

    table: str
    columns: str
    reason: str


class InspectAnswer(_Finished):
    """What is inside a log, and a map for it."""

    path: str = Field(description="The log that ingest is to be given.")
    folder: bool
    alike: list[str] = Field(description="Other files of the folder that the map is for.")
    formats: list[str]
    constants: dict[str, float | str]
    streams: list[StreamAnswer]
    map: dict[str, Any]
    map_text: str
    map_needed: bool
    map_file: str | None = Field(description="Where the map was written.")
    remarks: list[RemarkAnswer]
    passed: list[PassedAnswer]
    refused: list[Notice] = Field(description="What ingest would refuse, in turn.")
    flags: list[str] = Field(description="Flags of ingest that answer refusals.")


class StartLogAnswer(_Answer):
    """A recording of a pipeline that init wrote."""

    path: str
    name: str = Field(description="Of the recording.")
    formats: list[str]
    samples: int = Field(description="That were looked at.")
    rate_hz: float | None
    signals: list[str] = Field(description="Of joints that are read.")
    refused: list[Notice] = Field(description="What ingest would refuse, in turn.")


class InitAnswer(_Finished):
    """A pipeline for logs nobody has described yet."""

    pipeline: str
    map_file: str | None = Field(description="Null where no map is needed.")
    ready: bool = Field(description="Whether the pipeline runs as it is.")
    robot: str
    held: list[str] = Field(description="Joints that no log has and that are not yet locked.")
    logs: list[StartLogAnswer]
    checks: list[RemarkAnswer] = Field(description="What a user has to look at.")
    next: str = Field(description="The command that runs it.")


ANSWERS = (
    StageAnswer
    | RunAnswer
    | ErrorAnswer
    | PreviewAnswer
    | StatusAnswer
    | VerifyAnswer
    | CollectAnswer
    | ExplainAnswer
    | RobotsAnswer
    | RobotAnswer
    | InspectAnswer
    | InitAnswer
)


def answer_of_stage(result: StageResult, more: list[Notice]) -> StageAnswer:
    """The answer of a single stage; `more` are findings about the run itself."""
    error = result.error
    return StageAnswer(
        status="error" if error else "skipped" if result.status == "skipped" else "ok",
        stage=result.node.name,
        outputs={result.node.stage.output: str(result.path)} if result.path else {},
        cached=result.status == "cached",
        key=result.entry.key if result.entry else None,
        seconds=round(result.seconds, 3),
        warnings=[*result.notices, *more],
        error=error.notice if error else None,
        exit_code=error.exit_code if error else exit_code_of(result.notices),
    )


def answer_of_run(result: RunResult, run: str | None) -> RunAnswer:
    """The answer of a whole run."""
    return RunAnswer(
        status="error" if result.error else "ok",
        run=run,
        stages=[answer_of_stage(stage, []) for stage in result.stages],
        warnings=result.notices,
        error=result.error.notice if result.error else None,
        exit_code=result.exit_code,
    )


def answer_of_error(name: str, error: RobotidError, code: int) -> ErrorAnswer:
    """The answer of a command that raised an error."""
    return ErrorAnswer(stage=name, error=error.notice, exit_code=code)


def explained(item: Explanation) -> Explained:
    """One explanation in JSON form."""
    return Explained(
        stage=item.manifest.stage,
        key=item.manifest.key,
        record=item.manifest.record,
        nearest=item.nearest,
        differences=[
            {"field": d.field, "before": d.before, "now": d.now} for d in item.differences
        ],
    )
