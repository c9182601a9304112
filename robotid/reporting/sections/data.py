"""The recordings that a fit is of, and what became of their samples."""

from typing import NamedTuple

from robotid.contracts.fit_data import RecordingUsed
from robotid.reporting.numbers import whole
from robotid.reporting.view import FitView

_DIGEST = 12  # digits of a digest that tell files apart


class Row(NamedTuple):
    """A recording in words.

    Args:
        name: of the recording.
        used: the facts.
        digest: the beginning of that of the log.
        dropped: such as "12 too short".
        mended: what was mended, how often and where first.
    """

    name: str
    used: RecordingUsed
    digest: str
    dropped: list[str]
    mended: list[str]


class Data(NamedTuple):
    """All recordings; columns that would be empty for each are left out.

    Args:
        rows: in the order of the fit.
        samples: that were used in all, by split.
        filtered: whether any was.
        torque: kinds of torque signal that recordings state, in words.
        excluded: recordings by joint that was left out of them.
    """

    rows: list[Row]
    samples: dict[str, int]
    filtered: bool
    torque: str
    excluded: dict[str, list[str]]


def section(view: FitView) -> Data | None:
    """Recordings in the order of the fit."""
    if not view.fit.data:
        return None
    rows = [_row(name, used) for name, used in view.fit.data.items()]
    kinds = sorted({row.used.torque_kind for row in rows if row.used.torque_kind})
    excluded: dict[str, list[str]] = {}
    for row in rows:
        for joint in row.used.excluded:
            excluded.setdefault(joint, []).append(row.name)
    return Data(
        rows=rows,
        samples=view.fit.samples,
        filtered=any(row.used.cutoff_hz is not None for row in rows),
        torque=" and ".join(kinds),
        excluded=excluded,
    )


def _row(name: str, used: RecordingUsed) -> Row:
    return Row(
        name=name,
        used=used,
        digest=used.source_sha256[:_DIGEST],
        dropped=[f"{whole(count)} {_words(why)}" for why, count in used.dropped.items() if count],
        mended=[
            f"{_words(repair.code)}, {_times(repair.count)}"
            + (f", first {repair.first[0]}" if repair.first else "")
            for repair in used.repairs
        ],
    )


def _words(code: str) -> str:
    return code.replace("-", " ").replace("_", " ")


def _times(count: int) -> str:
    return "once" if count == 1 else f"{whole(count)} times"
