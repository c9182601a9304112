"""Files and surroundings that mean harm: nothing is run, nothing leads out, nothing fills memory."""

import contextlib
import io
import json
import os
import pickle
import sys
import tarfile
import zipfile

import numpy as np
import pytest

from robotid import memory
from robotid.contracts import dataset, factors
from robotid.contracts.fit import read_fit
from robotid.errors import BadDataError, ConfigError, RobotidError, TemporaryError
from robotid.logs.formats import open_log
from robotid.robot.load import load_robot
from robotid.runner import inputs
from robotid.runner.pipeline import load_pipeline
from robotid.simulation.options import SimulationOptions
from robotid.simulation.scenario import simulate
from robotid.stages.configuration import TomlFile
from tests.conftest import run_process
from tests.logs import bags
from tests.logs.bags import ROS2, TYPE, states
from tests.logs.opening import read_all, refused
from tests.robot.urdf_texts import ARM
from tests.signals.signals import columns_of, run_filter


class _Touch:
    """What makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return (open, (self.path, "w"))


@pytest.fixture
def canary(tmp_path):
    """A file that must not come to be; and the payload that would make it."""
    path = tmp_path / "canary"
    payload = pickle.dumps(_Touch(path))
    pickle.loads(payload).close()  # the bird can sing
    path.unlink()
    yield path, payload
    assert not path.exists()


def _archive(path, members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def test_s01_s03_pickles_are_never_read(robotid, tmp_path, canary):
    """Given as a log, as a robot, inside arrays, or in the place of a result."""
    _, payload = canary
    objects = io.BytesIO()
    np.save(objects, np.array([_Touch(canary[0])], dtype=object), allow_pickle=True)
    logs = [
        _archive(tmp_path / "model.pt", {"archive/data.pkl": payload, "archive/version": "3"}),
        _archive(tmp_path / "log.npz", {"q.npy": objects.getvalue(), "data.pkl": payload}),
        _archive(tmp_path / "renamed.npz", {"q.npy": payload}),
    ]
    for name in ("log.pkl", "log.npy", "log.csv", "log.mat", "log.h5", "log.parquet", "log.joblib"):
        (tmp_path / name).write_bytes(payload)
        logs.append(tmp_path / name)
    (tmp_path / "object.npy").write_bytes(objects.getvalue())
    for path in (*logs, tmp_path / "object.npy"):
        assert refused(path).file == str(path)
        with pytest.raises(BadDataError):
            load_robot(path)
    for kind in ("dataset", "fit", "factors"):
        (tmp_path / kind).mkdir()
        (tmp_path / kind / f"{kind}.json").write_bytes(payload)
    for words in (["filter", tmp_path / "dataset"], ["report", tmp_path / "fit"]):
        assert robotid(*words).code == 65


def test_s04_tags_in_yaml_are_text(tmp_path, canary):
    """The one YAML that is read is a bag's, and of that the names of its parts."""
    folder = bags.write_rosbag2(tmp_path / "bag", {"/joint_states": (TYPE, states(ROS2, 20))})
    metadata = folder / "metadata.yaml"
    tag = f'x: !!python/object/apply:os.mknod ["{canary[0]}"]\n'
    metadata.write_text(tag + metadata.read_text() + "a: &a [*a, *a]\n" + "b: " + "[" * 9999)
    assert len(read_all(folder).positions) == 20
    part = next(folder.glob("*.db3"))
    part.rename(tmp_path / part.name)
    metadata.write_text(f"relative_file_paths:\n  - ../{part.name}\n")
    assert refused(folder).code == "part-missing" or not list(folder.glob("*.db3"))


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "[" * 5000,
        "x = " + "[" * 30 + "]" * 30,
        "a." * 5000 + "b = 1",
        "[" + "a." * 2000 + "b]",
        "x = " + "{a = " * 400,
    ],
    ids=["open", "lists", "keys", "tables", "inline"],
)
def test_s05_configurations_have_a_depth(tmp_path, text):
    (tmp_path / "x.toml").write_text(text + "\n")
    with pytest.raises(ConfigError) as caught:
        TomlFile(tmp_path / "x.toml")
    assert caught.value.notice.code == "toml-syntax"


