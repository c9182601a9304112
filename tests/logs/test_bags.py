"""Bags of ROS 1 and ROS 2 and MCAP: read as written, recovered when damaged, refused with topics."""

import sqlite3

import numpy as np
import pytest
from rosbags.rosbag1 import Writer as Writer1

from robotid.errors import InputMissingError
from robotid.logs.formats import open_log
from robotid.logs.joint_state import JointStateReader
from tests.logs import bags
from tests.logs.bags import NAMES, ROS1, ROS2, START, TYPE, encode, joint_state, states, values
from tests.logs.opening import read_all, refused

TOPIC = "/joint_states"
COUNT = 50


def assert_states(read, count=COUNT, names=NAMES, seed=0, first=0):
    signals = values(COUNT, len(names), seed)
    for signal, numbers in zip(("position", "velocity", "effort"), signals, strict=True):
        for joint, name in enumerate(names):
            np.testing.assert_array_equal(
                read.columns[f"{signal}.{name}"], numbers[first : first + count, joint]
            )
    stamps = START + 10_000_000 * np.arange(first, first + count)
    np.testing.assert_array_equal(read.columns["log_time"], stamps)
    np.testing.assert_array_equal(read.columns["header.stamp"], stamps + 5)


def write(tmp_path, kind):
    two = {TOPIC: (TYPE, states(ROS2, COUNT))}
    one = {TOPIC: (TYPE, states(ROS1, COUNT))}
    match kind:
        case "rosbag1":
            return bags.write_rosbag1(tmp_path / "a.bag", one)
        case "rosbag1 bz2":
            return bags.write_rosbag1(tmp_path / "a.bag", one, Writer1.CompressionFormat.BZ2)
        case "rosbag1 lz4":
            return bags.write_rosbag1(tmp_path / "a.bag", one, Writer1.CompressionFormat.LZ4)
        case "rosbag2 folder":
            return bags.write_rosbag2(tmp_path / "bag", two)
        case "rosbag2 mcap folder":
            return bags.write_rosbag2(tmp_path / "bag", two, "mcap")
        case "rosbag2 messages packed":
            return bags.write_rosbag2(tmp_path / "bag", two, compression="message")
        case "db3":
            return next(bags.write_rosbag2(tmp_path / "bag", two).glob("*.db3"))
        case "mcap of rosbags":
            return next(bags.write_rosbag2(tmp_path / "bag", two, "mcap").glob("*.mcap"))
    _, chunked, compression = kind.split(" ")
    path = tmp_path / "a.mcap"
    compression = "" if compression == "plain" else compression
    path.write_bytes(bags.mcap_bytes(states(ROS2, COUNT), int(chunked), compression))
    return path


KINDS = [
    *("rosbag1", "rosbag1 bz2", "rosbag1 lz4", "rosbag2 folder", "rosbag2 mcap folder"),
    *("rosbag2 messages packed", "db3", "mcap of rosbags"),
    *("mcap 0 plain", "mcap 7 plain", "mcap 7 zstd", "mcap 7 lz4"),
]


@pytest.mark.parametrize("kind", KINDS)
def test_joint_states_are_read_as_written(tmp_path, kind):
    read = read_all(write(tmp_path, kind))
    (stream,) = read.log.streams
    assert (stream.name, stream.rows) == (TOPIC, COUNT)
    assert stream.message_type.replace("/msg", "") == "sensor_msgs/JointState"
    assert_states(read)
    assert read.positions == list(range(1, COUNT + 1))
    assert read.codes == {}


@pytest.mark.parametrize("store", [ROS1, ROS2], ids=["ros1", "ros2"])
def test_other_messages_by_field_path(tmp_path, store):
    kind = "geometry_msgs/msg/WrenchStamped"
    messages = [
        (START + i, encode(store, bags.wrench(store, START + i, (float(i), 2.0, 3.0)), kind))
        for i in range(5)
    ]
    topics = {"/wrench": (kind, messages)}
    if store is ROS1:
        path = bags.write_rosbag1(tmp_path / "a.bag", topics)
    else:
        path = bags.write_rosbag2(tmp_path / "bag", topics)
    read = read_all(path)
    assert read.columns["wrench.force.x"].tolist() == [0, 1, 2, 3, 4]
    assert read.columns["header.stamp"].tolist() == [START + i for i in range(5)]
    assert refused(path, columns=["header.frame_id"]).code == "text-column"


