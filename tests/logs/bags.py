"""Small bags for tests: those of rosbags' writers, and an MCAP writer that can be told to err."""

import bz2
import io
import struct
import zlib
from itertools import pairwise

import lz4.frame
import numpy as np
import zstandard
from rosbags.rosbag1 import Writer as Writer1
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin
from rosbags.rosbag2 import Writer as Writer2
from rosbags.typesys import Stores, get_typestore

ROS1, ROS2 = get_typestore(Stores.ROS1_NOETIC), get_typestore(Stores.ROS2_HUMBLE)
TYPE = "sensor_msgs/msg/JointState"
NAMES = ("elbow", "wrist", "base")
START = 1_700_000_000_000_000_000


def values(count, joints=3, seed=0):
    """position, velocity, effort, each (count, joints)."""
    return np.random.default_rng(seed).normal(size=(3, count, joints))


def joint_state(store, stamp, names, position, velocity, effort, frame="world"):
    kinds = store.types
    second, nano = divmod(stamp, 10**9)
    time = kinds["builtin_interfaces/msg/Time"](sec=second, nanosec=nano)
    ros1 = {"seq": 7} if store is ROS1 else {}
    header = kinds["std_msgs/msg/Header"](stamp=time, frame_id=frame, **ros1)
    arrays = [np.array(values, np.float64) for values in (position, velocity, effort)]
    return kinds[TYPE](header, list(names), *arrays)


def wrench(store, stamp, force):
    kinds = store.types
    second, nano = divmod(stamp, 10**9)
    time = kinds["builtin_interfaces/msg/Time"](sec=second, nanosec=nano)
    ros1 = {"seq": 7} if store is ROS1 else {}
    vector = kinds["geometry_msgs/msg/Vector3"]
    return kinds["geometry_msgs/msg/WrenchStamped"](
        kinds["std_msgs/msg/Header"](stamp=time, frame_id="tool", **ros1),
        kinds["geometry_msgs/msg/Wrench"](vector(*force), vector(0.0, 0.0, 0.0)),
    )


def encode(store, message, kind=TYPE):
    data = (
        store.serialize_ros1(message, kind) if store is ROS1 else store.serialize_cdr(message, kind)
    )
    return bytes(data)


def states(store, count=50, names=NAMES, seed=0):
    """(log time, encoded message) of random motions, one every 10 ms."""
    signals = values(count, len(names), seed)
    return [
        (
            START + 10_000_000 * i,
            encode(store, joint_state(store, START + 10_000_000 * i + 5, names, *signals[:, i])),
        )
        for i in range(count)
    ]


def write_rosbag1(path, topics, compression=None, chunk=None):
    """topics: {name: (type, [(time, data)])}; chunk: bytes after which a new one begins."""
    writer = Writer1(path)
    if chunk:
        writer.chunk_threshold = chunk
    if compression:
        writer.set_compression(compression)
    with writer:
        for name, (kind, messages) in topics.items():
            connection = writer.add_connection(name, kind, typestore=ROS1)
            for time, data in messages:
                writer.write(connection, time, data)
    return path


def write_rosbag2(path, topics, storage="sqlite3", compression=None):
    plugin = StoragePlugin.MCAP if storage == "mcap" else StoragePlugin.SQLITE3
    writer = Writer2(path, version=9, storage_plugin=plugin)
    if compression == "message":
        writer.set_compression(CompressionMode.MESSAGE, CompressionFormat.ZSTD)
    with writer:
        for name, (kind, messages) in topics.items():
            connection = writer.add_connection(name, kind, typestore=ROS2)
            for time, data in messages:
                writer.write(connection, time, data)
    return path


def _string(text):
    return struct.pack("<I", len(text)) + text.encode()


def record(opcode, body):
    return struct.pack("<BQ", opcode, len(body)) + body


def message_record(channel, time, data):
    return record(5, struct.pack("<HIQQ", channel, 0, time, time) + data)


def channel_record(number, topic, encoding="cdr", schema=1):
    return record(
        4,
        struct.pack("<HH", number, schema)
        + _string(topic)
        + _string(encoding)
        + struct.pack("<I", 0),
    )


def schema_record(number=1, name=TYPE, encoding="ros2msg", text=b""):
    return record(
        3,
        struct.pack("<H", number)
        + _string(name)
        + _string(encoding)
        + struct.pack("<I", len(text))
        + text,
    )


def chunk_record(records, begin, end, compression="", checksum=None):
    pack = {"": bytes, "zstd": zstandard.compress, "lz4": lz4.frame.compress}[compression]
    crc = zlib.crc32(records) if checksum is None else checksum
    packed = pack(records)
    head = struct.pack("<QQQI", begin, end, len(records), crc) + _string(compression)
    return record(6, head + struct.pack("<Q", len(packed)) + packed)


HEAD = b"\x89MCAP0\r\n" + record(1, _string("ros2") + _string("tests"))
TAIL = record(15, struct.pack("<I", 0)) + record(2, struct.pack("<QQI", 0, 0, 0)) + b"\x89MCAP0\r\n"


def mcap_bytes(messages, per_chunk=0, compression="", topic="/joint_states"):
    """An MCAP file without summary: messages alone, or some to a chunk."""
    head = schema_record() + channel_record(1, topic)
    if not per_chunk:
        return HEAD + head + b"".join(message_record(1, *m) for m in messages) + TAIL
    borders = [*range(0, len(messages), per_chunk), len(messages)]
    chunks = []
    for number, (start, end) in enumerate(pairwise(borders)):
        part = messages[start:end]
        records = (head if number == 0 else b"") + b"".join(message_record(1, *m) for m in part)
        chunks.append(chunk_record(records, part[0][0], part[-1][0], compression))
    return HEAD + b"".join(chunks) + TAIL


def whole_messages(data, per_chunk):
    """How many messages stand in whole records: an independent scan."""
    stream, count = io.BytesIO(data), 0
    stream.read(8)
    while len(head := stream.read(9)) == 9:
        opcode, length = struct.unpack("<BQ", head)
        body = stream.read(length)
        if len(body) < length or opcode == 15:
            break
        count += 1 if opcode == 5 else per_chunk if opcode == 6 else 0
    return count


UNPACK1 = {b"none": bytes, b"bz2": bz2.decompress, b"lz4": lz4.frame.decompress}


def whole_messages1(data):
    """How many messages of a ROS 1 bag stand in whole chunks: an independent scan."""
    at, count = len(b"#ROSBAG V2.0\n"), 0
    while at + 4 <= len(data):
        (head,) = struct.unpack_from("<I", data, at)
        if at + 8 + head > len(data):
            break
        (length,) = struct.unpack_from("<I", data, at + 4 + head)
        body = data[at + 8 + head : at + 8 + head + length]
        if len(body) < length:
            break
        if b"op=\x05" in data[at : at + 4 + head]:
            packed = data[at : at + 4 + head]
            kind = next(kind for kind in UNPACK1 if b"compression=" + kind in packed)
            count += UNPACK1[kind](body).count(b"\x04\0\0\0op=\x02")
        at += 8 + head + length
    return count
