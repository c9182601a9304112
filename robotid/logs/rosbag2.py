"""ROS 2 bags: a folder of parts with or without `metadata.yaml`, or one part alone.

A part is SQLite (`.db3`) or MCAP. SQLite is read without locks and without touching its journal.
"""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn
from urllib.parse import quote

import zstandard

from robotid.errors import BadDataError, InputMissingError
from robotid.logs.bag import Bag, BagLog, Message, Messages, Topic
from robotid.logs.byte_source import ZSTD
from robotid.logs.findings import Findings
from robotid.logs.log import NO_OPTIONS, Log, ReadOptions
from robotid.logs.mcap import McapBag

_LARGEST_MESSAGE = 1 << 28
_LARGEST_METADATA = 1 << 22
# Names in a damaged schema need not be text.
_DAMAGE = (sqlite3.Error, zstandard.ZstdError, UnicodeError, OverflowError)


def open_rosbag2(path: Path, findings: Findings, options: ReadOptions = NO_OPTIONS) -> Log:
    """Open the folder of a ROS 2 bag, or one SQLite file of it."""
    del options
    parts = _parts(path, findings) if path.is_dir() else [path]
    bags: list[Bag] = [
        McapBag(part, findings) if part.suffix == ".mcap" else SqliteBag(part) for part in parts
    ]
    return BagLog(path, "rosbag2", findings, Parts(bags, path))


class Parts(Bag):
    """The parts of a bag one after the other."""

    def __init__(self, bags: list[Bag], path: Path) -> None:
        self._bags = bags
        self.topics = {}
        for bag in bags:
            for name, topic in bag.topics.items():
                known = self.topics.get(name)
                if known is None:
                    self.topics[name] = topic
                    continue
                if known.message_type != topic.message_type:
                    said = f"{name} changes its type between the parts of the bag"
                    raise BadDataError("two-types", said, file=str(path))
                count = (known.messages or 0) + (topic.messages or 0)
                definition = known.definition or topic.definition
                self.topics[name] = known._replace(messages=count, definition=definition)

    def messages(self, topics: frozenset[str], findings: Findings) -> Messages:
        """All messages of some topics, part by part."""
        for bag in self._bags:
            yield from bag.messages(topics, findings)

    def close(self) -> None:
        """Let go of the files."""
        for bag in self._bags:
            bag.close()


def _parts(folder: Path, findings: Findings) -> list[Path]:
    """The parts of a bag in order: those of the metadata, or those that are there (B98)."""
    present = sorted((p for p in folder.iterdir() if p.suffix in (".db3", ".mcap")), key=_in_order)
    packed = sorted(p.name for p in folder.iterdir() if p.suffix == ".zstd")
    if packed:
        raise BadDataError(
            "compressed",
            f"{packed[0]} is compressed as a file",
            file=str(folder),
            hint=f"zstd -d {folder / packed[0]}",
        )
    listed = _listed(folder / "metadata.yaml")
    if listed is None:
        findings.add("no-metadata", "no metadata.yaml: all parts in the folder are read")
    else:
        missing = [name for name in listed if not (folder / name).is_file()]
        if missing and len(present) < len(listed):
            raise InputMissingError(
                "part-missing",
                f"metadata.yaml lists {len(listed)} parts; missing: {', '.join(missing[:5])}",
                file=str(folder),
                hint="copy the missing parts beside the others, or remove metadata.yaml",
            )
        if missing or len(present) > len(listed):
            said = "metadata.yaml does not list the parts that are there: those there are read"
            findings.add("other-metadata", said)
        else:
            present = [folder / name for name in listed]
    if not present:
        raise InputMissingError(
            "not-a-log",
            "no part of the bag is in the folder: there is no .db3 and no .mcap",
            file=str(folder),
        )
    if any(part.is_symlink() or not part.is_file() for part in present):
        raise BadDataError("not-a-file", "a part is a link or no file", file=str(folder))
    return present


def _in_order(path: Path) -> tuple[str, int]:
    """bag_2 before bag_10."""
    found = re.fullmatch(r"(.*?)(\d*)", path.stem)
    return (found[1], int(found[2] or 0)) if found else (path.stem, 0)


