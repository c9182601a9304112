"""`robotid fit` as a user types it: factors are made and shared, gates end in exit code 4."""

import json
import os

import numpy as np

from robotid.contracts.dataset import read_index
from robotid.contracts.fit import read_fit
from robotid.dynamics.terms import DEFAULT_TERMS
from robotid.identification.gathered import gathered
from robotid.identification.sample_reader import split_samples
from robotid.information.layout import Layout
from robotid.robot.load import load_robot
from robotid.runner.pipeline import load_pipeline
from tests.conftest import run_process
from tests.identification.conftest import ARM

ROBOT = ARM / "arm.urdf"


def entries(cache, stage):
    return len(list(cache.glob(f"entries/{stage}/*/*/manifest.json")))


def test_factors_are_made_once_for_all_models(robotid, arm, cache, tmp_path):
    out = tmp_path / "sdp"
    answer = robotid("fit", arm.dataset, "--robot", ROBOT, "--out", out)
    assert answer.code == 0, answer.err
    assert answer.out.splitlines() == [str(out)]
    made = entries(cache, "factors")
    assert made == 4  # three recordings, and the index over them
    answer = robotid("fit", arm.dataset, "--robot", ROBOT, "--model", "wls", "--json")
    assert answer.code == 0
    assert answer.json["stage"] == "fit"
    assert list(answer.json["outputs"]) == ["fit"]
    assert entries(cache, "factors") == made
    assert robotid("factors", arm.dataset, "--robot", ROBOT, "--json").json["cached"] is True


def test_given_factors_are_taken(robotid, arm, cache, tmp_path):
    answer = robotid(
        "fit", arm.dataset, "--robot", ROBOT, "--factors", arm.factors, "-o", tmp_path / "fit"
    )
    assert answer.code == 0, answer.err
    assert entries(cache, "factors") == 0


def test_a_gate_that_is_not_met(robotid, arm):
    answer = robotid("fit", arm.dataset, "--robot", ROBOT, "--max-rmse", "0.001", "--json")
    assert answer.code == 4
    assert "gate-failed" in {warning["code"] for warning in answer.json["warnings"]}
    fit = read_fit_of(answer)
    assert not fit.verdict.usable
    assert "identified" not in fit.verdict.sentence


def read_fit_of(answer):
    from pathlib import Path

    return read_fit(Path(answer.json["outputs"]["fit"]))


def test_an_error_while_factors_are_made_is_the_answer(robotid, arm):
    answer = robotid("fit", arm.dataset, "--robot", "panda", "--json")
    assert answer.code == 65
    assert answer.json["error"]["code"] == "unknown-joint"
    assert answer.json["stage"] == "fit.factors"


def test_keys_that_do_nothing_are_refused_before_anything_runs(robotid, arm, cache, tmp_path):
    answer = robotid("fit", arm.dataset, "--robot", ROBOT, "--anew", "coulomb", "--json")
    assert (answer.code, answer.json["error"]["code"]) == (78, "key-without-effect")
    path = tmp_path / "p.toml"
    path.write_text(
        f'[stages.fit]\ninputs.dataset = "{arm.dataset}"\ninputs.robot = "{ROBOT}"\n'
        'model = "wls"\nload_link = "forearm"\n'
    )
    error = robotid("run", path, "--json").json["error"]
    assert (error["code"], error["line"]) == ("key-without-effect", 5)
    assert error["message"].startswith("stages.fit.load_link: has no effect")
    assert entries(cache, "factors") == 0


def test_fits_of_a_pipeline_share_factors(tmp_path):
    path = tmp_path / "p.toml"
    path.write_text(
        "".join(
            f'[stages.{model}]\nstage = "fit"\ninputs.dataset = "data"\n'
            f'inputs.robot = "panda"\nmodel = "{model}"\n{extra}'
            for model, extra in (("ols", ""), ("sdp", ""), ("wls", 'terms = ["viscous"]\n'))
        )
    )
    graph = load_pipeline(path)
    names = {node.name: node for node in graph.nodes}
    assert set(names) == {"ols", "sdp", "wls", "ols.factors", "wls.factors"}
    assert names["sdp"].inputs["factors"] == ("@ols.factors",)
    assert names["wls"].inputs["factors"] == ("@wls.factors",)
    assert names["ols.factors"].made_for == "ols"


