"""`dataset.json`: the recordings of a dataset, and which of them are held out."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from robotid.contracts.recording import Joint, RecordingFacts
from robotid.contracts.splits import Interval, Split, write_cut
from robotid.errors import BadDataError, ConfigError

INDEX = "dataset.json"


class MadeBy(BaseModel):
    """A stage that a dataset went through: keys that differ from their defaults, what went in.

    Args:
        stage: its name.
        options: configuration keys; the map of logs is `columns`, be it a table or a file.
        inputs: digests by role, of what is neither a log nor a dataset.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    stage: str
    options: dict[str, Any] = {}
    inputs: dict[str, list[str]] = {}


class DatasetIndex(BaseModel):
    """The facts of all recordings by name, and the split they belong to.

    A recording among `intervals` was cut because there was no other to hold out: these stretches of
    time are in the splits that they name, and what lies between them is in none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    joints: list[Joint]
    recordings: dict[str, RecordingFacts]
    splits: dict[str, Split]
    intervals: dict[str, list[Interval]] = {}
    made_by: list[MadeBy] = []

    @model_validator(mode="after")
    def _names_are_plain(self) -> Self:
        """A recording lies beside the index, under its name and nowhere else."""
        for name in self.recordings:
            if not name or "/" in name or "\0" in name:
                raise ValueError(f"{name!r} is not the name of a recording")
        if self.splits.keys() != self.recordings.keys():
            raise ValueError("splits and recordings do not name the same recordings")
        if self.intervals.keys() - self.recordings.keys():
            raise ValueError("intervals name a recording that is not there")
        return self


def read_index(folder: Path) -> DatasetIndex:
    """Read `dataset.json`."""
    path = folder / INDEX
    try:
        return DatasetIndex.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        said = f"{where}: {first['msg']}".removeprefix(": ")
        raise BadDataError("bad-dataset", said, file=str(path)) from error


def write_index(
    out_dir: Path,
    recordings: Mapping[str, RecordingFacts],
    splits: Mapping[str, Split],
    intervals: Mapping[str, list[Interval]] | None = None,
    made_by: Sequence[MadeBy] = (),
) -> None:
    """Write `dataset.json` for recordings that lie beside it as `<name>.parquet`.

    Those that are cut have their cut beside them as well.

    Args:
        out_dir: the dataset folder.
        recordings: facts by name.
        splits: the split of each recording.
        intervals: stretches of time of recordings that are cut.
        made_by: stages that it went through, the first one first.
    """
    names = {name: [joint.name for joint in facts.joints] for name, facts in recordings.items()}
    first = next(iter(recordings))
    for name in names:
        if sorted(names[name]) != sorted(names[first]):  # columns are found by name (B48)
            raise BadDataError(
                "joints-differ",
                f"recording {name} has joints {names[name]}, {first} has {names[first]}",
                hint="recordings of one dataset need the same joints",
            )
        if name not in splits:
            said = f"recording {name} is in the folder and not in {INDEX}"
            raise BadDataError("not-in-index", said, hint="ingest it again")
    index = DatasetIndex(
        joints=recordings[first].joints,
        recordings=dict(recordings),
        splits={name: splits[name] for name in recordings},
        intervals=dict(intervals or {}),
        made_by=list(made_by),
    )
    (out_dir / INDEX).write_text(index.model_dump_json(indent=1), encoding="utf-8")
    for name, own in index.intervals.items():
        write_cut(out_dir, name, own)


def assign_splits(
    names: Sequence[str], train: Sequence[str], val: Sequence[str], test: Sequence[str]
) -> dict[str, Split]:
    """The split of each recording.

    Args:
        names: recording names, sorted.
        train: names, patterns or a share of training recordings; empty means all that are left.
        val: the same for validation; empty means none.
        test: the same for the test; empty means the last one that is left, if that leaves one for
            training.
    """
    given: dict[Split, Sequence[str]] = {"test": test, "val": val, "train": train}
    chosen: dict[str, Split] = {}
    for split, patterns in given.items():
        for name in _matching(names, [p for p in patterns if split_share(p) is None]):
            if name in chosen:
                said = f"{name} would be in {chosen[name]} and in {split}"
                raise ConfigError("in-two-splits", said)
            chosen[name] = split
    for split, patterns in given.items():
        for share in filter(None, map(split_share, patterns)):
            left = [name for name in names if name not in chosen]
            count = max(1, round(share * len(names)))
            if count > len(left):
                said = (
                    f"{split} {share:g}: {count} of {len(names)} recordings, {len(left)} are left"
                )
                raise ConfigError("too-few-recordings", said)
            # By the digest of the name: the choice says nothing of order or time.
            chosen |= dict.fromkeys(sorted(left, key=_scattered)[:count], split)
    left = [name for name in names if name not in chosen]
    if train and left:
        said = f"{', '.join(left[:5])} would be in no split"
        raise ConfigError("in-no-split", said, hint="name them, or leave out train")
    if not test and len(left) > 1:
        chosen[left[-1]] = "test"
    return {name: chosen.get(name, "train") for name in names}


def split_share(text: str) -> float | None:
    """A share of recordings, such as 0.2; None for a name or a pattern."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 < value < 1 else None


def _scattered(name: str) -> str:
    return sha256(name.encode("utf-8", "surrogateescape")).hexdigest()


def _matching(names: Sequence[str], patterns: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for pattern in patterns:
        matching = {name for name in names if name == pattern or fnmatch(name, pattern)}
        if not matching:
            said = f"no recording matches {pattern!r}"
            raise ConfigError("no-such-recording", said, hint=", ".join(names[:10]))
        found |= matching
    return found
