"""`ingest`: raw logs into a dataset."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from robotid.errors import BadDataError, ConfigError, Notice
from robotid.ingestion.column_map import ColumnMap
from robotid.ingestion.options import IngestOptions
from robotid.robot.options import RobotOptions
from robotid.stages.configuration import TomlFile, parse_config
from robotid.stages.contract import Input, Inputs, Source, Stage, StageConfig

if TYPE_CHECKING:
    from robotid.robot.tree import RobotTree


class IngestConfig(IngestOptions, RobotOptions, StageConfig):
    """How logs are read, what of the robot moves, and which recordings are held out."""

    columns: ColumnMap | None = Field(
        default=None, description="Which column is what: a map as a table, instead of a file."
    )


def run(config: IngestConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Read one log into one recording."""
    from robotid.ingestion.recording import ingest_recording

    _, path, digest = inputs["logs"][0]
    columns = config.columns
    if inputs.get("map"):
        if columns is not None:
            raise ConfigError("two-maps", "there is a map as a table and one as a file")
        source = TomlFile(inputs["map"][0].path)
        columns = parse_config(ColumnMap, source.values, source=source)
    robot, notices = _robot(config, inputs)
    return [*notices, *ingest_recording(path, digest, columns, robot, config, out_dir)]


def _robot(config: IngestConfig, inputs: Inputs) -> "tuple[RobotTree | None, Sequence[Notice]]":
    if not inputs.get("robot"):
        return None, ()
    from robotid.robot.load import load_robot

    loaded = load_robot(inputs["robot"][0].path, **config.changes())
    return loaded.tree, loaded.notices


def gather(
    config: IngestConfig, inputs: Inputs, parts: Sequence[Source], out_dir: Path
) -> list[Notice]:
    """Write the index: which recordings there are, and which are held out."""
    del inputs
    from robotid.contracts.dataset import assign_splits, write_index
    from robotid.contracts.recording import read_facts

    recordings = {part.name: read_facts(part.path) for part in parts}
    seen: dict[str, str] = {}
    for name, facts in recordings.items():
        other = seen.setdefault(facts.source_sha256, name)
        if other != name:
            raise BadDataError(
                "same-recording",
                f"{other} and {name} are the same recording: it would count twice",
                hint="leave one of them out",
            )
    splits = assign_splits(list(recordings), config.train, config.val, config.test)
    write_index(out_dir, recordings, splits)
    return []


STAGE = Stage(
    name="ingest",
    config=IngestConfig,
    inputs={
        "logs": Input("log", "LOG", "raw logs, one recording each", many=True, each=""),
        "map": Input(
            "file",
            "MAP",
            "which column is what (TOML); robotid inspect writes one",
            optional=True,
            option=True,
        ),
        "robot": Input(
            "robot",
            "ROBOT",
            "a robot file (URDF or MJCF) or the name of a robot, to check the logs against",
            optional=True,
            option=True,
        ),
    },
    output="dataset",
    origin=__name__,
    uses=(
        "robotid.contracts.dataset",
        "robotid.contracts.recording",
        "robotid.ingestion",
        "robotid.logs",
        "robotid.robot",
        "robotid.stages.configuration",
    ),
    libraries=("numpy", "polars", "pyarrow.parquet", "pydantic", "zstandard"),
    extras=("h5py", "lz4", "mujoco", "rosbags", "scipy"),  # loaded when such a file is met
    run=run,
    gather=gather,
    part_file="recording.parquet",
    gather_keys=("train", "val", "test"),
    tolerant=True,
)
