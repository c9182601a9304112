"""A folder of files: several recordings of the same kind, or one recording in several files."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from robotid.errors import InputMissingError, Notice, RobotidError
from robotid.ingestion.sources import Sources
from robotid.inspection.column_words import read_name
from robotid.logs.formats import FORMATS, open_log
from robotid.logs.log import Kind, Log

_MOST_FILES = 200
_EXTENSIONS = {extension for known in FORMATS.values() for extension in known.extensions}


class Opened(NamedTuple):
    """What is looked at.

    Args:
        sources: open logs.
        path: the log that ingest would be given.
        folder: whether that is a folder of files that belong together.
        alike: other files with the same columns, each a recording by itself.
        notices: files that were left out.
    """

    sources: Sources
    path: Path
    folder: bool
    alike: tuple[str, ...]
    notices: tuple[Notice, ...]


@contextmanager
def opened(path: Path) -> Iterator[Opened]:
    """Open a log, or what is in a folder."""
    with ExitStack() as stack:
        try:
            log = stack.enter_context(open_log(path))
        except InputMissingError:
            if not path.is_dir() or (path / "metadata.yaml").exists():  # a bag without its parts
                raise
        else:
            yield Opened(Sources(path, {"": log}), path, False, (), ())
            return
        yield _folder(path, stack)


def _folder(path: Path, stack: ExitStack) -> Opened:
    logs: dict[str, Log] = {}
    notices: list[Notice] = []
    files = sorted(child for child in path.iterdir() if _may_be_log(child))
    if len(files) > _MOST_FILES:
        said = f"{len(files)} files: the first {_MOST_FILES} were looked at"
        notices.append(Notice(code="many-files", message=said, file=str(path)))
    for file in files[:_MOST_FILES]:
        try:
            log = stack.enter_context(open_log(file))
        except RobotidError as error:
            fields = error.notice.to_json()
            fields["message"] = f"left out: {error.notice.message}"
            notices.append(Notice(**fields))
            continue
        if _columns(log):
            logs[file.name] = log
    if not logs:
        said = "no log was found in the folder"
        raise InputMissingError("not-a-log", said, file=str(path))
    complete = [name for name, log in logs.items() if _is_complete(log)]
    if not complete:
        return Opened(Sources(path, logs), path, True, (), tuple(notices))
    by_columns: dict[tuple[str, ...], list[str]] = {}
    for name in complete:
        by_columns.setdefault(_columns(logs[name]), []).append(name)
    first, *alike = max(by_columns.values(), key=len)
    others = [name for name in logs if name != first and name not in alike]
    if others:
        said = f"other columns, to be inspected by themselves: {', '.join(others[:8])}"
        notices.append(Notice(code="other-files", message=said, file=str(path)))
    sources = Sources(path / first, {"": logs[first]})
    return Opened(sources, path / first, False, tuple(alike), tuple(notices))


def _may_be_log(path: Path) -> bool:
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    if suffixes and suffixes[-1] in (".gz", ".zst"):
        suffixes.pop()
    known = bool(suffixes) and suffixes[-1] in _EXTENSIONS
    return known and not path.name.startswith(".") and path.is_file()


def _columns(log: Log) -> tuple[str, ...]:
    """Names of all columns of numbers."""
    return tuple(c.name for s in log.streams for c in s.columns if c.kind is not Kind.TEXT)


def _is_complete(log: Log) -> bool:
    """Whether a file has positions and torques by the names of its columns alone."""
    said = {facts.signal for facts in map(read_name, _columns(log)) if not facts.weak}
    weak = {facts.signal for facts in map(read_name, _columns(log))}
    return "q" in said and bool({"tau", "current"} & weak)
