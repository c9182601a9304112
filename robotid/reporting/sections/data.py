"""The recordings that a fit is of, and what became of their samples."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from robotid.contracts.finding import MENDED, RecordingFinding
from robotid.contracts.fit import AnyFit
from robotid.contracts.fit_data import Continued, RecordingUsed
from robotid.contracts.splits import Split
from robotid.reporting.numbers import whole
from robotid.reporting.view import View

_CODE = re.compile("[a-z-]+")
_DIGEST = 12  # digits of a digest that tell files apart
_SHOWN = 4  # findings of a kind
_REASONS = {
    "time": "without a time of their own",
    "repeated-sample": "that repeat the one before",
    "excluded": "that the user excluded",
    "no-overlap": "where another stream has no values",
    "not-finite": "without a value",
    "too-short": "in stretches too short to be filtered",
    "resampled": "more than a uniform grid has",
    "averaged": "averaged over periods",
    "trimmed": "at ends of stretches, where the filter is not settled",
    "decimated": "that a lower rate does not need",
    "between-splits": "between training and test",
}


class Row(NamedTuple):
    """A recording in words.

    Args:
        name: of the recording.
        used: the facts.
        digest: the beginning of that of the log.
        splits: samples that were used, by split.
        dropped: what became of the others, such as "12 without a value".
    """

    name: str
    used: RecordingUsed
    digest: str
    splits: dict[Split, int]
    dropped: list[str]


class Before(NamedTuple):
    """The earlier fit whose training data count as well.

    Args:
        sha256: digest of that fit.
        digest: the beginning of it.
        samples: of training that come from it.
        recordings: that they are of, in words.
    """

    sha256: str
    digest: str
    samples: int
    recordings: str


class Told(NamedTuple):
    """What was found in some recordings: where, what and what to do."""

    code: str
    where: str
    message: str
    hint: str | None


class Data(NamedTuple):
    """All recordings; columns that would be empty for each are left out.

    Args:
        rows: in the order of the fit.
        samples: that were used in all, by split.
        logged: samples of all logs; None where some do not say.
        filtered: whether any was.
        torque: kinds of torque signal that recordings state, in words.
        excluded: stretches that the user left out, by recording.
        mended: findings that say that something was put right or left out.
        noticed: findings that changed nothing.
        before: the earlier fit that this one continues, if any.
    """

    rows: list[Row]
    samples: dict[str, int]
    logged: int | None
    filtered: bool
    torque: str
    excluded: dict[str, list[str]]
    mended: list[Told]
    noticed: list[Told]
    before: Before | None = None


def section(view: View[AnyFit]) -> Data | None:
    """Recordings in the order of the fit."""
    if not view.fit.data:
        return None
    rows = [_row(name, used) for name, used in view.fit.data.items()]
    kinds = sorted({row.used.torque_kind for row in rows if row.used.torque_kind})
    logged = [row.used.logged for row in rows if row.used.logged is not None]
    findings = [(row.name, finding) for row in rows for finding in _findings(row.used)]
    return Data(
        rows=rows,
        samples=view.fit.samples,
        logged=sum(logged) if len(logged) == len(rows) else None,
        filtered=any(row.used.cutoff_hz is not None for row in rows),
        torque=" and ".join(kinds),
        excluded={row.name: row.used.excluded for row in rows if row.used.excluded},
        mended=_told((name, found) for name, found in findings if found.mended),
        noticed=_told((name, found) for name, found in findings if not found.mended),
        before=_before(view.fit.continues),
    )


def _before(given: Continued | None) -> Before | None:
    if given is None:
        return None
    names = [recording.name for recording in given.recordings]
    digest = given.fit_sha256[:_DIGEST]
    return Before(given.fit_sha256, digest, given.samples, _listed(names))


def _row(name: str, used: RecordingUsed) -> Row:
    return Row(
        name=name,
        used=used,
        digest=used.source_sha256[:_DIGEST],
        splits=used.used or {used.split: used.samples},
        dropped=[f"{whole(count)} {_reason(why)}" for why, count in used.dropped.items() if count],
    )


def _findings(used: RecordingUsed) -> Sequence[RecordingFinding]:
    """Findings; those of older fits are known by their code only."""
    return used.findings or [
        RecordingFinding(
            code=repair.code,
            message=f"{_words(repair.code)}, {_times(repair.count)}"
            + (f", first {repair.first[0]}" if repair.first else ""),
            mended=repair.code in MENDED,
        )
        for repair in used.repairs
    ]


def _told(findings: Iterable[tuple[str, RecordingFinding]]) -> list[Told]:
    """Findings by kind, each once for all recordings that it is of; of many, some and the rest."""
    kinds: dict[str, dict[RecordingFinding, list[str]]] = {}
    for name, finding in findings:
        kinds.setdefault(finding.code, {}).setdefault(finding, []).append(name)
    told = []
    for code, found in kinds.items():
        for finding, names in list(found.items())[:_SHOWN]:
            told.append(Told(code, _where(names, finding), finding.message, finding.hint))
        more = list(found.values())[_SHOWN:]
        if more:
            names = list(dict.fromkeys(name for own in more for name in own))
            told.append(Told(code, _listed(names), f"{len(more)} more of this kind", None))
    return told


def _where(names: Sequence[str], finding: RecordingFinding) -> str:
    time = None if finding.time_s is None else f"{finding.time_s:.4g} s"
    return ", ".join(place for place in (_listed(names), finding.joint, time) if place)


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _reason(code: str) -> str:
    return _REASONS.get(code) or _words(code)


def _words(code: str) -> str:
    """A code such as `too-short` without hyphens; anything else stays as it is."""
    return code.replace("-", " ") if _CODE.fullmatch(code) else code


def _times(count: int) -> str:
    return "once" if count == 1 else f"{whole(count)} times"
