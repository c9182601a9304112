"""`robotid init`: from logs nobody has described to a pipeline that runs."""

import errno
import os
import shutil
import tomllib
from pathlib import Path

import polars as pl
import pytest

from robotid.cli.start import written_path
from robotid.contracts.dataset import assign_splits
from robotid.errors import BadDataError
from robotid.robot.catalog import shipped_path
from robotid.runner.inputs import expand
from robotid.runner.pipeline import load_pipeline
from robotid.stages.contract import Source
from robotid.stages.ingest import IngestConfig, run
from tests.conftest import PROJECT, run_process

LOGS = PROJECT / "sample_logs"
BROKEN = LOGS / "broken"
EXIT_CODES = {0, 3, 65, 66}

# Format, robot, log, shipped map, and whether a map must be given because names say nothing.
FORMATS = {
    "csv": ("panda", "panda/run1.csv", None, False),
    "mcap": ("panda", "panda/run1.mcap", None, False),
    "rosbag2": ("panda", "panda/run1_bag", None, False),
    "rosbag1": ("furuta", "furuta/run1.bag", None, False),
    "parquet": ("furuta", "furuta/run1.parquet", None, False),
    "json": ("furuta", "furuta/run1.json", "furuta/json.map.toml", False),
    "npz": ("ur10", "ur10/run1.npz", "ur10/npz.map.toml", False),
    "hdf5": ("ur10", "ur10/run1.h5", "ur10/h5.map.toml", False),
    "text": ("cartpole", "cartpole/run1_lab.txt", "cartpole/lab.map.toml", True),
    "motors": (
        "double_pendulum",
        "double_pendulum/run1_motor.tsv",
        "double_pendulum/motor.map.toml",
        True,
    ),
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ingested(folder, log, columns, robot):
    """The recording that ingest makes of a log with a map."""
    given = {"logs": log, "map": columns, "robot": shipped_path(robot)}
    run(IngestConfig(), {role: [Source("", path, "")] for role, path in given.items()}, folder)
    return pl.read_parquet(folder / "recording.parquet")


@pytest.mark.parametrize("case", FORMATS)
def test_every_format_becomes_a_pipeline_that_reads_it(robotid, here, case):
    robot, log, shipped, given = FORMATS[case]
    flags = ["--map", LOGS / shipped] if given else []
    answer = robotid("init", "--robot", robot, LOGS / log, *flags, "--json")
    assert answer.code == 0, answer.err
    told = answer.json
    assert told["ready"], told
    assert told["logs"][0]["signals"] == ["q", "qd", "tau"]
    assert (here / "columns.map.toml").exists() == (shipped is not None and not given)
    load_pipeline(here / "pipeline.toml")
    if shipped is None:
        return
    ours = ingested(here, LOGS / log, Path(told["map_file"]), robot)
    theirs = ingested(here, LOGS / log, LOGS / shipped, robot)
    assert len(ours) == 2000
    assert ours.equals(theirs)


@pytest.mark.parametrize(
    ("robot", "logs"),
    [
        ("furuta", ["furuta/run1.bag", "furuta/run2.csv", "furuta/run3.csv"]),
        ("furuta", ["furuta/run1.json"]),
    ],
)
def test_init_then_run_gives_a_report(robotid, here, robot, logs):
    paths = [LOGS / log for log in logs]
    answer = robotid("init", "--robot", robot, *paths, "--out", "my start", "--model", "sdp")
    assert answer.code == 0, answer.err
    assert answer.out.splitlines() == ["my start/pipeline.toml"]
    assert "next: robotid run 'my start/pipeline.toml' --out results" in answer.err
    done = robotid("run", "my start/pipeline.toml", "--out", "results", "--json")
    assert done.code == 0, done.err
    assert (here / "results" / "report" / "report.html").is_file()
    index = tomllib.loads((here / "my start" / "pipeline.toml").read_text())["stages"]
    if len(logs) > 1:
        assert index["ingest"]["test"] == ["run3"]
    else:
        assert index["filter"]["hold_out"] == 0.2
    splits = {w["code"] for stage in done.json["stages"] for w in stage["warnings"]}
    assert ("split-within-recording" in splits) == (len(logs) == 1)


def test_same_files_from_same_logs(robotid, here):
    texts = []
    for seed, folder in (("1", "a"), ("2", "b")):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        log = LOGS / "ur10" / "run1.npz"
        answer = run_process("init", "--robot", "ur10", log, "--out", folder, env=env)
        assert answer.code == 0, answer.err
        texts.append([(here / folder / name).read_bytes() for name in sorted(os.listdir(folder))])
    assert len(texts[0]) == 2
    assert texts[0] == texts[1]


def test_what_to_answer_stands_in_the_files(robotid, here):
    """Currents: which constants? A sign that cannot be: a map to set it right."""
    log = LOGS / "double_pendulum" / "run1_motor.tsv"
    answer = robotid("init", "--robot", "double_pendulum", log)
    assert answer.code == 0
    assert "error[current-as-torque]" in answer.err
    assert "not ready" in answer.err
    assert "# constant = […]" in (here / "columns.map.toml").read_text()
    assert "# CHECK: run1_motor would be refused" in (here / "pipeline.toml").read_text()
    sign = BROKEN / "b78_sign.csv"
    assert robotid("init", "--robot", "double_pendulum", sign, "--pipeline", "sign.toml").code == 0
    columns = here / "sign.map.toml"
    with pytest.raises(BadDataError, match="opposite sign"):
        ingested(here, sign, columns, "double_pendulum")
    columns.write_text(columns.read_text().replace("[tau]", "[tau]\nscale = [1, -1]"))
    assert len(ingested(here, sign, columns, "double_pendulum")) == 400


def test_joints_that_are_not_in_the_log_can_be_held(robotid, here):
    log = BROKEN / "b81_joint_missing.csv"
    told = robotid("init", "--robot", "double_pendulum", log, "--json").json
    assert (told["held"], told["ready"]) == (["elbow"], False)
    assert '# lock = ["elbow=0"]' in (here / "pipeline.toml").read_text()
    again = ["--lock", "elbow=0", "--force", "--json"]
    told = robotid("init", "--robot", "double_pendulum", log, *again).json
    assert (told["held"], told["ready"]) == ([], True)
    stages = tomllib.loads((here / "pipeline.toml").read_text())["stages"]
    assert [stages[name]["lock"] for name in ("ingest", "ols", "sdp")] == [["elbow=0"]] * 3


REFUSED = {
    "no positions": (["--robot", "cartpole", LOGS / "cartpole/run1_lab.txt"], 65, "Pendel"),
    "other joints": (["--robot", "ur10", LOGS / "panda/run1.csv"], 65, "shoulder_pan_joint"),
    "two kinds": (
        ["--robot", "ur10", LOGS / "ur10/run1.npz", LOGS / "ur10/run2.csv"],
        65,
        "logs-differ",
    ),
    "other robot": (["--robot", "quadruped", LOGS / "panda/run1.csv"], 65, "joints-differ"),
    "no log": (["--robot", "panda", "nothing.csv"], 66, "nothing.csv"),
    "no robot": (["--robot", "pand", LOGS / "panda/run1.csv"], 66, "did you mean 'panda'"),
    "no robot file": (["--robot", "./a.urdf", LOGS / "panda/run1.csv"], 66, "a.urdf"),
    "no model": (["--robot", "panda", LOGS / "panda/run1.csv", "--model", "olz"], 2, "'ols'"),
    "same log twice": (["--robot", "panda", *[LOGS / "panda/run1.csv"] * 2], 2, "given twice"),
    "no map": (["--robot", "panda", LOGS / "panda/run1.csv", "--map", "no.toml"], 66, "no.toml"),
    "two places": (
        ["--robot", "panda", LOGS / "panda/run1.csv", "--out", "x", "--pipeline", "y.toml"],
        2,
        "exclude",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_writes_nothing(robotid, here, case):
    words, code, says = REFUSED[case]
    answer = robotid("init", *words)
    assert (answer.code, answer.out) == (code, "")
    assert answer.err.startswith("error[")
    assert says in answer.err
    assert list(here.iterdir()) == []


def test_files_that_are_there_stay(robotid, here):
    command = ("init", "--robot", "ur10", LOGS / "ur10" / "run1.npz")
    (here / "pipeline.toml").write_text("precious")
    answer = robotid(*command)
    assert answer.code == 2
    assert "error[output-exists]" in answer.err
    assert os.listdir(here) == ["pipeline.toml"]  # nor is the map written
    assert (here / "pipeline.toml").read_text() == "precious"
    assert robotid(*command, "--force").code == 0
    (here / "pipeline.toml").unlink()
    (here / "columns.map.toml").write_text("mine")
    assert robotid(*command).code == 2
    assert os.listdir(here) == ["columns.map.toml"]
    assert robotid(*command, "--force").code == 0
    assert robotid(*command).code == 0  # it would say the same


def test_a_folder_that_cannot_be_written(robotid, here):
    (here / "file").write_text("")
    log = LOGS / "furuta" / "run1.csv"
    answer = robotid("init", "--robot", "furuta", log, "--out", here / "file" / "below")
    assert (answer.code, answer.out) == (66, "")
    assert "file/below: making the folder" in answer.err
    if os.geteuid():
        (here / "closed").mkdir(mode=0o500)
        assert robotid("init", "--robot", "furuta", log, "--out", here / "closed").code == 77


@pytest.mark.parametrize(
    "name",
    [
        "with space.csv",
        'it\'s "quoted".csv',
        "größe 日本.csv",
        "a[1]*.csv",
        "0.2.csv",
        "@stage.csv",
    ],
)
def test_any_name_of_a_log(robotid, here, name):
    folder = here / name.removesuffix(".csv")
    folder.mkdir()
    shutil.copy(LOGS / "furuta" / "run1.csv", folder / "first.csv")
    shutil.copy(LOGS / "furuta" / "run2.csv", folder / name)
    logs = [folder / "first.csv", folder / name]
    answer = robotid("init", "--robot", "furuta", *logs, "--out", folder, "--json")
    assert answer.code == 0, answer.err
    names = [log["name"] for log in answer.json["logs"]]
    assert names == ["first", name.removesuffix(".csv")]
    (ingest,) = load_pipeline(folder / "pipeline.toml").until("ingest").nodes
    assert [p.name for p in expand(ingest.inputs["logs"], folder)] == [p.name for p in logs]
    splits = assign_splits(names, (), (), ingest.config.test)
    assert list(splits.values()) == ["train", "test"]


def test_names_that_begin_with_a_dash(robotid, here):
    shutil.copy(LOGS / "furuta" / "run1.csv", here / "-run.csv")
    shutil.copy(PROJECT / "robotid/robot/files/furuta.urdf", here / "-arm.urdf")
    words = ["--robot=./-arm.urdf", "--pipeline=-p.toml", "--", "-run.csv"]
    answer = robotid("init", *words)
    assert answer.code == 0, answer.err
    assert "next: robotid run ./-p.toml" in answer.err
    assert robotid("run", "./-p.toml", "--dry-run").code == 0


def test_a_name_that_is_no_text(robotid, here):
    log = os.fsencode(here) + b"/run\xff.csv"
    shutil.copy(os.fsencode(LOGS / "furuta" / "run1.csv"), log)
    answer = robotid("init", "--robot", "furuta", os.fsdecode(log))
    assert answer.code == 65
    assert "error[name-not-text]" in answer.err


def test_paths_in_the_pipeline(here):
    (here / "data").mkdir()
    (here / "work").mkdir()
    (here / "link").symlink_to(here / "data")
    (here / "data" / "annexed.csv").symlink_to("/nowhere/else.csv")
    assert written_path(here / "link" / "annexed.csv", here / "work") == "../data/annexed.csv"
    assert written_path(here / "data" / "a.csv", here / "data") == "./a.csv"
    assert written_path(Path("/proc/version"), here) == "/proc/version"


@pytest.mark.parametrize("part", range(2))
def test_broken_logs_end_in_a_documented_way(robotid, here, part):
    """No traceback; what is refused leaves nothing behind, what is written can be loaded."""
    logs = sorted(p for p in BROKEN.iterdir() if p.suffix not in (".toml", ".json"))
    assert len(logs) > 100
    for log in logs[part::2]:
        answer = robotid("init", "--robot", "double_pendulum", log, "--out", log.name)
        assert answer.code in EXIT_CODES, (log.name, answer.err)
        assert "Traceback" not in answer.err
        assert (here / log.name).exists() == (answer.code in (0, 3)), log.name
        if answer.code in (0, 3):
            load_pipeline(here / log.name / "pipeline.toml")
        else:
            assert answer.err.count("error[") == 1


def test_current_beside_motions_that_need_no_map(robotid, here):
    """Names as robotid writes them for q and qd do not hide a current of another name."""
    text = (LOGS / "arm" / "run1.csv").read_text().replace("tau.", "current_")
    (here / "currents.csv").write_text(text)
    answer = robotid("init", "--robot", LOGS / "arm" / "arm.urdf", "currents.csv", "--json")
    assert (answer.code, answer.json["ready"]) == (0, False)
    assert {"tau"} <= set(answer.json["logs"][0]["signals"])
    assert any("torque constants" in check["text"] for check in answer.json["checks"])
    assert 'columns = "current_{joint}"' in (here / "columns.map.toml").read_text()


def test_full_disk_leaves_nothing_half_written(robotid, here, monkeypatch):
    """A pipeline that was begun would be in the way of the next try."""
    command = ["init", "--robot", "furuta", LOGS / "furuta" / "run1.csv"]

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        answer = robotid(*command)
    assert (answer.code, answer.out) == (74, "")
    assert "error[disk-full] pipeline.toml: writing the pipeline" in answer.err
    assert list(here.iterdir()) == []
    assert robotid(*command).code == 0


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["--out", "file"], 2, "file: the pipeline needs a folder, and this is a file"),
        (["--pipeline", "folder"], 2, "folder: the pipeline is not written: this is a folder"),
        (["--pipeline", "folder", "--force"], 2, "this is a folder | name a file in it"),
        (["--pipeline", "", "--force"], 2, "this is a folder"),
        (["--robot", "folder"], 66, "folder: a robot is one file"),
    ],
)
def test_files_for_folders_and_folders_for_files(robotid, here, words, code, says):
    (here / "file").write_text("mine")
    (here / "folder").mkdir()
    words = [f"./{word}" if word == "folder" else word for word in words]
    robot = [] if "--robot" in words else ["--robot", "furuta"]
    answer = robotid("init", *robot, LOGS / "furuta" / "run1.csv", *words)
    assert (answer.code, answer.out) == (code, "")
    assert says in answer.err
    assert (here / "file").read_text() == "mine"
    assert sorted(path.name for path in here.rglob("*")) == ["file", "folder"]


def test_log_without_permission_is_not_wrong_usage(robotid, here, monkeypatch):
    """Typer asks `os.access`; what the system says when the file is opened decides."""
    log = here / "closed.csv"
    log.write_bytes((LOGS / "furuta" / "run1.csv").read_bytes())
    log.chmod(0)
    monkeypatch.setattr("os.access", lambda *_, **__: False)
    answer = robotid("init", "--robot", "furuta", log)
    assert answer.code == (77 if os.geteuid() else 0), answer.err
