"""ROS 1 bags (version 2.0), read from front to back, so that unindexed and cut ones are read too.

A record is a header of `name=value` fields and data, each behind its length. Connections say what a
topic holds; messages stand in chunks or, in old bags, alone.
"""

import bz2
import struct
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NoReturn

import lz4.frame

from robotid.errors import BadDataError, Effect
from robotid.logs.bag import Bag, BagLog, Message, Messages, Topic
from robotid.logs.byte_source import FREE_BYTES, LARGEST_RATIO, read_block
from robotid.logs.findings import Findings
from robotid.logs.log import NO_OPTIONS, Log, ReadOptions

MAGIC = b"#ROSBAG V2.0\n"
_MESSAGE, _BAG_HEADER, _CHUNK, _CHUNK_INFO, _CONNECTION = 2, 3, 5, 6, 7
_LARGEST_HEADER = 1 << 24
_LARGEST_DATA = 1 << 30
_U32 = struct.Struct("<I")

Fields = dict[bytes, bytes]


def open_rosbag1(path: Path, findings: Findings, options: ReadOptions = NO_OPTIONS) -> Log:
    """Open a ROS 1 bag, indexed or not."""
    del options
    return BagLog(path, "rosbag1", findings, Rosbag1(path, findings))


class Rosbag1(Bag):
    """The messages of a ROS 1 bag."""

    def __init__(self, path: Path, findings: Findings) -> None:
        self._path = path
        self._size = path.stat().st_size
        self._connections: dict[int, tuple[str, str, str]] = {}  # topic, type, definition
        with path.open("rb") as file:
            version = file.readline(16)
            if version != MAGIC:
                shown = version.strip().decode("ascii", "replace")
                said = f"{shown!r} is not version 2.0"
                hint = "convert it with: rosbag fix OLD.bag NEW.bag"
                raise BadDataError("bag-version", said, file=str(path), hint=hint)
            counts = self._index(file)
            if counts is None:
                counts = Counter()
                said = "the bag has no index, as one that was not closed: it is read in full"
                findings.add("no-index", said)
                with findings.one_pass() as found:
                    for number, _, _ in self._linear(file, found):
                        counts[number] += 1
        self.topics = {}
        for number, (topic, kind, definition) in self._connections.items():
            known = self.topics.get(topic)
            if known is not None and known.message_type != kind:
                said = f"{topic} has messages of types {known.message_type} and {kind}"
                raise BadDataError("two-types", said, file=str(path))
            count = counts.get(number, 0) + ((known.messages or 0) if known else 0)
            self.topics[topic] = Topic(topic, kind, "ros1", definition, count)

    def messages(self, topics: frozenset[str], findings: Findings) -> Messages:
        """All messages of some topics in the order of the file."""
        wanted = {n: topic for n, (topic, _, _) in self._connections.items() if topic in topics}
        with self._path.open("rb") as file:
            for number, log_time, data in self._linear(file, findings):
                if number in wanted:
                    yield Message(wanted[number], log_time, data, number)

    def _index(self, file: BinaryIO) -> Counter[int] | None:
        """Messages by connection as the index says; None without a whole one."""
        file.seek(len(MAGIC))
        head = self._record(file)
        if head is None or head[0].get(b"op") != bytes([_BAG_HEADER]):
            self._refuse(len(MAGIC), "no bag header")
        position = _number(head[0].get(b"index_pos", b""))
        if not len(MAGIC) < position < self._size:
            return None
        file.seek(position)
        counts: Counter[int] = Counter()
        records: Counter[int] = Counter()
        while (record := self._record(file)) is not None:
            fields, data = record
            operation = (fields.get(b"op") or b"\0")[0]
            records[operation] += 1
            if operation == _CONNECTION:
                self._connection(fields, data, position)
            elif operation == _CHUNK_INFO:
                for number, count in struct.iter_unpack("<II", data[: len(data) // 8 * 8]):
                    counts[number] += count
        announced = [_number(head[0].get(name, b"")) for name in (b"conn_count", b"chunk_count")]
        whole = announced == [records[_CONNECTION], records[_CHUNK_INFO]]
        return counts if whole and file.tell() == self._size else None

    def _linear(self, file: BinaryIO, findings: Findings) -> Iterator[tuple[int, int, bytes]]:
        """(connection, log time, data) of every message up to the last whole record."""
        file.seek(len(MAGIC))
        messages = 0
        while True:
            at = file.tell()
            record = self._record(file)
            if record is None:
                break
            fields, data = record
            operation = (fields.get(b"op") or b"\0")[0]
            if operation == _CHUNK:
                records = self._chunk(fields, data, at, findings)
            elif operation in (_MESSAGE, _CONNECTION):
                records = iter([(fields, data)])
            else:
                continue
            for inner, content in records:
                operation = (inner.get(b"op") or b"\0")[0]
                if operation == _CONNECTION:
                    self._connection(inner, content, at)
                elif operation == _MESSAGE:
                    second, nano = (
                        _number(inner.get(b"time", b"")[:4]),
                        _number(inner.get(b"time", b"")[4:8]),
                    )
                    messages += 1
                    yield _number(inner.get(b"conn", b"")), second * 1_000_000_000 + nano, content
        if at < self._size:
            findings.add(
                "cut-bag",
                f"the file ends within a record at byte {at} of {self._size}: {messages} messages "
                "recovered",
                effect=Effect.DATA_LOST,
            )

    def _record(self, file: BinaryIO) -> tuple[Fields, bytes] | None:
        """The next record; None at the end of the file or where it is cut."""
        at = file.tell()
        header = self._block(file, _LARGEST_HEADER, at)
        data = None if header is None else self._block(file, _LARGEST_DATA, at)
        if header is None or data is None:
            return None
        try:
            return _fields(header), data
        except ValueError:
            self._refuse(at, "a record with a damaged header")

    def _block(self, file: BinaryIO, largest: int, at: int) -> bytes | None:
        raw = read_block(file, self._path, 4)
        if len(raw) < 4:
            return None
        (length,) = _U32.unpack(raw)
        if length > self._size - file.tell():
            return None
        if length > largest:
            self._refuse(at, f"a record of {length} bytes")
        return read_block(file, self._path, length)

    def _chunk(
        self, fields: Fields, data: bytes, at: int, findings: Findings
    ) -> Iterator[tuple[Fields, bytes]]:
        size = _number(fields.get(b"size", b""))
        if size > FREE_BYTES + LARGEST_RATIO * len(data) or size > _LARGEST_DATA:
            self._refuse(at, f"a chunk of {len(data)} bytes that claims to hold {size}")
        try:
            records = _unpacked(data, fields.get(b"compression", b"none"), size)
            if len(records) != size:
                raise ValueError(f"{len(records)} bytes instead of {size}")
            offset = 0
            while offset < size:
                header, offset = _slice(records, offset)
                content, offset = _slice(records, offset)
                yield _fields(header), content
        except (ValueError, OSError, EOFError, RuntimeError, struct.error) as error:
            findings.add(
                "damaged-chunk",
                f"a chunk or the rest of it was left out ({error})",
                where=f"byte {at}",
                effect=Effect.DATA_LOST,
            )

    def _connection(self, fields: Fields, data: bytes, at: int) -> None:
        try:
            inner = _fields(data)
        except ValueError:
            self._refuse(at, "a damaged connection")
        words = [
            value.decode("utf-8", "backslashreplace")
            for value in (
                fields.get(b"topic", b""),
                inner.get(b"type", b""),
                inner.get(b"message_definition", b""),
            )
        ]
        topic, kind, definition = words
        self._connections.setdefault(_number(fields.get(b"conn", b"")), (topic, kind, definition))

    def _refuse(self, at: int, said: str) -> NoReturn:
        raise BadDataError("damaged-bag", f"{said}, at byte {at}", file=str(self._path))


def _number(raw: bytes) -> int:
    return int.from_bytes(raw[:8], "little")


def _slice(records: bytes, at: int) -> tuple[bytes, int]:
    (length,) = _U32.unpack_from(records, at)
    end = at + 4 + length
    if end > len(records):
        raise ValueError("a record that goes beyond its chunk")
    return records[at + 4 : end], end


def _fields(header: bytes) -> Fields:
    """The `name=value` fields of a header."""
    found: Fields = {}
    at = 0
    while at < len(header):
        if at + 4 > len(header):
            raise ValueError("a damaged header")
        field, at = _slice(header, at)
        name, equals, value = field.partition(b"=")
        if not equals:
            raise ValueError("a damaged header")
        found[name] = value
    return found


def _unpacked(data: bytes, compression: bytes, size: int) -> bytes:
    """At most `size` bytes."""
    if compression == b"none":
        return data
    if compression == b"bz2":
        return bz2.BZ2Decompressor().decompress(data, size)
    if compression == b"lz4":
        return bytes(lz4.frame.LZ4FrameDecompressor().decompress(data, max_length=size))
    raise ValueError(f"compression {compression.decode('ascii', 'replace')!r} is not known")
