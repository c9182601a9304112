"""From sample logs to a report, against the truth the simulator used."""

import json
import os
import re

import pytest

from tests.conftest import PROJECT, SAMPLES, run_process

QUICKSTART = PROJECT / "pipelines" / "quickstart.toml"
ARM = PROJECT / "sample_logs" / "arm"


def test_quickstart_recovers_the_simulators_parameters(robotid, tmp_path):
    """The logs come from MuJoCo, not from our own equations; the README quotes what is found."""
    answer = robotid("run", QUICKSTART, "--out", tmp_path)
    assert answer.code == 0, answer.err
    fit = json.loads((tmp_path / "fit" / "fit.json").read_text())
    truth = json.loads((ARM / "truth.json").read_text())
    true = {
        f"{joint['name']}.{term}": joint[key]
        for joint in truth["joints"]
        for term, key in (
            ("viscous", "viscous"),
            ("coulomb", "coulomb"),
            ("rotor", "rotor_inertia"),
        )
    }
    found = {p["name"]: p for p in fit["parameters"] if p["status"] == "identified"}
    table = {
        name: (f"{value:.4g}", f"{found[name]['value']:.4g}", f"{found[name]['std']:.2g}")
        for name, value in true.items()
        if name in found
    }
    assert _readme_table() == table
    for name in table:
        assert found[name]["value"] == pytest.approx(true[name], rel=0.1)
    errors = {
        "held out": fit["metrics"]["test"]["rmse"]["mean"],
        "nominal": fit["baselines"]["nominal"]["test"]["rmse"]["mean"],
    }
    readme = (PROJECT / "README.md").read_text()
    assert f"{errors['held out']:.3g} N m" in readme
    assert f"{errors['nominal']:.3g} N m" in readme
    assert all(link["consistent"] for link in fit["links"])
    report = (tmp_path / "report" / "report.html").read_text()
    assert "parameters are identified" in report
    assert report.count('<path class="line grey"') == 18  # two recordings, nine signals, raw


def _readme_table():
    """The figures the README quotes: parameter, truth, value, standard deviation."""
    rows = re.findall(
        r"^\| `([\w.]+)` .*\| (\S+) \| (\S+) ± (\S+) \|$", (PROJECT / "README.md").read_text(), re.M
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
