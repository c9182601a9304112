"""A log or a folder, looked at: what is inside, a map for it, and what ingest would say."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from robotid.errors import BadDataError, Notice
from robotid.ingestion.column_map import ColumnMap
from robotid.ingestion.layouts import map_of
from robotid.inspection.folder import opened
from robotid.inspection.map_text import map_text
from robotid.inspection.proposal import Proposal, propose
from robotid.inspection.survey import ROWS, StreamFacts, survey
from robotid.inspection.trial import Trial, tried

if TYPE_CHECKING:
    from robotid.ingestion.sources import Sources
    from robotid.robot.tree import RobotTree


@dataclass(frozen=True)
class Inspection:
    """All about a log.

    Args:
        path: what ingest would be given.
        folder: whether that is a folder of files that belong together.
        alike: other files of the folder that the same map is for.
        formats: of its files.
        constants: numbers and texts beside the streams.
        streams: what was seen of each.
        proposal: a map.
        text: that map as a file.
        trial: what ingest would say.
        findings: of the readers.
    """

    path: Path
    folder: bool
    alike: tuple[str, ...]
    formats: tuple[str, ...]
    constants: dict[str, float | str]
    streams: tuple[StreamFacts, ...]
    proposal: Proposal
    text: str
    trial: Trial
    findings: tuple[Notice, ...]


def inspect_log(path: Path, robot: "RobotTree | None" = None, limit: int = ROWS) -> Inspection:
    """Look at a log.

    Args:
        path: a file, a ROS 2 bag, or a folder of files.
        robot: what it is a log of, to match its joints and limits.
        limit: rows of a stream that are looked at.
    """
    with opened(path) as found, np.errstate(all="ignore"):  # logs hold any number
        sources = found.sources
        streams, seen = _surveyed(sources, limit)
        ready = None if found.folder else _ready(sources)
        proposal = propose(streams, robot, ready, folder=found.folder)
        text = map_text(proposal, found.path.name)
        trial = tried(sources, proposal.columns, robot, found.path, limit)
        logs = sources.logs.values()
        return Inspection(
            path=found.path,
            folder=found.folder,
            alike=found.alike,
            formats=tuple(dict.fromkeys(log.format for log in logs)),
            constants={name: value for log in logs for name, value in log.constants.items()},
            streams=streams,
            proposal=proposal,
            text=text,
            trial=trial,
            findings=(*found.notices, *seen),
        )


def _surveyed(sources: "Sources", limit: int) -> tuple[tuple[StreamFacts, ...], list[Notice]]:
    """All streams, and what readers found; a file that is read once per stream counts once."""
    streams: list[StreamFacts] = []
    seen: dict[tuple[str | None, str], Notice] = {}
    for place in sources.places():
        streams.append(survey(place, limit))
        for notice in place.log.findings.notices():
            seen.setdefault((notice.file, notice.code), notice)
    return tuple(streams), list(seen.values())


def _ready(sources: "Sources") -> ColumnMap | None:
    """The map of a log that needs none."""
    try:
        return map_of(sources)
    except BadDataError:
        return None  # several topics of joint states, or none
