"""MCAP, read from front to back, so that a cut or damaged file gives all it still holds.

A record is an opcode, a length and that many bytes. Messages stand alone or in compressed chunks
with a checksum. The summary at the end is used only to know topics and counts beforehand.
"""

import struct
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn

import lz4.frame
import zstandard

from robotid.errors import BadDataError, Effect
from robotid.logs.bag import Bag, BagLog, Message, Messages, Topic
from robotid.logs.byte_source import FREE_BYTES, LARGEST_RATIO, read_block
from robotid.logs.findings import Findings
from robotid.logs.log import NO_OPTIONS, Log, ReadOptions

MAGIC = b"\x89MCAP0\r\n"
LARGEST_RECORD = 1 << 30
_FOOTER, _SCHEMA, _CHANNEL, _MESSAGE, _CHUNK, _STATISTICS, _DATA_END = 2, 3, 4, 5, 6, 11, 15
_HEAD = struct.Struct("<BQ")
_MESSAGE_HEAD = struct.Struct("<HIQQ")
_CHUNK_HEAD = struct.Struct("<QQQI")


class _Channel(NamedTuple):
    topic: str
    encoding: str
    schema: int


def open_mcap(path: Path, findings: Findings, options: ReadOptions = NO_OPTIONS) -> Log:
    """Open an MCAP file."""
    del options
    return BagLog(path, "mcap", findings, McapBag(path, findings))


