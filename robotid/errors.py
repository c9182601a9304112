"""What can go wrong, where, and with which exit code.

A `Notice` is one finding with its place and a way out; it is what `--json` prints, what a cached
result replays and what an error carries. Errors take facts and build the text themselves.
"""

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import Any, ClassVar


class ExitCode(IntEnum):
    """The exit codes of every robotid command."""

    OK = 0
    BUG = 1
    USAGE = 2
    DATA_LOST = 3
    QUALITY = 4
    BAD_DATA = 65
    INPUT_MISSING = 66
    IO = 74
    TEMPORARY = 75
    PERMISSION = 77
    BAD_CONFIG = 78
    HANGUP = 129
    INTERRUPTED = 130
    TERMINATED = 143


class Effect(StrEnum):
    """What a finding means for the result that carries it."""

    NONE = "none"
    DATA_LOST = "data-lost"
    QUALITY = "quality"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One finding: what, where, and what to do about it."""

    code: str
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    time: float | None = None
    joint: str | None = None
    hint: str | None = None
    effect: Effect = Effect.NONE

    def place(self) -> str:
        """Where it is, as `file:line:column (joint), t=1.250 s`; empty when nowhere."""
        where = ":".join(str(x) for x in (self.file, self.line, self.column) if x is not None)
        if self.joint is not None:
            where += f" ({self.joint})"
        if self.time is not None:
            where += f", t={self.time:.3f} s"
        return where.strip(" ,")

    def text(self) -> str:
        """The finding on one line: `place: message | hint`."""
        place = self.place()
        said = f"{place}: {self.message}" if place else self.message
        return f"{said} | {self.hint}" if self.hint else said

    def to_json(self) -> dict[str, Any]:
        """Every field, absent ones as null."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Notice":
        """The finding that `to_json` wrote."""
        return cls(**{**fields, "effect": Effect(fields["effect"])})


def exit_code_of(notices: Iterable[Notice]) -> ExitCode:
    """The exit code a finished result with these findings has."""
    effects = {notice.effect for notice in notices}
    if Effect.QUALITY in effects:
        return ExitCode.QUALITY
    return ExitCode.DATA_LOST if Effect.DATA_LOST in effects else ExitCode.OK


class RobotidError(Exception):
    """An error with a place, a way out and an exit code."""

    exit_code: ClassVar[ExitCode] = ExitCode.BUG

    def __init__(self, code: str, message: str, **place: Any) -> None:
        self.notice = Notice(code=code, message=message, **place)
        super().__init__(self.notice.text())

    @classmethod
    def from_notice(cls, notice: Notice, exit_code: int) -> "RobotidError":
        """The error of an exit code that says what a notice from another process says."""
        kinds: list[type[RobotidError]] = [RobotidError, *RobotidError.__subclasses__()]
        by_code = {kind.exit_code: kind for kind in kinds}
        fields = notice.to_json()
        return by_code.get(ExitCode(exit_code), RobotidError)(
            fields.pop("code"), fields.pop("message"), **fields
        )


class UsageError(RobotidError):
    """The command was called in a way that cannot work."""

    exit_code = ExitCode.USAGE


class ConfigError(RobotidError):
    """A configuration value, key or pipeline file is wrong."""

    exit_code = ExitCode.BAD_CONFIG


class BadDataError(RobotidError):
    """An input file does not hold what it should."""

    exit_code = ExitCode.BAD_DATA


class InputMissingError(RobotidError):
    """An input is not there."""

    exit_code = ExitCode.INPUT_MISSING


class StorageError(RobotidError):
    """The disk is full or broken."""

    exit_code = ExitCode.IO


class TemporaryError(RobotidError):
    """It may work when tried again."""

    exit_code = ExitCode.TEMPORARY


class UnsafePathError(RobotidError):
    """A path may not be read or written, or is not safe to."""

    exit_code = ExitCode.PERMISSION


