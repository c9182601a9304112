"""From sample logs to a report, against the truth the simulator used."""

import json
import os
import re

import pytest

from tests.conftest import PROJECT, SAMPLES, run_process

QUICKSTART = PROJECT / "pipelines" / "quickstart.toml"


def test_quickstart_recovers_the_simulators_parameters(robotid, tmp_path):
    """The logs come from MuJoCo, not from our own equations.

    Tolerances: twice what is found; beyond the noise it is the bias of a low-pass that the
    regressor does not pass through, most of all in Coulomb friction.
    """
    answer = robotid("run", QUICKSTART, "--out", tmp_path)
    assert answer.code == 0, answer.err
    fit = json.loads((tmp_path / "fit" / "fit.json").read_text())
    truth = json.loads((SAMPLES / "truth.json").read_text())
    tolerance = {
        "inertia": 0.01, "gravity_sin": 0.003, "gravity_cos": 0.1,
        "viscous": 0.08, "coulomb": 0.1, "offset": 0.2,
    }  # fmt: skip
    for parameter in fit["parameters"]:
        expected = truth[parameter["name"]]
        assert parameter["value"] == pytest.approx(expected, rel=tolerance[parameter["name"]])
        assert parameter["status"] == "identified"
    assert fit["metrics"]["test"]["rmse"]["mean"] < 0.03
    assert fit["baselines"]["zero"]["test"]["rmse"]["mean"] > 1.0
    assert _readme_table() == {
        p["name"]: (f"{truth[p['name']]:.4g}", f"{p['value']:.4g}", f"{p['std']:.2g}")
        for p in fit["parameters"]
    }
    report = (tmp_path / "report" / "report.html").read_text()
    assert "6 of 6 parameters are identified" in report
    assert report.count("<polyline") == 12  # two recordings, three signals, before and after


def _readme_table():
    """The figures the README quotes: parameter, truth, value, standard deviation."""
    rows = re.findall(
        r"^\| `(\w+)` .*\| (\S+) \| (\S+) ± (\S+) \|$", (PROJECT / "README.md").read_text(), re.M
    )
    return {name: tuple(figures) for name, *figures in rows}


@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONHASHSEED": "1", "TZ": "Asia/Kathmandu", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "2", "OMP_NUM_THREADS": "4", "POLARS_MAX_THREADS": "1"},
    ],
)
def test_r22_r24_r25_same_bytes_everywhere(robotid, tmp_path, env):
    assert robotid("run", QUICKSTART, "--out", tmp_path / "here").code == 0
    other = {**os.environ, **env, "ROBOTID_CACHE_DIR": str(tmp_path / "cache")}
    answer = run_process("run", QUICKSTART, "--out", tmp_path / "there", "-j", "1", env=other)
    assert answer.code == 0, answer.err
    names = [
        p.relative_to(tmp_path / "here") for p in (tmp_path / "here").rglob("*") if p.is_file()
    ]
    assert len(names) > 10
    for name in names:
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes()


def test_r27_outputs_carry_no_machine(robotid, tmp_path):
    assert robotid("run", QUICKSTART, "--out", tmp_path / "out").code == 0
    words = (str(tmp_path), str(PROJECT), f"{os.uname().nodename}-", f"{os.getpid()}-")
    for path in (tmp_path / "out").rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert not [word for word in words if word.encode() in data], path


def test_api_is_plain_functions(tmp_path):
    """A stage can be called without store, runner or command line."""
    from robotid.stages.contract import Source
    from robotid.stages.ingest import IngestConfig, run

    assert run(IngestConfig(), {"logs": [Source("", SAMPLES / "run1.csv", "")]}, tmp_path) == []
    assert (tmp_path / "recording.parquet").is_file()
