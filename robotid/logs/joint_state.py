"""`sensor_msgs/JointState`, many messages at once.

Messages of one publisher have the same size and the same bytes except for stamp and numbers. So the
layout is worked out once, the messages that share it are found by comparing bytes, and their
numbers are taken out as a block. Joints are found by name, so their order may change between
messages.
"""

import struct
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from robotid.errors import BadDataError
from robotid.logs.findings import Findings
from robotid.logs.log import Column, Kind, Numbers

JOINT_STATE = "sensor_msgs/JointState"
STAMP = "header.stamp"
SIGNALS = ("position", "velocity", "effort")
_MOST_LAYOUTS = 16  # in one batch; more means that messages do not repeat
_MOST_JOINTS = 1000


class Layout(NamedTuple):
    """Where things are in a message.

    Args:
        size: of the message [bytes].
        order: `<` or `>`.
        stamp: offset of seconds and nanoseconds.
        names: of the joints.
        arrays: (offset, count) of position, velocity and effort.
        fixed: (from, to) of the bytes that make the layout.
    """

    size: int
    order: str
    stamp: int
    names: tuple[str, ...]
    arrays: tuple[tuple[int, int], ...]
    fixed: tuple[tuple[int, int], ...]


class _Cursor:
    """Reads lengths and strings and keeps within the message."""

    def __init__(self, data: bytes, encoding: str) -> None:
        self.data, self.fixed = data, list[tuple[int, int]]()
        self.cdr = encoding == "cdr"
        self.order = "<"
        self.at = 0
        if self.cdr:
            kind = data[:2]
            if len(data) < 4 or kind not in (b"\0\0", b"\0\1"):
                raise ValueError("not plain CDR")
            self.order = "<" if kind == b"\0\1" else ">"
            self.fixed.append((0, 2))
            self.at = 4

    def align(self, size: int) -> None:
        if self.cdr:
            self.at += -(self.at - 4) % size

    def length(self) -> int:
        """A count, which cannot be larger than what is left of the message."""
        self.align(4)
        (count,) = struct.unpack_from(f"{self.order}I", self.data, self.at)
        self.fixed.append((self.at, self.at + 4))
        self.at += 4
        if count > len(self.data) - self.at:
            raise ValueError(f"a length of {count}")
        return int(count)

    def text(self) -> str:
        count = self.length()
        raw = self.data[self.at : self.at + count]
        self.fixed.append((self.at, self.at + count))
        self.at += count
        return raw.rstrip(b"\0").decode("utf-8", "backslashreplace")

    def array(self) -> tuple[int, int]:
        count = self.length()
        if count:
            self.align(8)
        start = self.at
        self.at += 8 * count
        if self.at > len(self.data):
            raise ValueError(f"an array of {count}")
        return start, count


def layout_of(data: bytes, encoding: str) -> Layout:
    """The layout of a message; ValueError or struct.error if it is none.

    Args:
        data: the message.
        encoding: `cdr` or `ros1`.
    """
    cursor = _Cursor(data, encoding)
    if encoding == "ros1":
        cursor.at += 4  # the sequence number
    stamp = cursor.at
    cursor.at += 8
    cursor.text()
    count = cursor.length()
    if count > _MOST_JOINTS:
        raise ValueError(f"{count} joints")
    names = tuple(cursor.text() for _ in range(count))
    arrays = tuple(cursor.array() for _ in SIGNALS)
    if len(data) - cursor.at > 3:
        raise ValueError(f"{len(data) - cursor.at} bytes too many")
    return Layout(len(data), cursor.order, stamp, names, arrays, tuple(cursor.fixed))


def say_unstamped(topic: str, findings: Findings) -> None:
    """Say that the publisher of a topic does not fill in the time."""
    said = f"{topic}: the stamps in the headers are all zero; log_time is the only time"
    findings.add("zero-stamps", said, where=topic)