def _listed(metadata: Path) -> list[str] | None:
    """The file names under `relative_file_paths`; folders in them are left out."""
    if not metadata.is_file():
        return None
    with metadata.open("rb") as file:
        text = file.read(_LARGEST_METADATA).decode("utf-8", "replace")
    found = re.search(r"^\s*relative_file_paths:[ \t]*\n((?:\s*-[^\n]*\n?)+)", text, re.MULTILINE)
    if found is None:
        return None
    names = [line.strip()[1:].strip().strip("'\"") for line in found[1].strip().splitlines()]
    return [Path(name).name for name in names if name]


class SqliteBag(Bag):
    """The messages of a `.db3` file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        for ending, command in (
            ("-wal", f"sqlite3 {path} 'PRAGMA wal_checkpoint(TRUNCATE);'"),
            ("-journal", f"sqlite3 {path} 'PRAGMA integrity_check;'"),
        ):
            journal = path.with_name(path.name + ending)
            if journal.is_file() and journal.stat().st_size:
                raise BadDataError(
                    "hot-journal",
                    f"{journal.name} holds what was not yet written into the bag",
                    file=str(path),
                    hint=f"run: {command}",
                )
        self._ids: dict[str, int] = {}
        self.topics = {}
        for number, topic in self._read_topics():
            if topic.name in self.topics:
                said = f"{topic.name} is listed twice"
                raise BadDataError("two-types", said, file=str(path))
            self._ids[topic.name] = number
            self.topics[topic.name] = topic

    def _connect(self) -> sqlite3.Connection:
        """Open it as a file that nobody writes: no locks, no journal, no foreign code."""
        address = f"file:{quote(str(self._path.absolute()).encode('utf-8', 'surrogateescape'))}"
        connection = sqlite3.connect(f"{address}?mode=ro&immutable=1", uri=True)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST_MESSAGE)
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.text_factory = lambda raw: raw.decode("utf-8", "backslashreplace")
        return connection

    def _read_topics(self) -> Iterator[tuple[int, Topic]]:
        connection = None
        try:
            connection = self._connect()
            listed = "SELECT name FROM sqlite_master WHERE type = 'table'"
            tables = {name for (name,) in connection.execute(listed)}
            if not {"topics", "messages"} <= tables:
                said = f"no ROS 2 bag: it has tables {', '.join(sorted(tables)[:8]) or 'none'}"
                raise BadDataError("not-a-bag", said, file=str(self._path))
            counting = "SELECT topic_id, COUNT(*) FROM messages GROUP BY topic_id"
            counts = dict(connection.execute(counting).fetchall())
            definitions: dict[str, str] = {}
            if "message_definitions" in tables:
                query = "SELECT topic_type, encoded_message_definition FROM message_definitions"
                known = connection.execute(f"{query} WHERE encoding = 'ros2msg'")
                definitions = {kind: text for kind, text in known if text}
            query = "SELECT id, name, type, serialization_format FROM topics ORDER BY id"
            for number, name, kind, encoding in connection.execute(query):
                definition = definitions.get(kind, "")
                count = counts.get(number, 0)
                yield number, Topic(str(name), str(kind), str(encoding), definition, count)
        except _DAMAGE as error:
            self._refuse(error)
        finally:
            if connection is not None:
                connection.close()

    def messages(self, topics: frozenset[str], findings: Findings) -> Messages:
        """All messages of some topics in the order they were written."""
        del findings
        names = {self._ids[name]: name for name in topics if name in self._ids}
        marks = ",".join("?" * len(names))
        query = "SELECT topic_id, timestamp, data FROM messages WHERE topic_id IN"
        connection = self._connect()
        unpack = zstandard.ZstdDecompressor(max_window_size=1 << 27)
        try:
            rows = connection.execute(f"{query} ({marks}) ORDER BY id", list(names))
            for number, stamp, data in rows:
                if not isinstance(stamp, int) or not isinstance(data, bytes):
                    said = f"a message of {names[number]} is no message"
                    raise BadDataError("damaged-bag", said, file=str(self._path))
                if data.startswith(ZSTD):  # compressed one by one; CDR never begins like that
                    with unpack.stream_reader(data) as stream:
                        data = stream.read(_LARGEST_MESSAGE)  # noqa: PLW2901
                yield Message(names[number], stamp, data, number)
        except _DAMAGE as error:
            self._refuse(error)
        finally:
            connection.close()

    def _refuse(self, error: Exception) -> NoReturn:
        raise BadDataError(
            "damaged-bag",
            f"the database is damaged: {error}",
            file=str(self._path),
            hint=f"try: sqlite3 {self._path} .recover | sqlite3 recovered.db3",
        ) from error
