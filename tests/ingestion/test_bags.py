"""Joint states of bags become recordings as they are."""

import numpy as np
import pytest

from robotid.errors import BadDataError
from tests.logs.bags import NAMES, ROS2, START, TYPE, encode, joint_state, write_rosbag2

STEP = 10_000_000
TOPIC = "/joint_states"


def bag(tmp_path, stamps, names=None, topics=(TOPIC,)):
    """A bag in which joints are recorded every 10 ms under the stamps."""
    count = len(stamps)
    t = np.arange(count) * STEP / 1e9
    signal = np.array([np.sin((3 + k) * t) for k in range(len(NAMES))])
    messages = []
    for i, stamp in enumerate(stamps):
        order = list(names(i)) if names else list(NAMES)
        rows = [NAMES.index(name) for name in order]
        position, effort = signal[rows, i], 2 * signal[rows, i]
        message = joint_state(ROS2, int(stamp), order, position, 0 * position, effort)
        messages.append((START + STEP * i, encode(ROS2, message)))
    path = tmp_path / "bag"
    write_rosbag2(path, dict.fromkeys(topics, (TYPE, messages)))
    return path, signal


def test_joint_states_need_no_map(ingest, tmp_path):
    path, signal = bag(tmp_path, START + STEP * np.arange(60))
    done = ingest(path)
    assert [joint.name for joint in done.facts.joints] == list(NAMES)
    np.testing.assert_array_equal(done.columns["t"], STEP * np.arange(60))
    np.testing.assert_array_equal(done.columns["q.wrist"], signal[1])
    np.testing.assert_array_equal(done.columns["tau.base"], 2 * signal[2])
    assert done.notices == []


def test_b80_order_changes_between_messages(ingest, tmp_path):
    orders = [NAMES, NAMES[::-1], (NAMES[1], NAMES[0], NAMES[2])]
    path, signal = bag(tmp_path, START + STEP * np.arange(60), lambda i: orders[i % 3])
    done = ingest(path)
    for k, name in enumerate(NAMES):
        np.testing.assert_array_equal(done.columns[f"q.{name}"], signal[k])


def test_b68_stamps_that_are_all_zero(ingest, tmp_path):
    path, signal = bag(tmp_path, np.zeros(60, np.int64))
    with pytest.raises(BadDataError) as error:
        ingest(path)
    assert error.value.notice.code == "constant-time"
    assert "log_time" in error.value.notice.hint
    done = ingest(path, time_column="log_time")
    np.testing.assert_array_equal(done.columns["t"], STEP * np.arange(60))
    np.testing.assert_array_equal(done.columns["q.elbow"], signal[0])


def test_b68_clocks_that_disagree(ingest, tmp_path):
    path, _ = bag(tmp_path, START + (STEP + 200_000) * np.arange(600))
    (found,) = ingest(path).notices
    assert found.code == "clocks-differ"
    assert "0.12 s" in found.message


def test_several_topics_have_to_be_chosen_from(ingest, tmp_path):
    path, signal = bag(tmp_path, START + STEP * np.arange(60), topics=("/left", "/right"))
    with pytest.raises(BadDataError) as error:
        ingest(path)
    assert error.value.notice.code == "several-streams"
    done = ingest(path, stream="/right")
    np.testing.assert_array_equal(done.columns["q.elbow"], signal[0])
