"""Factors of a recording: what its samples say about the parameters, in one safetensors file.

Beside the facts (JSON in the file's metadata) there are four tensors per row of torque:

    <row number>.expansion  (r, p)     E: the row's columns W = W_b E from independent ones
    <row number>.factor     (blocks, (r + 1)(r + 2) / 2)  R of [W_b | tau], upper triangle by rows
    <row number>.torque     (blocks, 3)  sum, least and greatest torque of each block
    <row number>.whole      ((r + 1)(r + 2) / 2,)  R of all blocks together

and what a fit wants to know of the samples themselves, so that it need not read them:

    extremes         (blocks, 4 nv, 2)  least and greatest q, qd, qdd and tau, by `extent`
    middle.t         (m,)  times of some samples in the middle of the recording [s]
    middle.<column>  (m,)  these samples of every column that factors are made of, and temperatures

A folder of factors has one such file per recording, and `factors.json` as its index.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from robotid.contracts.forces import Forces
from robotid.contracts.splits import Interval, Split
from robotid.contracts.tensors import digest_of
from robotid.errors import BadDataError, raise_trouble

INDEX = "factors.json"
FACTORS = "factors.safetensors"
FACTS = "facts.json"
MOST_BLOCKS = 64
MIDDLE = 2000  # samples in the middle of a recording, at most
_FACTS_KEY = "robotid.factors"
_MIDDLE = "middle."

Array = NDArray[np.float64]
Middle = dict[str, Array]  # samples in the middle of a recording by column; t [s]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Block(_Part):
    """A stretch of a recording: when it begins and ends [s], and how many samples it has."""

    start_s: float
    end_s: float
    samples: int = Field(gt=0)


class Row(_Part):
    """A row of torque: its name, and the positions of its columns among the parameters."""

    name: str
    columns: list[int]


class RobotFacts(_Part):
    """What the factors are about: robot, joint terms, parameters and rows.

    `terms`, `joint_terms` and `coupled` are what `Layout` takes besides the robot.
    """

    robot: str
    torque: str = Field(default="tau", description="The signal that stands for torque.")
    geometry_sha256: str = Field(description="Of all that regressors of the robot depend on.")
    terms: list[str]
    joint_terms: dict[str, list[str]] = {}
    coupled: list[str] = []
    forces: Forces = Field(default=Forces(), description="Which generalised forces count.")
    parameters: list[str]
    rows: list[Row]


class FactorFacts(_Part):
    """What is known of the factors of one recording."""

    format: Literal[2] = 2
    about: RobotFacts
    rate_hz: float
    independent: float = Field(gt=0, le=1, description="Share of samples not correlated.")
    blocks: list[Block] = Field(min_length=1, max_length=MOST_BLOCKS)
    tensors_sha256: str = ""


class FactorIndex(_Part):
    """The content of `factors.json`."""

    format: Literal[1] = 1
    about: RobotFacts
    recordings: dict[str, FactorFacts]
    splits: dict[str, Split]
    intervals: dict[str, list[Interval]] = Field(
        default={}, description="Stretches of time of recordings that are cut, as in the dataset."
    )

    @model_validator(mode="after")
    def _same_names(self) -> Self:
        if self.splits.keys() != self.recordings.keys():
            raise ValueError("splits and recordings do not name the same recordings")
        if any(not name or "/" in name or "\0" in name for name in self.recordings):
            raise ValueError("a recording has a name that is none")
        return self


class RowTensors(NamedTuple):
    """The tensors of one row; see the top of this file."""

    expansion: Array
    factor: Array
    torque: Array


class RecordingTensors(NamedTuple):
    """The tensors of a recording, those of rows and the upper triangles of `whole` by row."""

    rows: list[RowTensors]
    whole: list[Array]
    extremes: Array
    middle: Middle

    def by_name(self) -> dict[str, Array]:
        """As a file has them."""
        found = {
            f"{number}.{name}": value
            for number, row in enumerate(self.rows)
            for name, value in row._asdict().items()
        }
        found |= {f"{number}.whole": value for number, value in enumerate(self.whole)}
        found |= {f"{_MIDDLE}{name}": value for name, value in self.middle.items()}
        found["extremes"] = self.extremes
        return {name: np.ascontiguousarray(value) for name, value in found.items()}

    @classmethod
    def of(cls, tensors: Mapping[str, Array], rows: int) -> "RecordingTensors":
        """From a file with so many rows."""
        return cls(
            [
                RowTensors(*(tensors[f"{number}.{name}"] for name in RowTensors._fields))
                for number in range(rows)
            ],
            [tensors[f"{number}.whole"] for number in range(rows)],
            tensors["extremes"],
            {
                name.removeprefix(_MIDDLE): value
                for name, value in tensors.items()
                if name.startswith(_MIDDLE)
            },
        )


class Summary(NamedTuple):
    """The tensors of a recording without those of blocks and samples, by row but for `extremes`."""

    expansion: list[Array]
    torque: list[Array]
    whole: list[Array]
    extremes: Array


def write_factors(folder: Path, facts: FactorFacts, found: RecordingTensors) -> None:
    """Write `factors.safetensors`, and its facts beside it for those who need no more.

    The same factors give the same bytes.
    """
    tensors = found.by_name()
    check_rows(facts.about, found.rows, len(facts.blocks), folder / FACTORS)
    text = facts.model_copy(update={"tensors_sha256": digest_of(tensors)}).model_dump_json()
    save_file(tensors, folder / FACTORS, metadata={_FACTS_KEY: text})
    (folder / FACTS).write_text(text, encoding="utf-8")


def read_factors(path: Path) -> tuple[FactorFacts, RecordingTensors]:
    """Read the factors of a recording; damage and foreign files are refused."""
    with _opened(path) as file:
        facts = _facts_in(file)
        tensors = {name: file.get_tensor(name) for name in sorted(file.keys())}
        found = RecordingTensors.of(tensors, len(facts.about.rows))
    if digest_of(tensors) != facts.tensors_sha256:
        said = "the factors are not what was written"
        raise BadDataError("factors-damaged", said, file=str(path), hint="compute them again")
    check_rows(facts.about, found.rows, len(facts.blocks), path)
    _check_rest(facts, found, path)
    return facts, found


def read_summary(path: Path) -> tuple[FactorFacts, Summary]:
    """Read what is small of the factors of a recording, without checking it."""
    with _opened(path) as file:
        facts = _facts_in(file)
        rows = range(len(facts.about.rows))
        expansion, torque, whole = (
            [file.get_tensor(f"{row}.{name}") for row in rows]
            for name in ("expansion", "torque", "whole")
        )
        return facts, Summary(expansion, torque, whole, file.get_tensor("extremes"))


def read_blocks(path: Path, rows: int) -> list[Array]:
    """Read the factors of blocks by row once more, without checking them."""
    with _opened(path) as file:
        return [file.get_tensor(f"{row}.factor") for row in range(rows)]


def read_middle(path: Path) -> Middle:
    """Read some samples of a recording once more, without checking them."""
    with _opened(path) as file:
        names = [name for name in sorted(file.keys()) if name.startswith(_MIDDLE)]
        return {name.removeprefix(_MIDDLE): file.get_tensor(name) for name in names}


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """A file of factors; damage and foreign files are refused."""
    try:
        with safe_open(path, framework="numpy") as file:
            yield file
    except (OSError, SafetensorError, KeyError, ValidationError, ValueError) as error:
        raise_trouble(error, "reading a result", path)
        said = f"not factors of robotid, or of another version ({type(error).__name__})"
        hint = "compute them again"
        raise BadDataError("not-factors", said, file=str(path), hint=hint) from error


def _facts_in(file: Any) -> FactorFacts:
    return FactorFacts.model_validate_json((file.metadata() or {})[_FACTS_KEY])


def _check_rest(facts: FactorFacts, found: RecordingTensors, path: Path) -> None:
    """Refuse what is not of so many blocks, rows and samples."""
    blocks, samples = len(facts.blocks), {value.shape for value in found.middle.values()}
    good = (
        [whole.shape for whole in found.whole] == [row.factor.shape[1:] for row in found.rows]
        and found.extremes.ndim == 3
        and found.extremes.shape == (blocks, found.extremes.shape[1] // 4 * 4, 2)
        and "t" in found.middle
        and samples == {(found.middle["t"].size,)}
        and all(value.dtype == np.float64 for value in found.by_name().values())
    )
    if not good:
        raise BadDataError("bad-factors", "tensors do not fit together", file=str(path))


def read_facts(folder: Path) -> FactorFacts:
    """Read the facts that `write_factors` put beside the factors."""
    return FactorFacts.model_validate_json((folder / FACTS).read_bytes())


def read_index(folder: Path) -> FactorIndex:
    """Read `factors.json`."""
    path = folder / INDEX
    try:
        return FactorIndex.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadDataError("bad-factors", f"{where}: {first['msg']}", file=str(path)) from error


def write_index(
    out_dir: Path,
    recordings: Mapping[str, FactorFacts],
    splits: Mapping[str, Split],
    intervals: Mapping[str, list[Interval]] | None = None,
) -> None:
    """Write `factors.json` for factors that lie beside it as `<name>.safetensors`."""
    first = next(iter(recordings.values()))
    index = FactorIndex(
        about=first.about,
        recordings=dict(recordings),
        splits={name: splits[name] for name in recordings},
        intervals=dict(intervals or {}),
    )
    (out_dir / INDEX).write_text(index.model_dump_json(indent=1), encoding="utf-8")


def check_rows(about: RobotFacts, rows: list[RowTensors], blocks: int, path: Path) -> None:
    """Refuse tensors that are not those of so many blocks; the path is for messages."""
    for row, (expansion, factor, torque) in zip(about.rows, rows, strict=True):
        rank = expansion.shape[0]
        size = (rank + 1) * (rank + 2) // 2
        shapes = (expansion.shape, factor.shape, torque.shape)
        if shapes != ((rank, len(row.columns)), (blocks, size), (blocks, 3)):
            said = f"tensors of row {row.name} have shapes {shapes}"
            raise BadDataError("bad-factors", said, file=str(path), joint=row.name)
        if any(value.dtype != np.float64 for value in (expansion, factor, torque)):
            said = f"tensors of row {row.name} are not all float64"
            raise BadDataError("bad-factors", said, file=str(path), joint=row.name)
