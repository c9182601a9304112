"""A recording as joint states of ROS: MCAP, ROS 2 bag, ROS 1 bag."""

import struct
import tempfile
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rosbags.rosbag1 import Writer as Writer1
from rosbags.rosbag2 import StoragePlugin
from rosbags.rosbag2 import Writer as Writer2
from rosbags.typesys import Stores, get_typestore

from making.signals import Recording

ROS1, ROS2 = get_typestore(Stores.ROS1_NOETIC), get_typestore(Stores.ROS2_HUMBLE)
JOINT_STATE = "sensor_msgs/msg/JointState"
START = 1_700_000_000_000_000_000  # ns since 1970 of the first sample
TOPIC = "/joint_states"
_MAGIC = b"\x89MCAP0\r\n"
# The version of the library that wrote an SQLite file; nobody reads it.
_SQLITE_VERSION = slice(96, 100)


class Message(NamedTuple):
    """When it was recorded [ns], and its bytes."""

    log_time: int
    data: bytes


def joint_state(
    stamp: int, names: Sequence[str], q: Any, qd: Any, tau: Any, store: Any = ROS2
) -> bytes:
    """One encoded message; `stamp` in ns."""
    kinds = store.types
    second, nano = divmod(stamp, 10**9)
    time = kinds["builtin_interfaces/msg/Time"](sec=second, nanosec=nano)
    number = {"seq": 0} if store is ROS1 else {}
    header = kinds["std_msgs/msg/Header"](stamp=time, frame_id="", **number)
    arrays = [np.array(values, np.float64) for values in (q, qd, tau)]
    message = kinds[JOINT_STATE](header, list(names), *arrays)
    write = store.serialize_ros1 if store is ROS1 else store.serialize_cdr
    return bytes(write(message, JOINT_STATE))


def messages(recording: Recording, store: Any = ROS2) -> list[Message]:
    """A message per sample, with joints from the last to the first: their order is no promise.

    They are recorded about a millisecond after they were stamped.
    """
    late = np.random.default_rng(0).integers(800_000, 1_200_000, recording.t.size)
    names = recording.joints[::-1]
    stamps = START + np.rint(recording.t * 1e9).astype(np.int64)
    return [
        Message(
            int(stamp + delay),
            joint_state(int(stamp), names, q[::-1], qd[::-1], tau[::-1], store),
        )
        for stamp, delay, q, qd, tau in zip(stamps, late, *recording[2:], strict=True)
    ]


def rosbag2(found: Iterable[Message], name: str) -> dict[str, bytes]:
    """The files of a ROS 2 bag (SQLite) by name."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / name
        with Writer2(folder, version=9, storage_plugin=StoragePlugin.SQLITE3) as writer:
            connection = writer.add_connection(TOPIC, JOINT_STATE, typestore=ROS2)
            for time, data in found:
                writer.write(connection, time, data)
        files = {path.name: bytearray(path.read_bytes()) for path in sorted(folder.iterdir())}
    files[f"{name}.db3"][_SQLITE_VERSION] = bytes(4)
    return {path: bytes(data) for path, data in files.items()}


def rosbag1(found: Iterable[Message]) -> bytes:
    """A ROS 1 bag without compression."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "run.bag"
        with Writer1(path) as writer:
            connection = writer.add_connection(TOPIC, JOINT_STATE, typestore=ROS1)
            for time, data in found:
                writer.write(connection, time, data)
        return path.read_bytes()


def _string(text: str) -> bytes:
    return struct.pack("<I", len(text.encode())) + text.encode()


def _record(opcode: int, body: bytes) -> bytes:
    return struct.pack("<BQ", opcode, len(body)) + body


HEAD = _MAGIC + _record(1, _string("ros2") + _string("robotid"))  # of an MCAP file


def mcap_schema(number: int, name: str, definition: str = "") -> bytes:
    """A record that describes a type of messages."""
    body = struct.pack("<H", number) + _string(name) + _string("ros2msg") + _string(definition)
    return _record(3, body)


def mcap_channel(number: int, topic: str, schema: int) -> bytes:
    """A record that describes a topic."""
    body = struct.pack("<HH", number, schema) + _string(topic) + _string("cdr")
    return _record(4, body + struct.pack("<I", 0))


def mcap_chunk(found: Sequence[Message], channel: int = 1, front: bytes = b"") -> bytes:
    """Messages of a channel in one chunk, with its checksum."""
    records = front + b"".join(
        _record(5, struct.pack("<HIQQ", channel, number, time, time) + data)
        for number, (time, data) in enumerate(found)
    )
    span = struct.pack("<QQ", found[0].log_time, found[-1].log_time)
    size = struct.pack("<QI", len(records), zlib.crc32(records))
    return _record(6, span + size + _string("") + struct.pack("<Q", len(records)) + records)


def mcap_of_chunks(chunks: Iterable[bytes]) -> bytes:
    """Chunks as a file without summary: what a recorder leaves that knows no index."""
    tail = _record(15, struct.pack("<I", 0)) + _record(2, struct.pack("<QQI", 0, 0, 0)) + _MAGIC
    return HEAD + b"".join(chunks) + tail


def mcap_chunks(found: Sequence[Message], per_chunk: int, topic: str = TOPIC) -> list[bytes]:
    """Joint states in chunks; the first describes them."""
    definition, _ = ROS2.generate_msgdef(JOINT_STATE, ros_version=2)
    front = mcap_schema(1, JOINT_STATE, definition) + mcap_channel(1, topic, 1)
    parts = [found[start : start + per_chunk] for start in range(0, len(found), per_chunk)]
    return [mcap_chunk(part, 1, b"" if number else front) for number, part in enumerate(parts)]


def mcap(found: Sequence[Message], per_chunk: int = 250) -> bytes:
    """Joint states as an MCAP file."""
    return mcap_of_chunks(mcap_chunks(found, per_chunk))
