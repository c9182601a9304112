"""The files of one recording, opened: one log, or several that lie in a folder."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from robotid.errors import BadDataError, InputMissingError, nearest
from robotid.ingestion.column_map import ColumnMap
from robotid.logs.formats import open_log
from robotid.logs.log import Log, ReadOptions, Stream


class Place(NamedTuple):
    """A stream of an open log."""

    log: Log
    stream: Stream

    @property
    def name(self) -> str:
        """What it is called in messages."""
        return f"{self.log.path.name}: {self.stream.name}"


class Sources:
    """The open logs of one recording, by file name; a single log has the empty name."""

    def __init__(self, path: Path, logs: dict[str, Log]) -> None:
        self.path, self.logs = path, logs
        if not self.places():
            found = [n.message for log in logs.values() for n in log.findings.notices()]
            said = "; ".join(["the log holds no topics and no columns", *found[:3]])
            raise BadDataError("no-samples", said, file=str(path))

    def places(self) -> list[Place]:
        """Every stream."""
        return [Place(log, stream) for log in self.logs.values() for stream in log.streams]

    def place(self, file: str | None, stream: str | None, columns: tuple[str, ...]) -> Place:
        """The stream that a map names, or the only one that has these columns."""
        logs = list(self.logs.values()) if file is None else [self._log(file)]
        if stream is not None:
            having = [log for log in logs if any(s.name == stream for s in log.streams)]
            log = (having or logs)[0]
            return Place(log, log.stream(stream))
        found = [Place(log, s) for log in logs for s in log.streams if _has(s, columns)]
        if len(found) > 1:
            names = ", ".join(place.name for place in found)
            raise BadDataError(
                "several-streams",
                f"column {columns[0]!r} is in several streams: {names}",
                file=str(self.path),
                hint="name one in the map: file = … or stream = …",
            )
        if found:
            return found[0]
        names_there = [column.name for log in logs for s in log.streams for column in s.columns]
        missing = next((name for name in columns if name not in names_there), None)
        said = (
            f"there is no column {missing!r}"
            if missing is not None
            else f"no stream has all the columns {', '.join(columns[:6])}"
        )
        hint = nearest(missing or columns[0], names_there)
        if len(hint) > 400:
            hint = hint[:400] + "…"
        raise BadDataError("no-such-column", said, file=str(self.path), hint=hint)

    def _log(self, file: str) -> Log:
        if file in self.logs:
            return self.logs[file]
        if list(self.logs) == [""] and self.path.name == file:
            return self.logs[""]
        raise InputMissingError(
            "not-found",
            f"the map names the file {file!r}, which is not there",
            file=str(self.path),
            hint=nearest(file, [name or self.path.name for name in self.logs]),
        )


@contextmanager
def open_sources(path: Path, columns: ColumnMap | None) -> Iterator[Sources]:
    """Open a log, or the files of a folder that the map names.

    Args:
        path: a file, the folder of a ROS 2 bag, or a folder of files that belong together.
        columns: the map; a folder of files needs one that names them.
    """
    options = ReadOptions(**columns.text.model_dump()) if columns else ReadOptions()
    files = files_named(columns) if columns else ()
    with ExitStack() as stack:
        if files and path.is_dir():
            logs = {
                name: stack.enter_context(open_log(_inside(path, name), options)) for name in files
            }
        else:
            logs = {"": stack.enter_context(open_log(path, options))}
        yield Sources(path, logs)


def files_named(columns: ColumnMap) -> tuple[str, ...]:
    """The files that a map names, each once."""
    maps = [*columns.signals().values(), *(signal for signal, _ in columns.parts().values())]
    return tuple(dict.fromkeys(signal.file for signal in maps if signal.file is not None))


def _inside(folder: Path, name: str) -> Path:
    """A file right inside a folder; a name that leads elsewhere is refused."""
    if "/" in name or name in ("", ".", ".."):
        said = f"the map names {name!r}, which is not the name of a file in the folder"
        raise BadDataError("not-in-folder", said, file=str(folder))
    path = folder / name
    if not path.exists():
        raise InputMissingError(
            "not-found",
            f"the map names the file {name!r}, which is not there",
            file=str(folder),
            hint=nearest(name, [child.name for child in folder.iterdir()]),
        )
    return path


def _has(stream: Stream, columns: tuple[str, ...]) -> bool:
    names = {column.name for column in stream.columns}
    return all(name in names for name in columns)
