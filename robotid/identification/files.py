"""What a fit writes besides `fit.json`."""

from collections.abc import Container, Iterable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from robotid.contracts.fit import (
    FIT,
    INFORMATION,
    PARAMETERS,
    TRAINING,
    FitResult,
    Reason,
    RobotUsed,
)
from robotid.contracts.fit_data import Remark
from robotid.contracts.information import write_information
from robotid.contracts.residuals import write_residuals
from robotid.contracts.training import write_training
from robotid.errors import BadDataError, Notice
from robotid.identification.identify import Identified
from robotid.robot.export import exported, file_shares
from robotid.robot.load import Loaded
from robotid.robot.options import RobotOptions

_SUFFIXES = {"urdf": ".urdf", "mjcf": ".xml"}
_OF_MODELS = {"links-impossible"}  # what a model is like on the best of data: no run warns of it


def robot_used(loaded: Loaded, options: RobotOptions) -> RobotUsed:
    """The robot as a result states it."""
    keys = set(RobotOptions.model_fields)
    return RobotUsed(
        name=loaded.tree.name,
        file=f"nominal{_SUFFIXES[loaded.description.format]}",
        options=options.model_dump(mode="json", include=keys, exclude_defaults=True),
        links=list(loaded.tree.links),
    )


def write_fit(out_dir: Path, found: Identified, loaded: Loaded) -> list[Notice]:
    """Write all files of a fit; the robot file only if it is to be used and links can exist.

    What it gives back is what a run warns of; all findings stand in `fit.json`.
    """
    robot, about_it = _robot_file(found, loaded)
    notices = [*found.notices, *about_it]
    result = found.result
    about_robot = _not_yet_told(loaded.notices, result)
    remarks = remarks_of([*notices, *about_robot], result.verdict.reasons, result.recordings)
    result = result.model_copy(update={"remarks": remarks})
    (out_dir / FIT).write_text(result.model_dump_json(indent=1), encoding="utf-8")
    write_parameters(out_dir / PARAMETERS, result)
    write_information(out_dir / INFORMATION, found.information)
    if found.training is not None:
        write_training(out_dir / TRAINING, found.training)
    write_residuals(out_dir, found.excerpt)
    (out_dir / result.robot.file).write_bytes(loaded.data)
    if robot is not None:
        (out_dir / result.robot.file.replace("nominal", "robot")).write_bytes(robot)
    return [notice for notice in notices if notice.code not in _OF_MODELS]


def _not_yet_told(notices: Iterable[Notice], result: FitResult) -> list[Notice]:
    """Findings of the robot file that did not come with recordings: factors have warned of them."""
    told = {(f.code, f.message) for used in result.data.values() for f in used.findings}
    return [notice for notice in notices if (notice.code, notice.message) not in told]


def _robot_file(found: Identified, loaded: Loaded) -> tuple[bytes | None, list[Notice]]:
    """The robot file with the links that were found; none where they must not be used."""
    links = found.result.links
    if not links or not all(link.consistent for link in links) or not found.result.verdict.usable:
        return None, []
    bodies = loaded.tree.bodies
    phi = np.asarray(found.model.phi[: 10 * bodies]).reshape(bodies, 10)
    impossible = file_shares(loaded, phi).impossible
    if impossible:  # what payloads of the configuration, or links that are tied on, leave of a link
        return None, [_not_written(notice) for notice in impossible.values()]
    try:
        text, _ = exported(loaded, phi)
    except BadDataError as error:  # a file that cannot carry these links, such as by its settings
        return None, [_not_written(error.notice)]
    return text, _load_included(found.result)


def _load_included(result: FitResult) -> list[Notice]:
    if result.payload is None:
        return []
    said = "the robot file beside the result is of the robot with its load"
    hint = "set no payload where it is used; that of the fit without load is of the robot alone"
    return [Notice(code="load-included", message=said, hint=hint)]


def _not_written(why: Notice) -> Notice:
    said = f"no robot file was written: {why.message}"
    return Notice(code="robot-not-written", message=said, hint=why.hint)


def remarks_of(
    notices: Iterable[Notice], reasons: Sequence[Reason], recordings: Container[str]
) -> list[Remark]:
    """All findings but the reasons of the verdict; paths of files are none of a result's."""
    given = {(reason.code, reason.message) for reason in reasons}
    return [
        Remark(
            code=notice.code,
            message=notice.message,
            joint=notice.joint,
            recording=notice.file if notice.file in recordings else None,
            hint=notice.hint,
        )
        for notice in notices
        if (notice.code, notice.message) not in given
    ]


def write_parameters(path: Path, result: FitResult) -> None:
    """The parameters as a table; the same ones give the same bytes."""
    fields = ("name", "owner", "unit", "value", "std", "percent", "status", "said", "nominal")
    numbers = {"value", "std", "percent", "nominal"}
    columns = {
        field: pa.array(
            [getattr(parameter, field) for parameter in result.parameters],
            type=pa.float64() if field in numbers else pa.string(),
        )
        for field in fields
    }
    pq.write_table(pa.table(columns), path, compression="lz4", write_page_checksum=True)
