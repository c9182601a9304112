"""CSV with robotid's own header: `t` [s] and `q.<joint>`, `qd.<joint>`, `tau.<joint>` in SI units.

Nothing is inferred: every cell is read as text and must be a finite decimal number, so that a
damaged line is an error with its place, never a silent null.
"""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from robotid import progress
from robotid.errors import BadDataError, Effect, Notice

SIGNALS = ("q", "qd", "tau")
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?$"


class CsvLog(NamedTuple):
    """Time [s], shape (samples,), the columns by name, the joints in file order, findings."""

    t: NDArray[np.float64]
    columns: dict[str, NDArray[np.float64]]
    joints: list[str]
    notices: list[Notice]


def read_csv(path: Path) -> CsvLog:
    """Read a log; anything that cannot be read exactly is refused with its line and column."""
    raw = path.read_bytes()
    if not raw.strip():
        raise BadDataError("empty-file", "the file is empty", file=str(path))
    _must_be_text(raw, path)
    raw, notices = _without_cut_line(raw, path)
    progress.report(1, 3, "reading")
    header = raw.split(b"\n", 1)[0].decode("utf-8-sig", "replace").rstrip("\r")
    names = [name.strip() for name in header.split(",")]
    _check_header(names, path)
    cells = _cells(raw, names, path)
    progress.report(2, 3, "checking")
    columns = {name: _numbers(cells[name], position, path) for position, name in enumerate(names)}
    t = columns.pop("t")
    _check_time(t, path)
    joints = [name.split(".", 1)[1] for name in names if name.startswith("q.")]
    return CsvLog(t, columns, joints, notices)


def _must_be_text(raw: bytes, path: Path) -> None:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        said = f"byte {raw[error.start]:#04x} is not UTF-8 text"
        raise BadDataError("not-text", said, file=str(path), line=line) from error
    if b"\0" in raw:
        line = raw[: raw.index(b"\0")].count(b"\n") + 1
        raise BadDataError("not-text", "the file holds NUL bytes", file=str(path), line=line)


def _without_cut_line(raw: bytes, path: Path) -> tuple[bytes, list[Notice]]:
    """Leave out a last line without line end: its last number may be cut."""
    if raw.endswith(b"\n"):
        return raw, []
    body, _, _ = raw.rpartition(b"\n")
    notice = Notice(
        code="cut-last-line",
        message="the last line has no line end and was left out: its last number may be cut",
        file=str(path),
        line=body.count(b"\n") + 2,
        effect=Effect.DATA_LOST,
    )
    return body + b"\n", [notice]


def _check_header(names: list[str], path: Path) -> None:
    if "t" not in names or not any(name.startswith("q.") for name in names):
        shown = ", ".join(names[:6])
        raise BadDataError(
            "no-default-header",
            f"the first line is not a header with t and q.<joint> (found: {shown})",
            file=str(path),
            line=1,
            hint="name the columns t, q.<joint>, qd.<joint>, tau.<joint>, in s and SI units",
        )
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        said = f"columns with the same name: {', '.join(repeated)}"
        raise BadDataError("same-column", said, file=str(path), line=1)
    for position, name in enumerate(names, start=1):
        signal, _, joint = name.partition(".")
        if name != "t" and not (signal in SIGNALS and joint):
            raise BadDataError(
                "unknown-column",
                f"column {name!r} is not t, q.<joint>, qd.<joint> or tau.<joint>",
                file=str(path),
                line=1,
                column=position,
            )
        if name != "t" and f"q.{joint}" not in names:
            raise BadDataError(
                "joint-without-position", f"no column q.{joint}", file=str(path), joint=joint
            )


def _cells(raw: bytes, names: list[str], path: Path) -> pl.DataFrame:
    """All cells as text; lines with too many or too few are refused."""
    lines = raw.split(b"\n")[1:-1]
    wrong = next((i for i, line in enumerate(lines) if line.count(b",") != len(names) - 1), None)
    if wrong is not None:
        said = f"{lines[wrong].count(b',') + 1} cells, the header has {len(names)}"
        raise BadDataError("wrong-cell-count", said, file=str(path), line=wrong + 2)
    if not lines:
        raise BadDataError("no-samples", "a header and no samples", file=str(path))
    cells = pl.read_csv(
        raw, has_header=False, skip_rows=1, new_columns=names, infer_schema=False, quote_char=None
    )
    return cells.select(pl.all().str.strip_chars())


def _numbers(cells: pl.Series, position: int, path: Path) -> NDArray[np.float64]:
    good = cells.str.contains(_NUMBER).fill_null(value=False)
    numbers = cells.cast(pl.Float64, strict=False)
    good &= numbers.is_finite().fill_null(value=False)  # 1e400 looks like a number and is none
    if not good.all():
        line = int((~good).arg_true()[0])
        raise BadDataError(
            "not-a-number",
            f"{cells[line] or ''!r} is not a finite number",
            file=str(path),
            line=line + 2,
            column=position + 1,
            joint=cells.name.partition(".")[2] or None,
        )
    return numbers.to_numpy().astype(np.float64)


def _check_time(t: NDArray[np.float64], path: Path) -> None:
    steps = np.diff(t)
    if t.size > 1 and not (steps > 0).all():
        line = int(np.argmin(steps > 0))
        raise BadDataError(
            "time-not-increasing",
            f"time goes from {t[line]} s to {t[line + 1]} s",
            file=str(path),
            line=line + 3,
            time=float(t[line + 1]),
        )
