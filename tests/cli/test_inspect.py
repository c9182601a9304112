"""`robotid inspect`: what is shown, and the map that is written."""

import os
import tomllib
from pathlib import Path

import numpy as np
import pytest

from robotid.cli.sparkline import plain_terminal, sparkline
from robotid.ingestion.column_map import ColumnMap
from tests.inspection.motion import Motion, columns, write_csv
from tests.logs.bags import ROS2, TYPE, states, write_rosbag2

REAL = os.environ.get("ROBOTID_REAL_LOGS")
HOSTILE = "pos\x1b[2J\u202e[bold]{n}"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def log(here):
    motion = Motion()
    data = {
        "Time": motion.t * 1000,
        **columns("Position{n}", motion.q),
        **columns("Velocity{n}", motion.qd),
        **columns("Torque{n}", motion.tau),
    }
    return write_csv(here / "log.csv", data)


def read(path):
    return ColumnMap.model_validate(tomllib.loads(Path(path).read_text()))


def test_shows_and_writes_a_map_that_works(robotid, here, log):
    answer = robotid("inspect", log)
    assert answer.code == 0
    assert answer.out.splitlines()[-1] == "log.map.toml"
    assert "times Time: steps of 5, 200 Hz in ms, jitter 0.00%, no gaps" in answer.out
    row = next(line for line in answer.out.splitlines() if line.startswith("Position2"))
    assert row.split()[1:4] == ["float", "q", "rad?"]
    assert len(row.split()[-1]) == 40
    assert set(row.split()[-1]) <= set("▁▂▃▄▅▆▇█")
    assert f"next: robotid ingest {log} --map log.map.toml" in answer.err
    ingested = robotid("ingest", log, "--map", "log.map.toml", "--json")
    assert ingested.json["status"] == "ok"


def test_a_file_that_is_there_stays(robotid, here, log):
    target = here / "mine.toml"
    target.write_text("precious")
    for arguments in ((), ("--json",)):
        answer = robotid("inspect", log, "--out", target, *arguments)
        assert answer.code == 2
        assert "error[output-exists]" in answer.err
        assert target.read_text() == "precious"
    assert robotid("inspect", log, "--out", target, "--force").code == 0
    assert read(target).q.columns == "Position{n}"
    before = target.stat().st_mtime_ns
    assert robotid("inspect", log, "--out", target).code == 0  # it says the same
    assert target.stat().st_mtime_ns == before


def test_links_are_not_followed(robotid, here, log):
    victim = here / "victim"
    (here / "log.map.toml").symlink_to(victim)
    assert robotid("inspect", log).code == 2
    assert not victim.exists()
    assert robotid("inspect", log, "--force").code == 0
    assert not victim.exists()
    assert not (here / "log.map.toml").is_symlink()


def test_json(robotid, here, log):
    answer = robotid("inspect", log, "--json").json
    assert answer["map"]["q"] == {"columns": "Position{n}", "unit": "rad"}
    assert ColumnMap.model_validate(answer["map"]) == read(answer["map_file"])
    assert answer["map_text"] == Path(answer["map_file"]).read_text()
    stream = answer["streams"][0]
    assert (stream["rows"], stream["complete"]) == (1200, True)
    time = stream["columns"][0]
    assert (time["signal"], time["mapped_unit"]) == ("time", "ms")
    assert time["time"]["rates_hz"] == {"ms": pytest.approx(200)}
    assert len(stream["columns"][1]["track"]["mean"]) == 40
    assert answer["refused"] == []


def test_no_map_is_needed(robotid, here, pendulum_csv):
    path = pendulum_csv()
    answer = robotid("inspect", path)
    assert answer.code == 0
    assert "no map is needed" in answer.err
    assert list(here.glob("*.toml")) == []
    asked = robotid("inspect", path, "--out", "m.toml")
    assert asked.out.splitlines()[-1] == "m.toml"
    assert robotid("ingest", path, "--map", "m.toml").code == 0


def test_topics_of_a_bag(robotid, here):
    write_rosbag2(here / "bag", {"/joint_states": (TYPE, states(ROS2))})
    answer = robotid("inspect", here / "bag")
    assert "/joint_states (sensor_msgs/msg/JointState): 50 rows" in answer.out
    assert "no map is needed" in answer.err


def test_what_ingest_would_refuse(robotid, here):
    motion = Motion()
    times = motion.t.copy()
    times[500] = times[499]
    tau = motion.tau.copy()
    tau[:200] = np.nan
    data = {"t": times, **columns("q{n}", motion.q), **columns("tau{n}", tau)}
    path = write_csv(here / "odd.csv", data)
    answer = robotid("inspect", path)
    assert answer.code == 0
    assert "ingest would refuse it: error[duplicate-times]" in answer.err
    assert "--accept duplicate-times --accept missing-values" in answer.err
    flags = ["--accept", "duplicate-times", "--accept", "missing-values"]
    assert robotid("ingest", path, "--map", "odd.map.toml").code == 65
    assert robotid("ingest", path, "--map", "odd.map.toml", *flags).code == 3