def test_s05_s28_values_on_the_command_line(tmp_path):
    (tmp_path / "p.toml").write_text('[stages.simulate]\ninputs.robot = "pendulum"\n')
    for value in ("9" * 5000, "[" * 5000, "[" * 30 + "]" * 30, "{a=" * 500):
        with pytest.raises(RobotidError) as caught:
            load_pipeline(tmp_path / "p.toml", [f"simulate.seed={value}"])
        assert caught.value.exit_code == 78


@pytest.mark.parametrize("digits", [5000, 1_000_000])
def test_s28_numbers_of_very_many_digits(tmp_path, digits):
    number = "9" * digits
    (tmp_path / "x.toml").write_text(f"x = {number}\n")
    with pytest.raises(ConfigError):
        TomlFile(tmp_path / "x.toml")
    (tmp_path / "x.csv").write_text(f"t,q.a\n0,1\n1,{number}\n")
    with contextlib.suppress(BadDataError):  # no whole number, or one beyond all others
        assert np.isinf(read_all(tmp_path / "x.csv").columns["q.a"][1])
    (tmp_path / "x.jsonl").write_text(f'{{"t": 0}}\n{{"t": {number}}}\n')
    assert refused(tmp_path / "x.jsonl").file
    mass = f'<inertial><mass value="{number}"/></inertial>'
    (tmp_path / "x.urdf").write_text(f'<robot name="r"><link name="a">{mass}</link></robot>')
    with pytest.raises(BadDataError):
        load_robot(tmp_path / "x.urdf")


@pytest.mark.parametrize("where", ["../out", "/tmp/robotid-out", "a/../../out"])
def test_s10_names_inside_archives_lead_nowhere(tmp_path, where):
    """npz is read member by member and never unpacked; other archives are no logs."""
    folder = tmp_path / "in"
    folder.mkdir()
    array = io.BytesIO()
    np.save(array, np.arange(10.0))
    members = {f"{where}.npy": array.getvalue(), "t.npy": array.getvalue()}
    path = _archive(folder / "log.npz", members)
    before = set(tmp_path.rglob("*"))
    with open_log(path) as log:
        assert len(log.streams) > 0
    assert set(tmp_path.rglob("*")) == before
    with tarfile.open(folder / "log.tar", "w") as tar:
        tar.addfile(tarfile.TarInfo(f"{where}.csv"))
        link = tarfile.TarInfo("link.csv")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    assert refused(folder / "log.tar").file
    assert not (tmp_path / "out.npy").exists()


def test_s12_configurations_name_no_outputs(tmp_path):
    """Where results go is said on the command line alone; stages are named by plain words."""
    for text, code in (
        ('[stages."../x"]\nstage = "simulate"\ninputs.robot = "pendulum"\n', "bad-name"),
        ('[stages."/tmp/x"]\nstage = "simulate"\ninputs.robot = "pendulum"\n', "bad-name"),
        ('[stages.simulate]\nout = "../x"\ninputs.robot = "pendulum"\n', "unknown-key"),
        ('out = "/tmp/x"\n[stages.simulate]\ninputs.robot = "pendulum"\n', "unknown-key"),
    ):
        (tmp_path / "p.toml").write_text(text)
        with pytest.raises(ConfigError) as caught:
            load_pipeline(tmp_path / "p.toml")
        assert caught.value.notice.code == code


def test_s16_s25_no_configuration_of_the_folder_and_no_secret_of_the_environment(
    pendulum_csv, tmp_path, cache
):
    """What lies in the working folder is not read; what is in the environment is not written."""
    for name in ("robotid.toml", ".robotid.toml", "pyproject.toml", "setup.cfg", ".env"):
        (tmp_path / name).write_text("[tool.robotid]\nnonsense = [\n")
    secret = "s3cr3t-0f-the-environment"
    env = {**os.environ, "ROBOTID_TOKEN": secret, "AWS_SECRET_ACCESS_KEY": secret}
    log, bad = pendulum_csv(), tmp_path / "bad.csv"
    bad.write_text("t,q.hinge\n0,x\n")
    words = ("ingest", log, bad, "--json", "--debug", "--verbose", "--out", tmp_path / "out")
    answer = run_process(*words, env=env, cwd=tmp_path)
    assert answer.code == 3, answer.err
    assert answer.json["warnings"]
    assert secret not in answer.out + answer.err
    for path in [*cache.rglob("*"), *(tmp_path / "out").rglob("*")]:
        assert not path.is_file() or secret.encode() not in path.read_bytes()