def nearest(name: str, allowed: Iterable[str]) -> str:
    """A hint that names the closest allowed word, or all of them."""
    words = sorted(allowed)
    close = get_close_matches(name, words, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"allowed: {', '.join(words)}" if words else "none is allowed here"


_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NOT_ALLOWED = (errno.EACCES, errno.EPERM, errno.EROFS)
_BROKEN = (errno.EIO, errno.ESTALE, errno.ENODEV, errno.ETIMEDOUT, errno.EINTR)
_OUT_OF_RESOURCES = (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)
_TROUBLE = (*_DISK_FULL, *_BROKEN, *_OUT_OF_RESOURCES)
_UNNUMBERED = ("error closing file",)  # what pyarrow says of the disk, without a number
_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
# What libraries say where memory ends, also while they are being loaded.
_NO_MEMORY = (
    "failed to map segment",
    "annot allocate memory",
    "std::bad_alloc",
    "Resource temporarily unavailable",  # no room for the stack of a thread
)


def from_os_error(error: OSError, doing: str, place: str | None = None) -> RobotidError:
    """The robotid error for a system error met while `doing` something.

    A full disk is met while writing to an open file, which has no name then: `place` is named.
    """
    file = str(error.filename) if error.filename is not None else place
    said = f"{doing}: {error.strerror or error}"
    if error.errno == errno.EFBIG:
        hint = "raise the limit of file sizes (ulimit -f)"
        return StorageError("file-too-large", said, file=file, hint=hint)
    if error.errno in _DISK_FULL:
        return _disk_full(said, file)
    if error.errno in _NOT_ALLOWED:
        return UnsafePathError("not-allowed", said, file=file, hint="check owner and mode")
    if error.errno in _NOT_THERE:
        return InputMissingError("not-found", said, file=file)
    if error.errno in _OUT_OF_RESOURCES:
        return TemporaryError("out-of-resources", said, file=file, hint="raise the limit (ulimit)")
    return StorageError("io-error", said, file=file)


def raise_trouble(error: Exception, doing: str, path: Path) -> None:
    """Raise an error that tells of the disk or of this process, not of the file it was met at.

    Others pass: what they mean, only who met them knows.
    """
    if isinstance(error, OSError) and (error.errno in _TROUBLE or str(error) in _UNNUMBERED):
        raise from_os_error(error, doing, str(path)) from error


def _disk_full(said: str, file: str | None) -> StorageError:
    """The error of a full disk, with what is left where it was written."""
    hint = "free some space and run again"
    for folder in () if file is None else (Path(file), *Path(file).parents):
        with suppress(OSError):  # where it is not there, the folder around it is looked at
            facts = os.statvfs(folder)
            left = f"{facts.f_bavail * facts.f_frsize / 1e6:.1f} MB are left"
            if facts.f_files and not facts.f_favail:
                left = "no more files can be made"
            hint = f"free some space ({left}, the quota may be less) and run again"
            break
    return StorageError("disk-full", said, file=file, hint=hint)


def _all_said(error: BaseException) -> Iterator[str]:
    """What an exception says, and those it came from: a library may have covered up the reason."""
    link: BaseException | None = error
    while link is not None:
        yield str(link)
        link = link.__cause__ or link.__context__


def lacks_memory(said: str) -> bool:
    """Whether what a library said means that there is no memory left."""
    return any(words in said for words in _NO_MEMORY)


def from_exception(error: BaseException, doing: str, place: str | None = None) -> RobotidError:
    """The robotid error for any exception; what nobody foresaw is a bug and says so.

    Several libraries report a full disk without an error number, so its text is looked at too.

    Args:
        error: what was raised.
        doing: what was being done.
        place: the folder that was written to, named where the disk is full.
    """
    if isinstance(error, RobotidError):
        return error
    if isinstance(error, OSError) and error.errno is not None:
        return from_os_error(error, doing, place if error.errno in _DISK_FULL else None)
    said = f"{type(error).__name__}: {error}"
    if isinstance(error, MemoryError) or any(map(lacks_memory, _all_said(error))):
        hint = "raise the limit (ulimit -v), use fewer --jobs, or a machine with more memory"
        return TemporaryError("out-of-memory", f"{doing}: out of memory", hint=hint)
    if "No space left on device" in said or "Disk quota exceeded" in said:
        return _disk_full(f"{doing}: {said}", place)
    return RobotidError(
        "bug", f"{doing}: {said}", hint="this is a bug in robotid; run again with --debug"
    )