def test_planned_trajectories_are_called_so(tmp_path):
    kinds, kind = ROS2.types, "trajectory_msgs/msg/JointTrajectory"
    header = kinds["std_msgs/msg/Header"](kinds["builtin_interfaces/msg/Time"](0, 0), "")
    zero = kinds["builtin_interfaces/msg/Duration"](1, 5)
    numbers = np.ones(1)
    point = kinds["trajectory_msgs/msg/JointTrajectoryPoint"](
        numbers, numbers, numbers, numbers, zero
    )
    data = encode(ROS2, kinds[kind](header, ["a"], [point]), kind)
    read = read_all(bags.write_rosbag2(tmp_path / "bag", {"/plan": (kind, [(START, data)])}))
    assert "not measured" in read.notice("planned-not-measured").message
    assert read.columns["points[0].effort[0]"].tolist() == [1]
    assert read.columns["points[0].time_from_start"].tolist() == [1_000_000_005]


def test_json_messages_in_mcap(tmp_path):
    path = tmp_path / "a.mcap"
    body = bags.schema_record(name="state", encoding="jsonschema", text=b"{}")
    body += bags.channel_record(1, "/state", "json")
    for i in range(3):
        body += bags.message_record(1, START + i, b'{"q": [%d, 2.5], "on": true}' % i)
    path.write_bytes(bags.HEAD + body + bags.TAIL)
    read = read_all(path)
    assert read.columns["q[1]"].tolist() == [2.5] * 3
    assert read.columns["q[0]"].tolist() == [0, 1, 2]
    assert read.columns["on"].dtype == np.int64


def mixed_bag(tmp_path, rows):
    """rows: (names, position, velocity, effort) of each message."""
    messages = [
        (START + i, encode(ROS2, joint_state(ROS2, START + i, *row))) for i, row in enumerate(rows)
    ]
    path = tmp_path / "a.mcap"
    path.write_bytes(bags.mcap_bytes(messages))
    return path


def test_joint_order_may_change_between_messages(tmp_path):
    rows = [(("a", "b"), [1, 2], [3, 4], [5, 6]), (("b", "a"), [20, 10], [40, 30], [60, 50])] * 3
    read = read_all(mixed_bag(tmp_path, rows))
    assert read.columns["position.a"].tolist() == [1, 10] * 3
    assert read.columns["effort.b"].tolist() == [6, 60] * 3


def test_names_of_one_length_are_told_apart(tmp_path):
    rows = [((f"joint{i % 7}", "arm"), [i, 2], [], []) for i in range(60)]
    read = read_all(mixed_bag(tmp_path, rows), columns=["position.arm"])
    assert read.columns["position.arm"].tolist() == [2] * 60
    notice = refused(mixed_bag(tmp_path, rows), columns=["position.arm", "position.joint3"])
    assert notice.code == "joint-missing"


def test_messages_of_other_joints_on_the_topic_are_left_out(tmp_path):
    arm, gripper = (("a", "b"), [1, 2], [3, 4], [5, 6]), (("finger",), [9], [], [])
    path = mixed_bag(tmp_path, [arm, gripper, arm, gripper])
    read = read_all(path, columns=["position.b"])
    assert read.columns["position.b"].tolist() == [2, 2]
    assert read.positions == [1, 3]
    assert read.count("other-joints") == 2
    assert read_all(path, columns=["position.finger"]).columns["position.finger"].tolist() == [9, 9]


