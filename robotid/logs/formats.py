"""The table of log formats, and opening a log by what it holds rather than by its name."""

import stat
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from robotid.errors import BadDataError, InputMissingError, RobotidError, from_os_error
from robotid.logs.byte_source import blocks, compression_of
from robotid.logs.findings import Findings
from robotid.logs.log import NO_OPTIONS, Log, ReadOptions
from robotid.logs.text_lines import encoding_mark

_HEAD = 4096


class Format(NamedTuple):
    """A log format.

    Args:
        opener: `module:function`, imported when a log of the format is met.
        extensions: how its files are called.
        recognises: whether the first bytes of a file are of this format.
        summary: what it is, in a line.
    """

    opener: str
    extensions: tuple[str, ...]
    recognises: Callable[[bytes], bool]
    summary: str


def _starts(*magic: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(magic)


def _is_hdf5(head: bytes) -> bool:
    """HDF5, at the start or behind a user block as MATLAB v7.3 writes it."""
    mark = b"\x89HDF\r\n\x1a\n"
    return any(head.startswith(mark, at) for at in (0, 512, 1024, 2048))


def _is_mat5(head: bytes) -> bool:
    return len(head) >= 128 and head[126:128] in (b"IM", b"MI") and not _is_hdf5(head)


def _is_json(head: bytes) -> bool:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"{"):
        return text[1:].lstrip()[:1] in (b'"', b"}", b"")
    return text.startswith(b"[") and text[1:].lstrip()[:1] in (b"{", b"[", b"]")


# In the order of detection: what has a signature first, text last.
FORMATS: dict[str, Format] = {
    "mcap": Format(
        "robotid.logs.mcap:open_mcap", (".mcap",), _starts(b"\x89MCAP0\r\n"), "MCAP, also of ROS 2"
    ),
    "rosbag1": Format(
        "robotid.logs.rosbag1:open_rosbag1", (".bag", ".active"), _starts(b"#ROSBAG V"), "ROS 1 bag"
    ),
    "rosbag2": Format(
        "robotid.logs.rosbag2:open_rosbag2",
        (".db3",),
        _starts(b"SQLite format 3\0"),
        "ROS 2 bag: folder, or SQLite file of one",
    ),
    "parquet": Format(
        "robotid.logs.parquet:open_parquet", (".parquet", ".pq"), _starts(b"PAR1"), "Apache Parquet"
    ),
    "npy": Format("robotid.logs.npz:open_npy", (".npy",), _starts(b"\x93NUMPY"), "one NumPy array"),
    "npz": Format(
        "robotid.logs.npz:open_npz",
        (".npz",),
        _starts(b"PK\x03\x04", b"PK\x05\x06"),
        "NumPy arrays",
    ),
    "hdf5": Format(
        "robotid.logs.hdf5:open_hdf5",
        (".h5", ".hdf5", ".hdf", ".mat"),
        _is_hdf5,
        "HDF5 and MATLAB v7.3",
    ),
    "mat5": Format("robotid.logs.mat5:open_mat5", (".mat",), _is_mat5, "MATLAB v5 to v7"),
    "json": Format(
        "robotid.logs.json_records:open_json",
        (".json", ".jsonl", ".ndjson"),
        _is_json,
        "JSON: records or arrays, one document or one per line",
    ),
    "delimited text": Format(
        "robotid.logs.delimited:open_delimited",
        (".csv", ".tsv", ".txt", ".dat", ".log"),
        lambda head: not _is_binary(head),
        "CSV, TSV and the like, also gzip or Zstandard",
    ),
}


def open_log(path: Path, options: ReadOptions = NO_OPTIONS) -> Log:
    """Open a log of any format.

    Args:
        path: a file, or the folder of a ROS 2 bag.
        options: what the user says of it.
    """
    findings = Findings(str(path))
    try:
        name = detect(path, findings)
        module, _, function = FORMATS[name].opener.partition(":")
        log: Log = getattr(import_module(module), function)(path, findings, options)
    except RobotidError:
        raise
    except OSError as error:
        error.filename = error.filename or str(path)
        raise from_os_error(error, "opening a log") from error
    return log


def detect(path: Path, findings: Findings) -> str:
    """The format of a log, by its content; a name that says otherwise is reported (B08)."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError as error:
        raise InputMissingError("not-found", "there is no such file", file=str(path)) from error
    if stat.S_ISDIR(mode):
        return _detect_folder(path)
    if not stat.S_ISREG(mode):
        raise BadDataError("not-a-file", "not a regular file", file=str(path))
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head:
        raise BadDataError("empty-file", "the file is empty", file=str(path))
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    compression = compression_of(head)
    if compression is not None:
        if not suffixes or suffixes[-1] not in (".gz", ".gzip", ".zst", ".zstd"):
            findings.add("other-extension", f"the file is {compression}, whatever its name says")
        else:
            suffixes.pop()
        head = next(blocks(path, Findings(str(path))), b"")[:_HEAD]
    if not head.strip(b"\0"):
        said = "the file begins with zeros and nothing else: it was never written"
        raise BadDataError("only-zeros", said, file=str(path))
    name = next((name for name, known in FORMATS.items() if known.recognises(head)), None)
    if name is None:
        formats = ", ".join(FORMATS)
        said = "the first bytes are of no format robotid reads"
        raise BadDataError("unknown-format", said, file=str(path), hint=f"it reads {formats}")
    if compression is not None and name not in ("delimited text", "json"):
        said = f"{compression} around {name} cannot be read"
        raise BadDataError("compressed", said, file=str(path), hint="decompress it first")
    claimed = [n for n, f in FORMATS.items() if suffixes and suffixes[-1] in f.extensions]
    if claimed and name not in claimed:
        findings.add(
            "other-extension",
            f"called {suffixes[-1]}, but it is {name} ({FORMATS[name].summary}), and read as such",
        )
    return name


def _detect_folder(path: Path) -> str:
    """A ROS 2 bag; without metadata only where nothing else in the folder could be a log."""
    if (path / "metadata.yaml").is_file():
        return "rosbag2"
    others = {suffix for known in FORMATS.values() for suffix in known.extensions}
    others -= {".db3", ".mcap", ".txt", ".log", ".json"}  # the last ones may be notes
    if any(path.glob("*.db3*")) or any(path.glob("*.mcap*")):
        logs = sorted(f.name for f in path.iterdir() if f.suffix.lower() in others and f.is_file())
        if not logs:
            return "rosbag2"
        said = f"a folder of several logs ({', '.join(logs[:4])}, …), not a ROS 2 bag"
    else:
        said = "a folder that is no ROS 2 bag: no metadata.yaml, .db3 or .mcap in it"
    hint = "name a log; files that belong together need a map that names them: robotid inspect"
    raise InputMissingError("not-a-log", said, file=str(path), hint=f"{hint} {path}")


def _is_binary(head: bytes) -> bool:
    """Whether control characters say that this is no text."""
    if encoding_mark(head) is not None:
        return False
    odd = sum(head.count(bytes([code])) for code in (*range(1, 9), 11, *range(14, 32), 127))
    return 20 * odd > len(head)