def test_names_cannot_steer_the_terminal(robotid, here):
    motion = Motion()
    path = here / "log.npz"
    names = {HOSTILE.replace("{n}", str(n)): motion.q[:, n] for n in range(3)}
    np.savez(path, time=motion.t, tau=motion.tau, **names)
    answer = robotid("inspect", path)
    assert answer.code == 0
    for text in (answer.out, answer.err, (here / "log.map.toml").read_text()):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "[bold]" in answer.out
    assert robotid("ingest", path, "--map", "log.map.toml").code == 0


def test_robot_and_its_parts(robotid, here, log):
    refused = robotid("inspect", log, "--lock", "a=0")
    assert refused.code == 2
    answer = robotid("inspect", log, "--robot", "nobody")
    assert answer.code == 66
    held = [f"--lock=panda_joint{n}=0" for n in range(4, 8)]
    answer = robotid("inspect", log, "--robot", "panda", *held)
    assert answer.code == 0
    assert read("log.map.toml").joints == ("panda_joint1", "panda_joint2", "panda_joint3")


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [("none.csv", None, 66), ("empty.csv", "", 65), ("ragged.csv", "a,b\n1,2\n3\n4,5\n", 65)],
)
def test_logs_that_cannot_be_read(robotid, here, name, text, code):
    if text is not None:
        (here / name).write_text(text)
    answer = robotid("inspect", here / name, "--json")
    assert answer.code == code
    assert answer.json["status"] == "error"
    assert list(here.glob("*.toml")) == []


def test_empty_folder(robotid, here):
    (here / "folder").mkdir()
    answer = robotid("inspect", here / "folder")
    assert answer.code == 66
    assert "no log was found" in answer.err


def test_sparklines():
    assert sparkline([0.0, 0.5, 1.0, None], 0.0, 1.0, plain=False) == "▁▅█ "
    assert sparkline([0.0, 1.0], 0.0, 1.0, plain=True) == "_@"
    assert sparkline([3.0, 3.0], 3.0, 3.0, plain=False) == "▁▁"
    assert sparkline([-1.7e308, 1.7e308], -1.7e308, 1.7e308, plain=False) == "▁█"


@pytest.mark.parametrize(
    ("locale", "terminal", "plain"),
    [("en_US.UTF-8", "xterm", False), ("C", "xterm", True), ("C.utf8", "dumb", True)],
)
def test_terminals_without_blocks(robotid, log, monkeypatch, locale, terminal, plain):
    monkeypatch.setenv("LC_ALL", locale)
    monkeypatch.setenv("TERM", terminal)
    assert plain_terminal() == plain
    answer = robotid("inspect", log, "--force")
    assert answer.out.isascii() == plain


REAL_LOGS = {
    "double_pendulum/design_C1_run1.csv": ("tau_meas{n}", "s", 0),
    "double_pendulum/design_A0_measured.csv": ("tau{n}", "s", 0),
    "kinova_gen3/joint_2_trapez.csv": ("TorqueCur{n}", "ms", 0),
    "kinova_gen3/opti_traj_testing1.csv": ("TorqueSm{n}", "ms", 0),
    "kuka_kr300/traj_A.mat": ("rec.act_torque_abs_nm[{i}]", "s", 0),
    "panda_rosbag2/panda_exciting_trajectory.db3": ("effort.{joint}", "ns", 0),
    "ur10_rosbag2/ur10_exciting_trajectory.db3": ("effort.{joint}", "ns", 0),
    "so101_unsigned/state_motor.csv": ("torques[{i}]", "us", 1),
    "tiago": ("- {joint}_effort", "s", 0),
    "tx40": ("Joint_{n}", None, 4),
    "xl330_bench/2026-01-15_10h28m10.json": ("load", "s", 1),
}


@pytest.mark.skipif(REAL is None, reason="ROBOTID_REAL_LOGS is not set")
@pytest.mark.parametrize("name", REAL_LOGS)
def test_real_logs(robotid, here, name):
    tau, unit, checks = REAL_LOGS[name]
    path = Path(REAL) / name
    answer = robotid("inspect", path, "--out", "m.toml", "--json").json
    mapped = read("m.toml")
    assert (mapped.tau.columns, mapped.time.unit) == (tau, unit)
    assert sum(remark["check"] for remark in answer["remarks"]) == checks
    lines = [x for x in Path("m.toml").read_text().splitlines() if x and x[0] != "#"]
    assert len(lines) <= 20
    if unit is not None:
        assert robotid("ingest", path, "--map", "m.toml").code in (0, 65)


def test_recorder_that_stopped_at_once(robotid, here):
    path = here / "cut.mcap"
    path.write_bytes(b"\x89MCAP0\r\n")
    for command in ("inspect", "ingest"):
        answer = robotid(command, path, "--json")
        assert answer.code == 65
        assert answer.json["error"]["code"] == "no-samples"
        assert "no topics" in answer.json["error"]["message"]


def test_bag_without_its_parts(robotid, here):
    folder = here / "bag"
    folder.mkdir()
    (folder / "metadata.yaml").write_text("rosbag2_bagfile_information: {}\n")
    answer = robotid("inspect", folder, "--json")
    assert answer.code == 66
    assert "no part of the bag" in answer.json["error"]["message"]
