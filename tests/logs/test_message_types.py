"""Messages that laboratories record: each topic is listed with its columns and read as written."""

from dataclasses import fields

import numpy as np
import pytest
from rosbags.rosbag1 import Writer as Writer1
from rosbags.rosbag2 import StoragePlugin
from rosbags.rosbag2 import Writer as Writer2
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from robotid.logs.formats import open_log
from robotid.logs.log import Kind
from tests.logs.bags import START
from tests.logs.opening import read_all, refused

COUNT = 30
STATE = "sensor_msgs/msg/JointState"
CONTROLLER = "control_msgs/msg/JointTrajectoryControllerState"
CONTROLLER_TEXT = """std_msgs/Header header
string[] joint_names
trajectory_msgs/JointTrajectoryPoint desired
trajectory_msgs/JointTrajectoryPoint actual
trajectory_msgs/JointTrajectoryPoint error
"""


class Make:
    """Messages of any type; what is not given is zero or empty."""

    def __init__(self, ros):
        self.ros = ros
        self.store = get_typestore(Stores.ROS1_NOETIC if ros == 1 else Stores.ROS2_HUMBLE)
        if CONTROLLER not in self.store.fielddefs:  # it is no part of ROS itself
            self.store.register(get_types_from_msg(CONTROLLER_TEXT, CONTROLLER))

    def message(self, kind, **given):
        cls = self.store.types[kind]
        values = {}
        for field, (_, (category, detail)) in zip(
            fields(cls), self.store.fielddefs[kind][1], strict=False
        ):
            values[field.name] = given.pop(field.name, None)
            if values[field.name] is None:
                values[field.name] = self._zero(int(category), detail)
        assert not given
        return cls(**values)

    def _zero(self, category, detail):
        if category == 1:
            return "" if detail[0] == "string" else 0
        if category == 2:
            return self.message(detail)
        (_, (kind, _)), length = detail
        return [] if kind in ("string", "octet") or "/" in str(kind) else np.zeros(length or 0)

    def header(self, stamp=0, frame="base"):
        second, nano = divmod(stamp, 10**9)
        time = self.message("builtin_interfaces/msg/Time", sec=second, nanosec=nano)
        return self.message("std_msgs/msg/Header", stamp=time, frame_id=frame)

    def write(self, path, topics, storage=StoragePlugin.SQLITE3):
        """topics: {name: (type, [message])}, one every ms."""
        writer = (
            Writer1(path) if self.ros == 1 else Writer2(path, version=9, storage_plugin=storage)
        )
        encode = self.store.serialize_ros1 if self.ros == 1 else self.store.serialize_cdr
        with writer:
            for name, (kind, messages) in topics.items():
                connection = writer.add_connection(name, kind, typestore=self.store)
                for number, message in enumerate(messages):
                    stamp = START + number * 1_000_000
                    writer.write(connection, stamp, bytes(encode(message, kind)))
        return path


def trajectory_point(make, position, **more):
    arrays = {"positions": np.array(position), "velocities": np.array(position) * 2}
    return make.message("trajectory_msgs/msg/JointTrajectoryPoint", **arrays, **more)


def vector(make, *xyz):
    x, y, z = map(float, xyz)
    return make.message("geometry_msgs/msg/Vector3", x=x, y=y, z=z)


def wrench(make, i):
    inner = make.message("geometry_msgs/msg/Wrench", force=vector(make, i, 1, 2))
    return {"header": make.header(START + i), "wrench": inner}