def test_padding_may_hold_anything():
    """Bytes between fields are not defined; some writers leave rubbish there."""
    data = [encode(ROS2, joint_state(ROS2, START, ("ab",), [float(i)], [], [])) for i in range(3)]
    rubbish = [bytearray(raw) for raw in data]
    rubbish[1][2:4] = b"\xab\xcd"  # options of the encapsulation
    findings = None
    reader = JointStateReader("/t", "cdr", [bytes(raw) for raw in rubbish], _Silent(), "x")
    columns = [column for column in reader.columns if column.name == "position.ab"]
    _, read = reader.read([bytes(r) for r in rubbish], columns, np.zeros(3, np.int64), 1, findings)
    assert read["position.ab"].tolist() == [0, 1, 2]


class _Silent:
    def add(self, *_, **__):
        pass


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ((("a", "b"), [1, 2], [3, 4], [5]), "unequal-lengths"),
        ((("a", "b"), [1, 2, 3], [3, 4], [5, 6]), "unequal-lengths"),
        ((("a", "b"), [1, 2], [3, 4], []), "unequal-lengths"),
        ((("a", "a"), [1, 2], [3, 4], [5, 6]), "same-joint"),
    ],
)
def test_b83_unequal_arrays_are_refused(tmp_path, row, code):
    good = (("a", "b"), [1, 2], [3, 4], [5, 6])
    notice = refused(mixed_bag(tmp_path, [good, good, row, good]))
    assert notice.code == code
    assert "/joint_states, message 3" in notice.message
    assert notice.time == pytest.approx((START + 2) / 1e9)


def test_b83_an_array_that_is_always_empty_is_no_column(tmp_path):
    read = read_all(mixed_bag(tmp_path, [(("a",), [1], [2], [])] * 3))
    assert set(read.columns) == {"log_time", "header.stamp", "position.a", "velocity.a"}
    assert "effort" in read.notice("empty-field").message


def assert_cut(path, count):
    """A cut bag gives the first messages, and says how many; those found."""
    with open_log(path) as log:
        codes = {n.code: n for n in log.findings.notices()}
        if count:
            batches = list(log.batches(TOPIC, ["log_time", "position.elbow"]))
            found = [x for batch in batches for x in batch.columns["position.elbow"]]
            np.testing.assert_array_equal(found, values(6, 1)[0, :count, 0])
        else:
            assert all(not stream.rows for stream in log.streams)
        if "cut-bag" in codes:
            assert codes["cut-bag"].effect == "data-lost"
            assert f"{count} messages recovered" in codes["cut-bag"].message
    return codes


@pytest.mark.parametrize(("per_chunk", "compression"), [(0, ""), (2, ""), (2, "zstd"), (2, "lz4")])
def test_b95_every_cut_gives_the_whole_records_before_it(tmp_path, per_chunk, compression):
    whole = bags.mcap_bytes(states(ROS2, 6, ("elbow",))[:4], per_chunk, compression)
    path = tmp_path / "a.mcap"
    seen = set()
    for length in range(8, len(whole)):
        path.write_bytes(whole[:length])
        count = bags.whole_messages(whole[:length], per_chunk)
        codes = assert_cut(path, count)
        assert "cut-bag" in codes or length >= len(whole) - len(bags.TAIL) + 9  # the data end there
        seen.add(count)
    assert seen == ({0, 2, 4} if per_chunk else set(range(5)))
    path.write_bytes(whole)
    assert assert_cut(path, 4) == {}


def test_b95_every_cut_of_a_file_with_a_summary(tmp_path):
    bag = bags.write_rosbag2(tmp_path / "bag", {TOPIC: (TYPE, states(ROS2, 6, ("elbow",)))}, "mcap")
    whole = next(bag.glob("*.mcap")).read_bytes()
    path = tmp_path / "a.mcap"
    counts = [bags.whole_messages(whole[:length], 6) for length in range(len(whole))]
    assert set(counts) == {0, 6}
    border = counts.index(6)
    for length in (*range(8, border, 7), *range(border - 3, len(whole), 7)):
        path.write_bytes(whole[:length])
        assert_cut(path, counts[length])


