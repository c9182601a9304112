"""What a newcomer's pipeline is made of, and its text: a file to be read, run and edited."""

import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from robotid.contracts.dataset import split_share
from robotid.dynamics.terms import DEFAULT_TERMS
from robotid.errors import Notice
from robotid.ingestion.column_map import ColumnMap
from robotid.inspection.inspection import Inspection
from robotid.inspection.map_text import comment, quoted
from robotid.inspection.several import Looked
from robotid.robot.catalog import is_name

# Why a model is in the comparison; others are named without a reason.
_REASONS = {
    "ols": "least squares: what the data say where nothing else is asked for",
    "sdp": "links that can exist: the model to use",
}


@dataclass(frozen=True)
class StartLog:
    """A recording of the pipeline.

    Args:
        name: what the recording is called by all stages.
        looked: what is inside, what it is read with, and what ingest would say.
    """

    name: str
    looked: Looked

    @property
    def found(self) -> Inspection:
        """What is inside."""
        return self.looked.found

    @property
    def columns(self) -> ColumnMap:
        """What it is read with."""
        return self.looked.columns

    @property
    def refused(self) -> tuple[Notice, ...]:
        """What ingest would refuse."""
        return self.looked.trial.refused

    @property
    def samples(self) -> int:
        """Rows of the longest stream that were looked at."""
        return max(stream.rows for stream in self.found.streams)

    @property
    def rate_hz(self) -> float | None:
        """Samples per second by the chosen times, if they are known."""
        time = self.columns.time
        if time.rate_hz is not None:
            return time.rate_hz
        for stream in self.found.streams:
            for column in stream.columns:
                if column.name == time.column and column.time is not None and time.unit:
                    return column.time.rate_hz(time.unit)
        return None

    def summary(self) -> str:
        """What is inside, in a few words."""
        rate = f" at {self.rate_hz:.4g} Hz" if self.rate_hz is not None else ""
        parts = dict.fromkeys(prefix.partition(".")[0] for prefix in self.columns.parts())
        signals = ", ".join([*self.columns.signals(), *parts])
        return f"{', '.join(self.found.formats)}, {self.samples:,} samples{rate}; {signals}"


@dataclass(frozen=True)
class Start:
    """What init has found and chosen.

    Args:
        logs: the recordings; the last of several is for the test.
        map_file: the map of their columns; None where none is needed.
        robot: as the user named it.
        changes: keys of the robot's options that were given.
        missing: joints of the robot that the logs do not have.
        models: to be fitted and compared.
        target: the pipeline file.
    """

    logs: Sequence[StartLog]
    map_file: Path | None
    robot: str
    changes: Mapping[str, str | list[str]]
    missing: Sequence[str]
    models: Sequence[str]
    target: Path

    @property
    def ready(self) -> bool:
        """Whether it runs as it is."""
        return all(log.columns.tau is not None and not log.refused for log in self.logs)

    def text(self) -> str:
        """The pipeline file."""
        lines = [
            comment(f"From {_count(self.logs)} to parameters and a report: written by robotid."),
            comment("CHECK marks what was guessed or is left to you. docs/quickstart.md goes on."),
            "",
            f"description = {quoted(self._description())}",
            "",
            *self._ingest(),
            "",
            *self._filter(),
        ]
        for model in self.models:
            lines += ["", *self._fit(model)]
        fits = ", ".join(quoted(f"@{model}") for model in self.models)
        lines += ["", "[stages.report]", f"inputs.fits = [{fits}]"]
        return "\n".join(lines) + "\n"

    def _description(self) -> str:
        robot = self.robot if is_name(self.robot) else Path(self.robot).stem
        return f"{robot}: {_count(self.logs)}, {' and '.join(self.models)}"

    def _ingest(self) -> Iterator[str]:
        yield "[stages.ingest]"
        yield "inputs.logs = ["
        for log in self.logs:
            path = quoted(written_path(log.found.path, self.target.parent))
            yield f"    {path},  {comment(f'{log.name}: {log.summary()}')}"
        yield "]"
        if self.map_file is not None:
            path = quoted(written_path(self.map_file, self.target.parent))
            yield f"inputs.map = {path}  # which column is what"
        yield from self._robot()
        if self.missing:
            yield comment("CHECK: not in the logs; where do they stand? Say it in every stage:")
            held = ", ".join(quoted(f"{joint}=0") for joint in self.missing)
            yield comment(f"lock = [{held}]")
        if len(self.logs) > 1:
            yield f"test = [{quoted(_pattern(self.logs[-1].name))}]  # held out: no fit sees it"
        yield from self._refusals()

    def _refusals(self) -> Iterator[str]:
        """What ingest would refuse, and what accepts it."""
        codes: dict[str, None] = {}
        for log in self.logs:
            for notice in log.refused:
                joint = f" ({notice.joint})" if notice.joint else ""
                yield comment(f"CHECK: {log.name}{joint} would be refused: {notice.message}")
                if notice.hint:
                    yield comment(f"  {notice.hint}")
                if f"--accept {notice.code}" in (notice.hint or ""):
                    codes[notice.code] = None
        if codes:
            listed = ", ".join(map(quoted, codes))
            yield comment(f"accept = [{listed}]")

    def _filter(self) -> Iterator[str]:
        yield "[stages.filter]"
        yield 'inputs.dataset = "@ingest"'
        yield 'cutoff_hz = "auto"  # Hz, or by the noise that each recording shows'
        if len(self.logs) == 1:
            yield "hold_out = 0.2  # the end of the only recording is for the test"

    def _fit(self, model: str) -> Iterator[str]:
        yield f"[stages.{model}]" + (f"  # {_REASONS[model]}" if model in _REASONS else "")
        yield 'stage = "fit"'
        yield 'inputs.dataset = "@filter"'
        yield from self._robot()
        yield f"model = {quoted(model)}"
        terms = ", ".join(map(quoted, DEFAULT_TERMS))
        yield f"terms = [{terms}]  # what joints add; others: docs/friction.md"

    def _robot(self) -> Iterator[str]:
        robot = self.robot
        if not is_name(robot):
            robot = written_path(Path(robot), self.target.parent)
        yield f"inputs.robot = {quoted(robot)}"
        for key, value in self.changes.items():
            text = quoted(value) if isinstance(value, str) else ", ".join(map(quoted, value))
            yield f"{key} = {text}" if isinstance(value, str) else f"{key} = [{text}]"


def written_path(path: Path, base: Path) -> str:
    """A path as a pipeline in folder `base` names it: relative, if they have a folder in common.

    The name of a link stays, its folder is where it really lies: so `..` leads there.
    """
    real = Path(os.path.realpath(path.parent), path.name)
    if path.name in ("", ".."):
        real = Path(os.path.realpath(path))
    folder = os.path.realpath(base)
    if os.path.commonpath([real, folder]) == os.sep:
        return str(real)
    relative = os.path.relpath(real, folder)
    # What begins with @ would be a stage, and a bare word the name of a robot.
    return relative if os.sep in relative else f"./{relative}"


def _pattern(name: str) -> str:
    """A pattern that means just this recording, and no share of recordings."""
    escaped = glob.escape(name)
    return f"[{name[0]}]{name[1:]}" if split_share(name) is not None else escaped


def _count(logs: Sequence[StartLog]) -> str:
    return f"{len(logs)} recordings" if len(logs) > 1 else "one recording"
