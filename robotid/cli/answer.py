"""The one JSON object that a command prints with `--json`."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from robotid.errors import ExitCode, Notice, RobotidError, exit_code_of
from robotid.runner.run import RunResult, StageResult


class StageAnswer(BaseModel):
    """How a stage ended."""

    model_config = ConfigDict(extra="forbid")

    status: Literal["ok", "error", "skipped"]
    stage: str
    outputs: dict[str, str] = Field(description="Paths by kind.")
    cached: bool
    key: str | None = Field(description="The cache key of the result.")
    seconds: float
    warnings: list[Notice]
    error: Notice | None
    exit_code: int


class RunAnswer(BaseModel):
    """How a run ended; each stage in the form of a single stage command."""

    model_config = ConfigDict(extra="forbid")

    status: Literal["ok", "error"]
    run: str | None = Field(description="The run's name, for cache explain.")
    stages: list[StageAnswer]
    warnings: list[Notice] = Field(description="About the run itself, such as its cache.")
    error: Notice | None
    exit_code: int


class ErrorAnswer(BaseModel):
    """A command that failed before there was a stage, or that has no stages."""

    model_config = ConfigDict(extra="forbid")

    status: Literal["error"] = "error"
    stage: str
    outputs: dict[str, str] = {}
    cached: bool = False
    key: None = None
    warnings: list[Notice] = []
    error: Notice
    exit_code: int


def answer_of_stage(result: StageResult, more: list[Notice]) -> StageAnswer:
    """The answer of a single stage; `more` are findings about the run itself."""
    error = result.error
    skipped = result.status == "skipped"
    finished = exit_code_of(result.notices)
    return StageAnswer(
        status="error" if error else "skipped" if skipped else "ok",
        stage=result.node.name,
        outputs={result.node.stage.output: str(result.path)} if result.path else {},
        cached=result.status == "cached",
        key=result.entry.key if result.entry else None,
        seconds=round(result.seconds, 3),
        warnings=[*result.notices, *more],
        error=error.notice if error else None,
        exit_code=error.exit_code if error else finished,
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


def answer_of_error(name: str, error: RobotidError, code: int | ExitCode) -> dict[str, Any]:
    """The answer of a command that raised an error."""
    answer = ErrorAnswer(stage=name, error=error.notice, exit_code=code)
    return answer.model_dump(mode="json")
