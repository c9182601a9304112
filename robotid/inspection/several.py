"""Several logs looked at as recordings of one robot, with one map for all of them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from robotid.errors import BadDataError, RobotidError
from robotid.ingestion.column_map import ColumnMap
from robotid.inspection.folder import opened
from robotid.inspection.inspection import Inspection, inspect_log
from robotid.inspection.proposal import Proposal
from robotid.inspection.remarks import Remark
from robotid.inspection.survey import ROWS
from robotid.inspection.trial import Trial, tried

if TYPE_CHECKING:
    from robotid.robot.tree import RobotTree

_MOST_NAMES = 24


class Looked(NamedTuple):
    """A log, what it is read with, and what ingest would say of it then."""

    found: Inspection
    columns: ColumnMap
    trial: Trial


class Several(NamedTuple):
    """Logs that one stage can read.

    Args:
        logs: in the order given; files of a folder one after the other.
        proposal: a map for all of them, with all there is to say of it; None where each is read
            by its own layout, or where the map was given.
    """

    logs: tuple[Looked, ...]
    proposal: Proposal | None


def inspect_several(
    paths: Sequence[Path], robot: "RobotTree", given: ColumnMap | None = None
) -> Several:
    """Look at logs of one robot and find a map that serves all.

    Args:
        paths: of the logs.
        robot: what they are logs of.
        given: the map, where the user has one.
    """
    logs = _inspected(paths, robot)
    if given is not None:
        looked = tuple(Looked(found, given, _trial(found, given, robot)) for found in logs)
        _must_have_samples(looked)
        return Several(looked, None)
    for found in logs:
        _must_have_joints(found, robot)
    lead = next((found for found in logs if found.proposal.needed), logs[0])
    remarks = list(lead.proposal.remarks)
    looked = tuple(_with_map_of(lead, found, robot, remarks) for found in logs)
    _must_have_samples(looked)
    # What would be refused is often set right in a map: a sign, a unit.
    alike = all(found.proposal.columns == lead.proposal.columns for found in logs)
    wanted = lead.proposal.needed or (alike and any(log.trial.refused for log in looked))
    return Several(looked, replace(lead.proposal, remarks=tuple(remarks)) if wanted else None)


def _inspected(paths: Sequence[Path], robot: "RobotTree") -> list[Inspection]:
    logs: list[Inspection] = []
    for path in paths:
        found = inspect_log(path, robot)
        logs.append(found)
        logs += [inspect_log(found.path.with_name(other), robot) for other in found.alike]
    return logs


def _must_have_samples(logs: Sequence[Looked]) -> None:
    """Refuse what no map and no flag would mend."""
    for log in logs:
        for notice in log.trial.refused:
            if notice.code == "no-samples":
                raise RobotidError.from_notice(notice, BadDataError.exit_code)


def _must_have_joints(found: Inspection, robot: "RobotTree") -> None:
    """Refuse a log of which no column can be said to be a position of the robot."""
    names = [column.name for stream in found.streams for column in stream.columns]
    columns = _few(names)
    joints = _few(robot.joint_names)
    if found.proposal.columns.q is None:
        raise BadDataError(
            "no-positions",
            f"no column looks like a position of a joint; the log has {columns}; robot "
            f"{robot.name} has {joints}",
            file=str(found.path),
            hint="robotid inspect writes a map that you can fill in; give it with --map",
        )
    if not found.proposal.joints:
        raise BadDataError(
            "joints-differ",
            f"no column could be matched with a joint; the log has {columns}; robot {robot.name} "
            f"has {joints}",
            file=str(found.path),
            hint="give the robot that was logged, or hold joints with --lock or --chain",
        )


def _with_map_of(
    lead: Inspection, found: Inspection, robot: "RobotTree", remarks: list[Remark]
) -> Looked:
    """What ingest would say of a log with the map of another one."""
    ours, theirs = lead.proposal, found.proposal
    if not ours.needed or ours.columns == theirs.columns:
        return Looked(found, theirs.columns, found.trial)
    trial = _trial(found, ours.columns, robot)
    name = found.path.name
    if _unanswered(trial) > _unanswered(found.trial):
        said = f"it cannot be read with the map of {lead.path.name}: {trial.refused[-1].message}"
        hint = "give logs of one kind; the others make a pipeline of their own"
        raise BadDataError("logs-differ", said, file=str(found.path), hint=hint)
    remarks += [
        Remark(table, f"{name} by itself looks otherwise", check=True)
        for table in _differences(ours.columns, theirs.columns)
    ]
    return Looked(found, ours.columns, trial)


def _trial(found: Inspection, columns: ColumnMap, robot: "RobotTree") -> Trial:
    """What ingest would say of a log with a map."""
    with opened(found.path) as log:
        return tried(log.sources, columns, robot, found.path, ROWS)


def _unanswered(trial: Trial) -> int:
    """Refusals that no flag answers."""
    return len(trial.refused) - len(trial.flags)


def _differences(ours: ColumnMap, theirs: ColumnMap) -> list[str]:
    """Tables in which two maps differ."""
    fields = ColumnMap.model_fields
    return [name for name in fields if getattr(ours, name) != getattr(theirs, name)]


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMES])
    return shown + (f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else "")
