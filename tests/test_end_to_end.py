"""From sample logs to a report, against the truth the simulator used."""

import json
import os
import re

import numpy as np
import pytest

from robotid.dynamics.base_parameters import base_parameters
from robotid.dynamics.terms import DEFAULT_TERMS
from robotid.robot.load import load_robot
from tests.conftest import PROJECT, SAMPLES, run_process

QUICKSTART = PROJECT / "pipelines" / "quickstart.toml"
ARM = PROJECT / "pipelines" / "arm.toml"
MODELS = ("ols", "sdp", "diffnea", "diffbary")


def test_arm_recovers_the_simulators_parameters(robotid, tmp_path):
    """The logs come from MuJoCo, not from our own equations."""
    answer = robotid("run", ARM, "--out", tmp_path)
    assert answer.code == 0, answer.err
    fit = json.loads((tmp_path / "fit" / "fit.json").read_text())
    truth = json.loads((PROJECT / "sample_logs" / "arm" / "truth.json").read_text())
    true = {
        f"{joint['name']}.{term}": joint[key]
        for joint in truth["joints"]
        for term, key in (
            ("viscous", "viscous"),
            ("coulomb", "coulomb"),
            ("rotor", "rotor_inertia"),
        )
    }
    found = {p["name"]: p["value"] for p in fit["parameters"] if p["status"] == "identified"}
    both = true.keys() & found.keys()
    assert len(both) == 7
    for name in both:
        assert found[name] == pytest.approx(true[name], rel=0.1)
    assert all(link["consistent"] for link in fit["links"])
    report = (tmp_path / "report" / "report.html").read_text()
    assert "parameters are identified" in report


def test_quickstart_compares_four_models_as_the_readme_says(robotid, tmp_path):
    """Two kinds of logs, one pass over them, four fits; the README quotes what is found."""
    answer = robotid("run", QUICKSTART, "--out", tmp_path, "--json")
    assert answer.code == 0, answer.err
    stages = {stage["stage"]: stage for stage in answer.json["stages"]}
    made = [name for name in stages if name.endswith(".factors")]
    assert made == ["ols.factors"]
    fits = {m: json.loads((tmp_path / m / "fit.json").read_text()) for m in MODELS}
    readme = (PROJECT / "README.md").read_text()
    for model, fit in fits.items():
        held_out = fit["metrics"]["test"]["rmse"]["mean"]
        assert f"| `{model}` | {held_out:.4f} |" in readme
        assert held_out < 0.1 * fit["baselines"]["nominal"]["test"]["rmse"]["mean"]
    nominal = fits["sdp"]["baselines"]["nominal"]["test"]["rmse"]["mean"]
    assert f"{nominal:.3g} N m for the robot file" in readme
    assert _readme_table(readme) == _first_moments(fits["sdp"])
    assert all(link["consistent"] for link in fits["sdp"]["links"])
    report = json.loads((tmp_path / "report" / "report.json").read_text())
    assert set(report["fits"]) == set(MODELS)


def _first_moments(fit):
    """What gravity shows of links: truth, robot file, value, standard deviation by base parameter."""
    truth = json.loads((PROJECT / "sample_logs" / "panda" / "truth.json").read_text())
    robot = load_robot("panda").tree
    base = base_parameters(robot, DEFAULT_TERMS)
    phi = np.zeros(len(base.names))
    phi[: 10 * len(truth["links"])] = np.concatenate([link["phi"] for link in truth["links"]])
    rows = {}
    for found, true in zip(fit["base_parameters"], base.beta(phi), strict=True):
        if found["unit"] == "kg m" and found["status"] == "identified":
            figures = [f"{x:.3g}" for x in (true, found["nominal"], found["value"])]
            rows[found["name"]] = (*figures, f"{found['std']:.1g}")
    return rows


def _readme_table(readme):
    """The figures the README quotes."""
    rows = re.findall(r"^\| `(\w+)` \| (\S+) \| (\S+) \| (\S+) ± (\S+) \|$", readme, re.M)
    return {name: tuple(figures) for name, *figures in rows}


@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONHASHSEED": "1", "TZ": "Asia/Kathmandu", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "2", "OMP_NUM_THREADS": "4", "POLARS_MAX_THREADS": "1"},
    ],
)
def test_r22_r24_r25_same_bytes_everywhere(robotid, tmp_path, env):
    assert robotid("run", ARM, "--out", tmp_path / "here").code == 0
    other = {**os.environ, **env, "ROBOTID_CACHE_DIR": str(tmp_path / "cache")}
    answer = run_process("run", ARM, "--out", tmp_path / "there", "-j", "1", env=other)
    assert answer.code == 0, answer.err
    names = [
        p.relative_to(tmp_path / "here") for p in (tmp_path / "here").rglob("*") if p.is_file()
    ]
    assert len(names) > 10
    for name in names:
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes()


def test_r27_s32_outputs_carry_no_machine(robotid, tmp_path):
    assert robotid("run", ARM, "--out", tmp_path / "out").code == 0
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