@pytest.mark.parametrize(
    ("compression", "step"),
    [(None, 3), (Writer1.CompressionFormat.BZ2, 5), (Writer1.CompressionFormat.LZ4, 5)],
    ids=["plain", "bz2", "lz4"],
)
def test_b98_every_cut_of_a_rosbag1(tmp_path, compression, step):
    topics = {TOPIC: (TYPE, states(ROS1, 6, ("elbow",))[:4])}
    whole = bags.write_rosbag1(tmp_path / "a.bag", topics, compression, chunk=300).read_bytes()
    path = tmp_path / "cut.bag"
    first = whole.index(b"op=\x05")  # after a bag header that is padded to 4 kB
    seen = set()
    for length in (*range(13, first, 97), *range(first, len(whole), step)):
        path.write_bytes(whole[:length])
        count = bags.whole_messages1(whole[:length])
        if length < first - 4:
            notice = refused(path)
            assert notice.code == "damaged-bag"
            continue
        codes = assert_cut(path, count)
        assert "no-index" in codes
        seen.add(count)
    assert len(seen) > 2
    assert max(seen) == 4


@pytest.mark.parametrize("compression", ["", "zstd", "lz4"])
def test_b96_damaged_chunks_are_left_out(tmp_path, compression):
    messages = states(ROS2, COUNT)
    whole = bags.mcap_bytes(messages, 10, compression)
    path = tmp_path / "a.mcap"
    starts, at = [], len(bags.HEAD)
    while whole[at] == 6:
        starts.append(at)
        at += 9 + int.from_bytes(whole[at + 1 : at + 9], "little")
    assert len(starts) == 5
    damaged = bytearray(whole)
    damaged[starts[2] + 200] ^= 0x10
    path.write_bytes(damaged)
    read = read_all(path, columns=["log_time", "position.wrist"])
    expected = np.delete(np.arange(COUNT), np.s_[20:30])
    np.testing.assert_array_equal(read.columns["position.wrist"], values(COUNT)[0, expected, 1])
    assert read.codes == {"damaged-chunk": "data-lost"}
    assert f"{messages[20][0] / 1e9:.3f} s to {messages[29][0] / 1e9:.3f} s" in read.notice("damaged-chunk").message  # fmt: skip


@pytest.mark.parametrize("length", [1 << 20, 1 << 40, (1 << 64) - 1])
def test_b97_absurd_lengths_are_bounded(tmp_path, length):
    whole = bags.mcap_bytes(states(ROS2, 12))
    at = len(whole) - len(bags.TAIL)
    path = tmp_path / "a.mcap"
    path.write_bytes(whole[:at] + b"\x05" + length.to_bytes(8, "little") + whole[at:])
    read = read_all(path, columns=["position.elbow"])
    assert read.columns["position.elbow"].size == 12
    assert read.codes == {"cut-bag": "data-lost"}
    chunk = bytearray(bags.mcap_bytes(states(ROS2, 12), 12, "zstd"))
    at = len(bags.HEAD) + 9 + 16  # the size a chunk claims to hold
    chunk[at : at + 8] = length.to_bytes(8, "little")
    path.write_bytes(chunk)
    if length > 1 << 30:
        assert refused(path).code == "damaged-bag"
    else:
        with open_log(path) as log:
            assert log.streams == ()


def test_b98_unindexed_rosbag1(tmp_path):
    whole = write(tmp_path, "rosbag1").read_bytes()
    at = whole.index(b"index_pos=") + len(b"index_pos=")
    path = tmp_path / "a.bag.active"
    path.write_bytes(whole[:at] + bytes(8) + whole[at + 8 :])
    read = read_all(path)
    assert_states(read)
    assert set(read.codes) == {"no-index"}
    path.write_bytes(whole[: int(0.8 * len(whole))])  # within its only chunk
    with open_log(path) as log:
        assert log.streams == ()
        codes = {notice.code: notice.effect for notice in log.findings.notices()}
    assert codes["cut-bag"] == "data-lost"