class McapBag(Bag):
    """The messages of an MCAP file."""

    def __init__(self, path: Path, findings: Findings) -> None:
        self._path = path
        self._schemas: dict[int, tuple[str, str]] = {}
        self._channels: dict[int, _Channel] = {}
        self._size = path.stat().st_size
        counts = self._summary()
        if counts is None:  # no summary: count by reading
            counts = Counter()
            with findings.one_pass() as found, path.open("rb") as file:
                for number, _, _ in self._linear(file, found):
                    counts[number] += 1
        self.topics = {}
        for number, channel in self._channels.items():
            self._add_topic(channel, counts.get(number, 0))

    def _add_topic(self, channel: _Channel, count: int) -> None:
        schema, definition = self._schemas.get(channel.schema, ("", ""))
        known = self.topics.get(channel.topic)
        if known is not None:
            if known.message_type != schema:
                raise BadDataError(
                    "two-types",
                    f"{channel.topic} has messages of types {known.message_type} and {schema}",
                    file=str(self._path),
                )
            count += known.messages or 0
        self.topics[channel.topic] = Topic(
            channel.topic, schema, channel.encoding, definition, count
        )

    def messages(self, topics: frozenset[str], findings: Findings) -> Messages:
        """All messages of some topics in the order of the file."""
        with self._path.open("rb") as file:
            wanted = {n: c.topic for n, c in self._channels.items() if c.topic in topics}
            for channel, log_time, data in self._linear(file, findings, wanted):
                yield Message(wanted[channel], log_time, data, channel)

    def _linear(
        self, file: BinaryIO, findings: Findings, wanted: dict[int, str] | None = None
    ) -> Iterator[tuple[int, int, bytes]]:
        """(channel, log time, data) of every message up to the last whole record."""
        file.seek(len(MAGIC))
        at, messages, last = len(MAGIC), 0, 0
        whole = False
        while True:
            head = read_block(file, self._path, _HEAD.size)
            if len(head) < _HEAD.size:
                break
            opcode, length = _HEAD.unpack(head)
            if opcode in (_DATA_END, _FOOTER):
                whole = True
                break
            if length > self._size - at - _HEAD.size:
                break
            if length > LARGEST_RECORD:
                raise BadDataError(
                    "absurd-length",
                    f"a record of {length} bytes at byte {at}",
                    file=str(self._path),
                )
            if opcode == _CHUNK:
                body = self._chunk(read_block(file, self._path, length), at, findings)
            elif opcode in (_MESSAGE, _SCHEMA, _CHANNEL):
                body = head + read_block(file, self._path, length)
            else:
                file.seek(length, 1)
                body = b""
            for channel, log_time, data in self._records(body, wanted, at, findings):
                messages += 1
                last = log_time
                yield channel, log_time, data
            at += _HEAD.size + length
        if not whole:
            findings.add(
                "cut-bag",
                f"the file ends within a record at byte {at} of {self._size}: {messages} messages "
                f"recovered{f', the last at {last / 1e9:.3f} s' if messages else ''}",
                effect=Effect.DATA_LOST,
            )

    def _records(
        self, body: bytes, wanted: dict[int, str] | None, at: int, findings: Findings
    ) -> Iterator[tuple[int, int, bytes]]:
        """The messages among the records of a chunk; schemas and channels are remembered."""
        offset, end = 0, len(body)
        while offset + _HEAD.size <= end:
            opcode, length = _HEAD.unpack_from(body, offset)
            start = offset + _HEAD.size
            offset = start + length
            if offset > end:
                findings.add(
                    "damaged-chunk",
                    "a record goes beyond the end of its chunk: the rest was left out",
                    where=f"byte {at}",
                    effect=Effect.DATA_LOST,
                )
                return
            if opcode == _MESSAGE and length >= _MESSAGE_HEAD.size:
                channel, _, log_time, _ = _MESSAGE_HEAD.unpack_from(body, start)
                if wanted is None or channel in wanted:
                    if log_time >= 1 << 63:
                        self._refuse(at, "a time beyond the year 2262")
                    yield channel, log_time, body[start + _MESSAGE_HEAD.size : offset]
            elif opcode == _SCHEMA:
                self._schema(body[start:offset], at)
            elif opcode == _CHANNEL:
                self._channel(body[start:offset], at)

    def _chunk(self, body: bytes, at: int, findings: Findings) -> bytes:
        """The records of a chunk, empty if it is damaged, which is said with the time it spans."""
        try:
            begin, end, size, checksum = _CHUNK_HEAD.unpack_from(body)
            compression, offset = _text(body, _CHUNK_HEAD.size)
            (length,) = struct.unpack_from("<Q", body, offset)
            packed = body[offset + 8 : offset + 8 + length]
            if length != len(packed):
                raise ValueError("its length is wrong")
            if size > FREE_BYTES + LARGEST_RATIO * length or size > LARGEST_RECORD:
                self._refuse(at, f"a chunk of {length} bytes that claims to hold {size}")
            records = _unpacked(packed, compression, size)
            if len(records) != size:
                raise ValueError(f"{len(records)} bytes instead of {size}")
            if checksum and zlib.crc32(records) != checksum:
                raise ValueError("its checksum is wrong")
        except (ValueError, struct.error, RuntimeError, zstandard.ZstdError) as error:
            span = f"{begin / 1e9:.3f} s to {end / 1e9:.3f} s" if len(body) >= 16 else "unknown"
            findings.add(
                "damaged-chunk",
                f"a chunk was left out ({error}); time span lost: {span}",
                where=f"byte {at}",
                effect=Effect.DATA_LOST,
            )
            return b""
        return records

    def _schema(self, body: bytes, at: int) -> None:
        try:
            (number,) = struct.unpack_from("<H", body)
            name, offset = _text(body, 2)
            encoding, offset = _text(body, offset)
            text = body[offset + 4 :].decode("utf-8", "replace")
        except (ValueError, struct.error):
            self._refuse(at, "a damaged schema")
        self._schemas.setdefault(number, (name, text if encoding.endswith("msg") else ""))

    def _channel(self, body: bytes, at: int) -> None:
        try:
            number, schema = struct.unpack_from("<HH", body)
            topic, offset = _text(body, 4)
            encoding, _ = _text(body, offset)
        except (ValueError, struct.error):
            self._refuse(at, "a damaged channel")
        known = self._channels.setdefault(number, _Channel(topic, encoding, schema))
        if known.topic != topic:
            self._refuse(at, f"channel {number} is {known.topic} and {topic}")

    def _summary(self) -> dict[int, int] | None:
        """Messages by channel as the summary says; None without a whole one."""
        with self._path.open("rb") as file:
            tail = len(MAGIC) + _HEAD.size + 20
            if self._size < len(MAGIC) + tail:
                return None
            file.seek(self._size - tail)
            end = read_block(file, self._path, tail)
            start, _, checksum = struct.unpack_from("<QQI", end, _HEAD.size)
            if not end.endswith(MAGIC) or end[0] != _FOOTER or not start:
                return None
            length = self._size - len(MAGIC) - start
            if start > self._size or length > LARGEST_RECORD:
                return None
            file.seek(start)
            body = read_block(file, self._path, length)
        if checksum and zlib.crc32(body[:-4]) != checksum:
            return None
        counts: dict[int, int] | None = None
        offset = 0
        while offset + _HEAD.size <= len(body):
            opcode, length = _HEAD.unpack_from(body, offset)
            record = body[offset + _HEAD.size : offset + _HEAD.size + length]
            offset += _HEAD.size + length
            if opcode == _SCHEMA:
                self._schema(record, start)
            elif opcode == _CHANNEL:
                self._channel(record, start)
            elif opcode == _STATISTICS and len(record) >= 46:
                pairs = record[46 : 46 + (len(record) - 46) // 10 * 10]
                counts = dict(struct.iter_unpack("<HQ", pairs))
        return counts if self._channels else None

    def _refuse(self, at: int, said: str) -> NoReturn:
        raise BadDataError("damaged-bag", f"{said}, at byte {at}", file=str(self._path))


def _text(body: bytes, at: int) -> tuple[str, int]:
    """A string with its length before it, and where the next field begins."""
    (length,) = struct.unpack_from("<I", body, at)
    raw = body[at + 4 : at + 4 + length]
    if len(raw) < length:
        raise ValueError("a string that goes beyond its record")
    return raw.decode("utf-8", "backslashreplace"), at + 4 + length


def _unpacked(packed: bytes, compression: str, size: int) -> bytes:
    """At most `size` bytes."""
    if compression == "":
        return packed
    if compression == "zstd":
        unpacker = zstandard.ZstdDecompressor(max_window_size=1 << 27)
        with unpacker.stream_reader(packed) as stream:
            return bytes(stream.read(size))
    if compression == "lz4":
        return bytes(lz4.frame.LZ4FrameDecompressor().decompress(packed, max_length=size))
    raise ValueError(f"compression {compression!r} is not known")