def test_only_and_until_include_what_is_made(robotid, arm, tmp_path):
    path = tmp_path / "p.toml"
    path.write_text(f'[stages.fit]\ninputs.dataset = "{arm.dataset}"\ninputs.robot = "{ROBOT}"\n')
    answer = robotid("run", path, "--only", "fit", "--json")
    assert answer.code == 0, answer.err
    assert [stage["stage"] for stage in answer.json["stages"]] == ["fit.factors", "fit"]
    answer = robotid("run", path, "--until", "fit", "--dry-run", "--json")
    assert {task["state"] for task in answer.json["tasks"]} == {"hit"}


def test_one_recording_is_cut(robotid, tmp_path):
    """The end of a single recording is held out, behind a gap, and the result says so."""
    raw, data = tmp_path / "raw", tmp_path / "data"
    assert robotid("ingest", ARM / "run1.csv", "--robot", ROBOT, "-o", raw).code == 0
    assert robotid("filter", raw, "--cutoff-hz", 10, "-o", data).code == 0
    answer = robotid("fit", data, "--robot", ROBOT, "--model", "wls", "--json")
    assert answer.code in (0, 4), answer.err
    fit = read_fit_of(answer)
    assert fit.split_by == "segment"
    assert set(fit.samples) == {"train", "test"}
    whole = json.loads((data / "dataset.json").read_text())["recordings"]["run1"]["samples"]
    assert 0.5 * whole < sum(fit.samples.values()) < whole
    assert "split-within-recording" in {warning["code"] for warning in answer.json["warnings"]}
    factors, layout = tmp_path / "factors", Layout(load_robot(ROBOT).tree, DEFAULT_TERMS)
    assert robotid("factors", data, "--robot", ROBOT, "-o", factors).code == 0
    found = gathered(factors, layout, read_index(data), "tau")
    assert found.samples == fit.samples
    for split in fit.samples:  # models that read samples see the same as those that read factors
        read = list(split_samples(data, found.blocks, layout, "tau", None, split))
        tau = np.hstack(read)[-3:]
        assert tau.shape[1] == fit.samples[split]
        rows = zip(*(block.factors for block in found.of(split)), strict=True)
        powers = [sum(factor.power for factor in row) for row in rows]
        np.testing.assert_allclose((tau**2).sum(axis=1), powers)


def test_n10_a_motion_that_shows_little(robotid, tmp_path):
    """One joint moves: the result names what is not determined, and values are not made up."""
    lines = (ARM / "run1.csv").read_text().splitlines()
    header = lines[0].split(",")
    still = [header.index(f"{s}.{j}") for s in ("q", "qd") for j in ("base", "shoulder")]
    rows = []
    for line in lines[1:]:
        cells = line.split(",")
        for column in still:
            cells[column] = "0.1" if header[column].startswith("q.") else "0"
        rows.append(",".join(cells))
    path = tmp_path / "run.csv"
    path.write_text("\n".join([lines[0], *rows]) + "\n")
    raw, data = tmp_path / "raw", tmp_path / "data"
    robotid("ingest", path, "-o", raw)
    assert robotid("filter", raw, "--cutoff-hz", 10, "-o", data).code == 0
    answer = robotid("fit", data, "--robot", ROBOT, "--model", "ols", "--json")
    fit = read_fit_of(answer)
    assert fit.identifiability.rank < fit.identifiability.structural_rank
    assert "rank-deficient" in {warning["code"] for warning in answer.json["warnings"]}
    silent = [p for p in fit.parameters if p.owner == "base"]
    assert {p.status for p in silent if p.name != "base.offset"} == {"not excited"}
    assert all(p.std is None for p in silent if p.status == "not excited")


def test_r26_other_processors_give_the_same_base_parameters(arm, tmp_path):
    """Kernels of linear algebra sum in another order; what is identified does not depend on it."""
    found = []
    for kernel in ("Haswell", "Nehalem"):
        env = {**os.environ, "OPENBLAS_CORETYPE": kernel}
        env["ROBOTID_CACHE_DIR"] = str(tmp_path / f"cache-{kernel}")
        out = tmp_path / kernel
        words = ("fit", arm.dataset, "--robot", arm.robot, "--factors", arm.factors)
        answer = run_process(*words, "--model", "ols", "--out", out, env=env)
        assert answer.code == 0, answer.err
        found.append(np.array([p.value for p in read_fit(out).base_parameters]))
    assert np.linalg.norm(found[0] - found[1]) <= 1e-9 * np.linalg.norm(found[0])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9, atol=1e-12)
