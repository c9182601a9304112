"""What stages found in a recording, as its facts carry it to those who use it."""

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from robotid.errors import Notice

# Codes of findings that say that something was put right or left out; others change nothing.
MENDED = frozenset(
    {
        "before-clock-set",
        "byte-order-mark",
        "clock-set",
        "cut-bag",
        "cut-compression",
        "cut-last-line",
        "damaged-chunk",
        "decimal-comma",
        "duplicate-times",
        "filled-values",
        "jitter",
        "latin-1",
        "line-ends",
        "masked",
        "no-overlap",
        "no-values",
        "not-finite",
        "other-joints",
        "other-rate",
        "out-of-order",
        "period-left-out",
        "re-encoded",
        "repeated-sample",
        "segment-too-short",
        "short-last-line",
        "trailing-delimiter",
        "unwrapped",
        "values-held",
        "zero-tail",
    }
)


class RecordingFinding(BaseModel):
    """A finding of a recording: what, where, what to do; no path, which differs by machine.

    `mended` says that something was put right or left out; otherwise it was only noticed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: str
    message: str
    joint: str | None = None
    time_s: float | None = None
    hint: str | None = None
    mended: bool = False


def as_findings(notices: Iterable[Notice]) -> list[RecordingFinding]:
    """Findings of a stage as the facts of a recording hold them."""
    return [
        RecordingFinding(
            code=notice.code,
            message=notice.message,
            joint=notice.joint,
            time_s=notice.time,
            hint=notice.hint,
            mended=notice.code in MENDED,
        )
        for notice in notices
    ]
