"""`ingest`: raw logs into a dataset."""

from collections.abc import Iterable, Mapping, Sequence
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
    from robotid.contracts.recording import RecordingFacts
    from robotid.robot.tree import RobotTree


class IngestConfig(IngestOptions, RobotOptions, StageConfig):
    """How logs are read, what of the robot moves, and which recordings are held out."""

    columns: ColumnMap | None = Field(
        default=None, description="Which column is what: a map as a table, instead of a file."
    )


def run(config: IngestConfig, inputs: Inputs, out_dir: Path) -> list[Notice]:
    """Read one log into one recording."""
    from robotid.ingestion.recording import ingest_recording

    log = inputs["logs"][0]
    columns = _column_map(config, inputs)
    robot, notices = _robot(config, inputs)
    return ingest_recording(log.path, log.digest, columns, robot, config, out_dir, notices)


def _column_map(config: IngestConfig, inputs: Inputs) -> ColumnMap | None:
    if not inputs.get("map"):
        return config.columns
    if config.columns is not None:
        raise ConfigError("two-maps", "there is a map as a table and one as a file")
    source = TomlFile(inputs["map"][0].path)
    return parse_config(ColumnMap, source.values, source=source)


def _robot(config: IngestConfig, inputs: Inputs) -> "tuple[RobotTree | None, Sequence[Notice]]":
    if not inputs.get("robot"):
        changed = [name for name in RobotOptions.model_fields if getattr(config, name)]
        if changed:
            said = f"{changed[0]} changes a robot, and no robot is given"
            raise ConfigError("no-robot", said, hint="name it: --robot ROBOT")
        return None, ()
    from robotid.robot.load import load_robot

    loaded = load_robot(inputs["robot"][0].path, **config.changes())
    return loaded.tree, loaded.notices


def gather(
    config: IngestConfig, inputs: Inputs, parts: Iterable[Source], out_dir: Path
) -> list[Notice]:
    """Write the index: which recordings there are, and which are held out."""
    from robotid.contracts.dataset import MadeBy, assign_splits, write_index
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
    stated = config.model_copy(update={"columns": _column_map(config, inputs)})
    robots = inputs.get("robot")
    made = MadeBy(
        stage="ingest",
        options=stated.model_dump(mode="json", exclude_defaults=True),
        inputs={"robot": [robot.digest for robot in robots]} if robots else {},
    )
    write_index(out_dir, recordings, splits, made_by=[made])
    return _other_orders(recordings)


def _other_orders(recordings: "Mapping[str, RecordingFacts]") -> list[Notice]:
    """Joints in another order than in the first recording do no harm, and are said (B48)."""
    orders = {name: [joint.name for joint in f.joints] for name, f in recordings.items()}
    first = next(iter(orders))
    others = [name for name, order in orders.items() if order != orders[first]]
    if not others:
        return []
    said = f"joints come in another order than in {first} in {', '.join(others[:5])}"
    if len(others) > 5:
        said += f" and {len(others) - 5} more"
    return [Notice(code="joint-order", message=f"{said}; they are told apart by name")]


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
        "robotid.contracts.finding",
        "robotid.contracts.recording",
        "robotid.contracts.repair",
        "robotid.contracts.splits",
        "robotid.dynamics",
        "robotid.ingestion",
        "robotid.logs",
        "robotid.plausibility",
        "robotid.robot",
        "robotid.spatial.quaternions",
        "robotid.stages.configuration",
    ),
    libraries=("numpy", "polars", "pyarrow.parquet", "pydantic", "zstandard"),
    # Loaded when such a file, or a robot, is met.
    extras=("h5py", "lz4", "mujoco", "rosbags", "scipy", "torch"),
    run=run,
    gather=gather,
    part_file="recording.parquet",
    gather_keys=("train", "val", "test"),
    tolerant=True,
)
