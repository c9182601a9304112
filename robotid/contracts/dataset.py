"""`dataset.json`: the recordings of a dataset, and which of them are held out."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from robotid.contracts.recording import Joint, RecordingFacts
from robotid.errors import BadDataError, ConfigError

INDEX = "dataset.json"
Split = Literal["train", "val", "test"]


class DatasetIndex(BaseModel):
    """The facts of all recordings by name, and the split they belong to."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    joints: list[Joint]
    recordings: dict[str, RecordingFacts]
    splits: dict[str, Split]


def read_index(folder: Path) -> DatasetIndex:
    """Read `dataset.json`."""
    path = folder / INDEX
    try:
        return DatasetIndex.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        said = f"{where}: {first['msg']}"
        raise BadDataError("bad-dataset", said, file=str(path)) from error


def write_index(
    out_dir: Path, recordings: Mapping[str, RecordingFacts], splits: Mapping[str, Split]
) -> None:
    """Write `dataset.json` for recordings that lie beside it as `<name>.parquet`.

    Args:
        out_dir: the dataset folder.
        recordings: facts by name.
        splits: the split of each recording.
    """
    names = {name: [joint.name for joint in facts.joints] for name, facts in recordings.items()}
    first = next(iter(recordings))
    for name in names:
        if names[name] != names[first]:
            raise BadDataError(
                "joints-differ",
                f"recording {name} has joints {names[name]}, {first} has {names[first]}",
                hint="recordings of one dataset need the same joints",
            )
    index = DatasetIndex(
        joints=recordings[first].joints, recordings=dict(recordings), splits=dict(splits)
    )
    (out_dir / INDEX).write_text(index.model_dump_json(indent=1), encoding="utf-8")


def assign_splits(
    names: Sequence[str], val: Sequence[str], test: Sequence[str]
) -> dict[str, Split]:
    """The split of each recording: by pattern, or the last of several held out.

    Args:
        names: recording names, sorted.
        val: names or patterns of validation recordings.
        test: names or patterns of test recordings; empty means the last one, if there are two.
    """
    for pattern in (*val, *test):
        if not any(fnmatch(name, pattern) for name in names):
            raise ConfigError(
                "no-such-recording", f"no recording matches {pattern!r}", hint=", ".join(names[:10])
            )
    splits: dict[str, Split] = dict.fromkeys(names, "train")
    splits |= {name: "val" for name in names if any(fnmatch(name, p) for p in val)}
    splits |= {name: "test" for name in names if any(fnmatch(name, p) for p in test)}
    if not test and len(names) > 1:
        splits[names[-1]] = "test"
    return splits