_HOOKED: list[str] | None = None


def _note_opens(event, arguments):
    if event == "open" and _HOOKED is not None:
        _HOOKED.append(str(arguments[0]))


sys.addaudithook(_note_opens)


def test_s07_s09_a_robot_file_opens_nothing_else(tmp_path, monkeypatch):
    """Not what a mesh, a texture or an included file is called."""
    (tmp_path / "other.xml").write_text("<a/>")
    paths = ("package://../../etc/passwd", "file:///etc/shadow", "/etc/hosts", "../other.xml")
    visuals = "".join(
        f'<visual><geometry><mesh filename="{path}"/></geometry></visual>' for path in paths
    )
    include = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="other.xml"/>'
    path = tmp_path / "robot.urdf"
    path.write_text(ARM.replace("</visual>", f"</visual>{visuals}", 1))
    load_robot(path)  # imports open files as well
    monkeypatch.setattr(sys.modules[__name__], "_HOOKED", [])
    load_robot(path)
    path.write_text(ARM.replace("</robot>", f"{include}</robot>"))
    with contextlib.suppress(BadDataError):
        load_robot(path)
    assert set(_HOOKED) == {str(path)}


def test_s26_patterns_have_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(inputs, "_MAX_FILES", 100)
    for number in range(101):
        (tmp_path / f"{number}.csv").touch()
    with pytest.raises(RobotidError) as caught:
        inputs.expand(["*.csv"], tmp_path)
    assert caught.value.notice.code == "too-many-files"
    assert len(inputs.expand(["1*.csv"], tmp_path)) == 12


_WAVE = columns_of(np.arange(0, 20, 0.01), q_a=np.sin(np.arange(0, 20, 0.01)))


@pytest.mark.parametrize(
    "options",
    [
        {"rate_hz": 1e12},
        {"cutoff_hz": 1e-12},
        {"cutoff_hz": 1e-15},
        {"average_periods": True, "period_s": 1e-12},
        {"average_periods": True, "period_s": 1e300},
    ],
    ids=str,
)
def test_s27_filters_that_would_need_endless_memory(options):
    with pytest.raises((ConfigError, BadDataError)):
        run_filter(_WAVE, **options)


def test_s27_what_does_not_fit_into_memory_is_refused_beforehand(monkeypatch):
    robot = load_robot("pendulum").tree
    with pytest.raises(TemporaryError, match=r"would take 8e\+04 GB of memory, .* GB are free"):
        simulate(robot, robot, SimulationOptions(duration_s=1e6, recordings=1000))
    for bound in ({"duration_s": 1e300}, {"rate_hz": 1e12}, {"control_hz": 1e12}):
        with pytest.raises(ValueError, match="less than or equal"):
            SimulationOptions(**bound)
    free = memory.available()
    assert 1e6 < free < 1e14
    memory.must_fit(free / 2, "half of it", "none")
    monkeypatch.setattr(memory, "available", lambda: 1e9)
    memory.must_fit(0.9e9, "less", "none")
    with pytest.raises(TemporaryError, match=r"a log would take 1\.1 GB of memory, 1 GB"):
        memory.must_fit(1.1e9, "a log", "cut it")


def test_s30_the_guard_of_these_tests_bites():
    """Every test runs without a network: see conftest."""
    with pytest.raises(AssertionError, match=r"192\.0\.2\.1"):
        sys.audit("socket.connect", None, ("192.0.2.1", 80))
    with pytest.raises(AssertionError, match="example"):
        sys.audit("socket.getaddrinfo", "example.org", 80, 0, 0, 0)


def test_s05_results_that_nest_without_end(tmp_path):
    """Index files of results are JSON that a stranger may have written."""
    deep, long = "[" * 100_000, json.dumps({"format": 1})[:-1] + ', "x": ' + "9" * 10_000 + "}"
    readers = {"dataset": dataset.read_index, "fit": read_fit, "factors": factors.read_index}
    for kind, read in readers.items():
        for number, text in enumerate((deep, long)):
            folder = tmp_path / f"{kind}{number}"
            folder.mkdir()
            (folder / f"{kind}.json").write_text(text)
            with pytest.raises(BadDataError):
                read(folder)
