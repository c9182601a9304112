"""An inspected log in the form in which `robotid inspect --json` answers."""

from collections.abc import Sequence
from pathlib import Path

from robotid.cli.answer import (
    ColumnAnswer,
    InspectAnswer,
    PassedAnswer,
    RemarkAnswer,
    StreamAnswer,
    TimeAnswer,
    TrackAnswer,
)
from robotid.errors import Notice, exit_code_of
from robotid.inspection.inspection import Inspection
from robotid.inspection.roles import Key, Role, roles_of
from robotid.inspection.survey import ColumnFacts, StreamFacts


def answer_of_inspection(
    found: Inspection, notices: Sequence[Notice], written: Path | None
) -> InspectAnswer:
    """All about a log."""
    proposal = found.proposal
    roles = roles_of(proposal.columns, found.streams)
    return InspectAnswer(
        warnings=list(notices),
        exit_code=exit_code_of(found.findings),
        path=str(found.path),
        folder=found.folder,
        alike=list(found.alike),
        formats=list(found.formats),
        constants={name: _json(value) for name, value in found.constants.items()},
        streams=[_stream(stream, roles) for stream in found.streams],
        map=proposal.columns.model_dump(mode="json", exclude_defaults=True),
        map_text=found.text,
        map_needed=proposal.needed,
        map_file=str(written) if written is not None else None,
        remarks=[RemarkAnswer(**remark._asdict()) for remark in proposal.remarks],
        passed=[PassedAnswer(**passed._asdict()) for passed in proposal.passed],
        refused=list(found.trial.refused),
        flags=list(found.trial.flags),
    )


def _json(value: float | str) -> float | str:
    """A number that JSON knows, or its text."""
    if isinstance(value, str) or value - value == 0:
        return value
    return str(value)


def _stream(stream: StreamFacts, roles: dict[Key, Role]) -> StreamAnswer:
    place = stream.place
    here = (str(place.log.path), place.stream.name)
    return StreamAnswer(
        file=here[0],
        name=place.stream.name,
        message_type=place.stream.message_type,
        rows=stream.rows,
        complete=stream.complete,
        columns=[_column(c, roles.get((*here, c.name))) for c in stream.columns],
    )


def _column(column: ColumnFacts, role: Role | None) -> ColumnAnswer:
    fields = column._asdict()
    facts = fields.pop("time")
    track = fields.pop("track")
    return ColumnAnswer(
        **{**fields, "kind": str(column.kind)},
        signal=role.signal if role is not None else None,
        mapped_unit=role.unit if role is not None else None,
        track=TrackAnswer(**track._asdict()),
        time=TimeAnswer(
            **facts._asdict(),
            rates_hz={unit: facts.rate_hz(unit) for unit in facts.plausible_units()},
        )
        if facts is not None
        else None,
    )