def test_b98_rosbag2_without_metadata(tmp_path):
    path = write(tmp_path, "rosbag2 folder")
    (path / "metadata.yaml").unlink()
    read = read_all(path)
    assert_states(read)
    assert set(read.codes) == {"no-metadata"}


def test_b98_missing_and_renamed_parts(tmp_path):
    path = write(tmp_path, "rosbag2 folder")
    part = next(path.glob("*.db3"))
    renamed = part.rename(path / "other.db3")
    read = read_all(path)
    assert_states(read)
    assert set(read.codes) == {"other-metadata"}
    renamed.unlink()
    assert refused(path).code == "part-missing"


def test_b98_parts_in_order(tmp_path):
    whole = states(ROS2, COUNT)
    folder = tmp_path / "bag"
    folder.mkdir()
    for number in (0, 2, 10):
        start = {0: 0, 2: 20, 10: 40}[number]
        (folder / f"bag_{number}.mcap").write_bytes(
            bags.mcap_bytes(whole[start : min(start + 20, COUNT)])
        )
    assert_states(read_all(folder))


def test_b98_hot_journal(tmp_path):
    path = write(tmp_path, "db3")
    path.with_name(path.name + "-wal").write_bytes(b"something")
    notice = refused(path)
    assert notice.code == "hot-journal"
    assert "wal_checkpoint" in notice.hint


def test_b98_packed_parts_say_what_to_run(tmp_path):
    folder = tmp_path / "bag"
    folder.mkdir()
    (folder / "bag_0.db3.zstd").write_bytes(b"x")
    assert refused(folder).hint.startswith("zstd -d ")


def test_b99_missing_topics_and_unknown_types(tmp_path):
    path = write(tmp_path, "rosbag2 folder")
    notice = refused(path, stream="/joint_state")
    assert notice.code == "no-such-stream"
    assert f"{TOPIC} (sensor_msgs/msg/JointState, {COUNT} rows)" in notice.message
    body = bags.schema_record(name="my_msgs/msg/Odd") + bags.channel_record(1, "/odd")
    body += bags.message_record(1, START, b"\0\1\0\0abcd")
    path = tmp_path / "a.mcap"
    path.write_bytes(bags.HEAD + body + bags.TAIL)
    read = read_all(path)
    assert read.columns["log_time"].tolist() == [START]
    assert "my_msgs/msg/Odd" in read.notice("unknown-message").message


def test_b99_two_types_on_a_topic(tmp_path):
    body = bags.schema_record() + bags.schema_record(2, "std_msgs/msg/String")
    body += bags.channel_record(1, "/x") + bags.channel_record(2, "/x", schema=2)
    path = tmp_path / "a.mcap"
    path.write_bytes(bags.HEAD + body + bags.TAIL)
    assert refused(path).code == "two-types"


def test_b99_two_publishers_of_the_same_signals(tmp_path):
    body = bags.schema_record() + bags.channel_record(1, "/x") + bags.channel_record(2, "/x")
    for number, message in enumerate(states(ROS2, 6)):
        body += bags.message_record(1 + number % 2, *message)
    path = tmp_path / "a.mcap"
    path.write_bytes(bags.HEAD + body + bags.TAIL)
    assert refused(path).code == "several-publishers"


def test_a_database_that_is_no_bag(tmp_path):
    path = tmp_path / "a.db3"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE things (id INTEGER)")
    assert refused(path).code == "not-a-bag"


def test_b98_folder_of_several_logs_is_no_bag(tmp_path):
    (tmp_path / "run.mcap").write_bytes(bags.mcap_bytes(states(ROS2, 5)))
    (tmp_path / "notes.txt").write_text("a quiet day")
    assert open_log(tmp_path).format == "rosbag2"
    (tmp_path / "run.csv").write_text("t,q\n0,1\n")
    with pytest.raises(InputMissingError, match="several logs"):
        open_log(tmp_path)