class JointStateReader:
    """Reads the messages of one topic."""

    def __init__(
        self, topic: str, encoding: str, samples: Sequence[bytes], findings: Findings, file: str
    ) -> None:
        self._topic, self._encoding, self._file = topic, encoding, file
        joints: dict[str, set[str]] = {}  # the signals of each
        stamped = not samples
        for data in samples:
            try:
                layout = layout_of(data, encoding)
            except (ValueError, struct.error):
                continue  # reading it will say so, with the place
            filled = {s for s, (_, n) in zip(SIGNALS, layout.arrays, strict=True) if n}
            for name in layout.names:
                joints.setdefault(name, set()).update(filled)
            stamped |= any(data[layout.stamp : layout.stamp + 8])
        empty = [s for s in SIGNALS if any(s not in signals for signals in joints.values())]
        if empty:
            without = [name for name, signals in joints.items() if not signals.issuperset(empty)]
            whose = "" if len(without) == len(joints) else f" of {', '.join(without[:10])}"
            findings.add("empty-field", f"{topic} has no {', '.join(empty)}{whose}", where=topic)
        if not stamped:
            say_unstamped(topic, findings)
        self.columns = (
            Column(STAMP, Kind.INT, "ns"),
            *(
                Column(f"{signal}.{name}", Kind.FLOAT)
                for signal in SIGNALS
                for name, signals in joints.items()
                if signal in signals
            ),
        )

    def read(
        self,
        data: Sequence[bytes],
        columns: Sequence[Column],
        log_time: NDArray[np.int64],
        first: int,
        findings: Findings,
    ) -> tuple[NDArray[np.int64], dict[str, Numbers]]:
        """The rows that hold the wanted columns, and these.

        Args:
            data: messages.
            columns: what is wanted of them.
            log_time: their times [ns], for messages.
            first: the number of the first, for messages.
            findings: takes messages of other joints.
        """
        wanted = [column.name for column in columns]
        values: dict[str, Numbers] = {name: np.empty(len(data), np.float64) for name in wanted}
        if STAMP in values:
            values[STAMP] = np.empty(len(data), np.int64)
        kept = np.ones(len(data), bool)
        sizes = np.fromiter(map(len, data), np.int64, len(data))
        pending = np.arange(len(data))
        layouts = 0
        while pending.size:
            leader = int(pending[0])
            try:
                layout = layout_of(data[leader], self._encoding)
            except (ValueError, struct.error) as error:
                self._refuse(
                    "damaged-message", f"no JointState: {error}", log_time[leader], first + leader
                )
            layouts += 1
            alike = pending[sizes[pending] == layout.size]
            rows = alike if layouts <= _MOST_LAYOUTS else pending[:1]
            block = np.frombuffer(b"".join([data[row] for row in rows]), np.uint8)
            block = block.reshape(len(rows), layout.size)
            same = np.ones(len(rows), bool)
            for start, end in layout.fixed:
                same &= (block[:, start:end] == block[0, start:end]).all(axis=1)
            rows, block = rows[same], block[same]
            place = (int(log_time[leader]), first + leader)
            if not self._take(layout, block, rows, values, place):
                kept[rows] = False
                findings.add(
                    "other-joints",
                    f"messages on {self._topic} that hold other joints were left out",
                    where=f"message {first + leader}",
                    count=len(rows),
                )
            pending = np.setdiff1d(pending, rows, assume_unique=True)
        index = np.flatnonzero(kept)
        if index.size < len(data):
            values = {name: column[index] for name, column in values.items()}
        return index, values

    def _take(
        self,
        layout: Layout,
        block: NDArray[np.uint8],
        rows: NDArray[np.int64],
        values: dict[str, Numbers],
        place: tuple[int, int],
    ) -> bool:
        """Take the wanted numbers out of messages of one layout; False if it has other joints."""
        self._check_lengths(layout, place)
        joints = {name: number for number, name in enumerate(layout.names)}
        wanted = [(name, *name.partition(".")[::2]) for name in values if name != STAMP]
        missing = [joint for _, _, joint in wanted if joint not in joints]
        if wanted and len(missing) == len(wanted):
            return False
        if missing:
            said = f"joint {missing[0]!r} is missing from a message that holds others"
            self._refuse("joint-missing", said, *place)
        arrays: dict[str, NDArray[np.float64]] = {}
        for signal, (start, count) in zip(SIGNALS, layout.arrays, strict=True):
            if any(signal == name for _, name, _ in wanted):
                if not count:
                    self._refuse("unequal-lengths", f"{signal} is empty", *place)
                raw = np.ascontiguousarray(block[:, start : start + 8 * count])
                arrays[signal] = raw.view(f"{layout.order}f8")
        for name, signal, joint in wanted:
            values[name][rows] = arrays[signal][:, joints[joint]]
        if STAMP in values:
            raw = np.ascontiguousarray(block[:, layout.stamp : layout.stamp + 8])
            second = raw.view(f"{layout.order}i4").astype(np.int64)[:, 0]
            values[STAMP][rows] = second * 1_000_000_000 + raw.view(f"{layout.order}u4")[:, 1]
        return True

    def _check_lengths(self, layout: Layout, place: tuple[int, int]) -> None:
        """Arrays have one number per joint or none at all (B83); a joint occurs once."""
        counts = [count for _, count in layout.arrays]
        if any(count not in (0, len(layout.names)) for count in counts):
            shown = ", ".join(f"{n} {s}" for s, n in zip(SIGNALS, counts, strict=True))
            said = f"arrays of unequal length: {len(layout.names)} names, {shown}"
            self._refuse("unequal-lengths", said, *place)
        if len(set(layout.names)) < len(layout.names):
            self._refuse("same-joint", "a joint occurs twice in a message", *place)

    def _refuse(self, code: str, said: str, log_time: int, number: int) -> NoReturn:
        raise BadDataError(
            code,
            f"{self._topic}, message {number}: {said}",
            file=self._file,
            time=int(log_time) / 1e9,
        )