def odometry(make, i):
    point = make.message("geometry_msgs/msg/Point", x=float(i), y=0.0, z=0.0)
    quaternion = make.message("geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=0.0, w=1.0)
    pose = make.message("geometry_msgs/msg/Pose", position=point, orientation=quaternion)
    twist = make.message(
        "geometry_msgs/msg/Twist", linear=vector(make, 2 * i, 0, 0), angular=vector(make, 0, 0, 0)
    )
    return {
        "header": make.header(START + i),
        "pose": make.message(
            "geometry_msgs/msg/PoseWithCovariance", pose=pose, covariance=np.arange(36.0)
        ),
        "twist": make.message(
            "geometry_msgs/msg/TwistWithCovariance", twist=twist, covariance=np.arange(36.0)
        ),
    }


def imu(make, i):
    return {
        "header": make.header(START + i),
        "orientation": make.message(
            "geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=0.0, w=float(i)
        ),
        "orientation_covariance": np.zeros(9),
        "angular_velocity": vector(make, i, 2, 3),
        "angular_velocity_covariance": np.zeros(9),
        "linear_acceleration": vector(make, 0, 0, 9.81),
        "linear_acceleration_covariance": np.zeros(9),
    }


def controller(make, i):
    return {
        "header": make.header(START + i),
        "joint_names": ["a", "b"],
        "desired": trajectory_point(make, [float(i), 1.0]),
        "actual": trajectory_point(make, [float(i) + 0.5, 1.0]),
        "error": trajectory_point(make, [0.5, 0.0]),
    }


def plan(make, i):
    points = [trajectory_point(make, [float(i), 2.0]), trajectory_point(make, [float(i), 3.0])]
    return {"header": make.header(START + i), "joint_names": ["a", "b"], "points": points}


def numbers(make, i):
    layout = make.message("std_msgs/msg/MultiArrayLayout", dim=[], data_offset=0)
    return {"layout": layout, "data": np.array([float(i), 7.0])}


# type: (fields, columns that must be there with their values, how many columns besides log_time)
RISING = np.arange(COUNT, dtype=float)
CASES = {
    "geometry_msgs/msg/WrenchStamped": (
        wrench,
        {"wrench.force.x": RISING, "wrench.torque.z": 0 * RISING},
        8,
    ),
    "nav_msgs/msg/Odometry": (
        odometry,
        {
            "pose.pose.position.x": RISING,
            "twist.twist.linear.x": 2 * RISING,
            "pose.covariance[35]": 0 * RISING + 35,
        },
        3 + 7 + 6 + 72,
    ),
    "sensor_msgs/msg/Imu": (
        imu,
        {
            "orientation.w": RISING,
            "angular_velocity.x": RISING,
            "linear_acceleration.z": 0 * RISING + 9.81,
        },
        2 + 10 + 27,
    ),
    "std_msgs/msg/Float64MultiArray": (
        numbers,
        {"data[0]": RISING, "data[1]": 0 * RISING + 7},
        3,
    ),
    CONTROLLER: (
        controller,
        {"actual.positions[0]": RISING + 0.5, "desired.velocities[0]": 2 * RISING},
        2 + 2 + 3 * 5,
    ),
    "trajectory_msgs/msg/JointTrajectory": (
        plan,
        {"points[0].positions[0]": RISING, "points[1].velocities[1]": 0 * RISING + 6},
        2 + 2 + 2 * 5,
    ),
}


@pytest.mark.parametrize("container", ["ros1", "sqlite3", "mcap"])
@pytest.mark.parametrize("kind", CASES)
def test_messages_are_listed_and_read(tmp_path, container, kind):
    make = Make(1 if container == "ros1" else 2)
    content, expected, width = CASES[kind]
    messages = [make.message(kind, **content(make, i)) for i in range(COUNT)]
    storage = StoragePlugin.MCAP if container == "mcap" else StoragePlugin.SQLITE3
    path = make.write(tmp_path / "log.bag", {"/topic": (kind, messages)}, storage)
    read = read_all(path)
    (stream,) = read.log.streams
    assert stream.rows == COUNT
    assert stream.message_type.replace("/msg/", "/") == kind.replace("/msg/", "/")
    for name, column in expected.items():
        np.testing.assert_array_equal(read.columns[name], column)
        assert stream.column(name).kind is Kind.FLOAT
    seq = container == "ros1" and "MultiArray" not in kind
    assert len(stream.columns) == 1 + width + seq
    stamps = START + np.arange(COUNT)
    if stream.column("header.stamp"):
        np.testing.assert_array_equal(read.columns["header.stamp"], stamps)
        assert stream.column("header.stamp").unit == "ns"
        assert stream.column("header.frame_id").kind is Kind.TEXT
    assert read.columns["log_time"][1] == START + 1_000_000
    planned = {"planned-not-measured"} if kind.endswith("JointTrajectory") else set()
    assert set(read.codes) == planned


def joint_state(make, i, names, position, velocity=(), effort=(), stamp=None):
    arrays = {"position": position, "velocity": velocity, "effort": effort}
    return make.message(
        STATE,
        header=make.header(START + i if stamp is None else stamp),
        name=list(names),
        **{name: np.array(values, np.float64) for name, values in arrays.items()},
    )


@pytest.mark.parametrize("ros", [1, 2])
def test_arm_and_gripper_on_one_topic(tmp_path, ros):
    """In changing order; the gripper is slow, starts late and has no effort."""
    make = Make(ros)
    messages, arm = [], []
    for i in range(COUNT):
        names = ("a", "b") if i % 3 else ("b", "a")
        position = [i, -i] if i % 3 else [-i, i]
        messages.append(joint_state(make, i, names, position, position, position))
        arm.append(len(messages))
        if i > 20 and i % 2:
            messages.append(joint_state(make, i, ["finger"], [100 + i], [0]))
    path = make.write(tmp_path / "log.bag", {"/joint_states": (STATE, messages)})
    wanted = ["position.a", "velocity.b", "effort.a"]
    read = read_all(path, columns=wanted)
    np.testing.assert_array_equal(read.columns["position.a"], RISING)
    np.testing.assert_array_equal(read.columns["velocity.b"], -RISING)
    np.testing.assert_array_equal(read.columns["effort.a"], RISING)
    assert read.positions == arm
    assert read.count("other-joints") == len(messages) - COUNT
    names = [column.name for column in read.log.streams[0].columns]
    assert "velocity.finger" in names
    assert "effort.finger" not in names
    assert read.notice("empty-field").message.startswith("/joint_states has no effort of finger")
    finger = read_all(path, columns=["position.finger"])
    assert finger.columns["position.finger"].tolist() == [121, 123, 125, 127, 129]
    notice = refused(path, columns=["position.a", "position.finger"])
    assert notice.code == "joint-missing"


@pytest.mark.parametrize("ros", [1, 2])
def test_two_joint_state_topics(tmp_path, ros):
    make = Make(ros)
    left = [joint_state(make, i, ["a"], [i], [], [2 * i]) for i in range(COUNT)]
    right = [joint_state(make, i, ["a"], [-i], [3 * i], []) for i in range(COUNT)]
    path = make.write(
        tmp_path / "log.bag",
        {"/left/joint_states": (STATE, left), "/right/joint_states": (STATE, right)},
    )
    with open_log(path) as log:
        columns = {s.name: [c.name for c in s.columns][2:] for s in log.streams}
    assert columns == {
        "/left/joint_states": ["position.a", "effort.a"],
        "/right/joint_states": ["position.a", "velocity.a"],
    }
    read = read_all(path, stream="/right/joint_states")
    np.testing.assert_array_equal(read.columns["position.a"], -RISING)
    assert read.notice("empty-field").message.startswith("/left/joint_states has no velocity")
    assert read.count("empty-field") == 2


@pytest.mark.parametrize("ros", [1, 2])
def test_stamps_that_are_all_zero_are_said(tmp_path, ros):
    make = Make(ros)
    states = [joint_state(make, i, ["a"], [i], [0], [0], stamp=0) for i in range(COUNT)]
    forces = [
        make.message(
            "geometry_msgs/msg/WrenchStamped", **wrench(make, i) | {"header": make.header(0)}
        )
        for i in range(COUNT)
    ]
    for topic, kind, messages in (
        ("/joint_states", STATE, states),
        ("/wrench", "geometry_msgs/msg/WrenchStamped", forces),
    ):
        path = make.write(tmp_path / f"{topic[1:]}.bag", {topic: (kind, messages)})
        read = read_all(path)
        assert set(read.columns["header.stamp"].tolist()) == {0}
        assert (np.diff(read.columns["log_time"]) == 1_000_000).all()
        assert topic in read.notice("zero-stamps").message
