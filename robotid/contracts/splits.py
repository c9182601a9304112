"""Splits: what data are for."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from robotid.errors import BadDataError

Split = Literal["train", "val", "test"]

CUT = ".cut.json"


class Interval(BaseModel):
    """A stretch of time of a recording that was cut, from its `t` [s], and the split it is in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    split: Split
    start_s: float
    end_s: float


class Cut(BaseModel):
    """`<recording>.cut.json` beside a recording that was cut: its intervals in `dataset.json`.

    Stages that see one recording at a time read it: they then depend on its own cut and no other.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    intervals: list[Interval]


def write_cut(folder: Path, name: str, intervals: Sequence[Interval]) -> None:
    """Write `<name>.cut.json`."""
    cut = Cut(intervals=list(intervals))
    (folder / f"{name}{CUT}").write_text(cut.model_dump_json(indent=1), encoding="utf-8")


def read_cut(recording: Path) -> list[Interval]:
    """The stretches of a recording that was cut; none where it was not."""
    path = recording.with_name(recording.stem + CUT)
    try:
        return Cut.model_validate_json(path.read_bytes()).intervals
    except FileNotFoundError:
        return []
    except ValidationError as error:
        said = f"not the cut of a recording: {error.errors()[0]['msg']}"
        raise BadDataError("bad-dataset", said, file=str(path), hint="filter again") from error
