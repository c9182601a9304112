"""`robotid report` of forward fits: gates, older reports, published figures, and what is refused."""

import json

import pytest

from robotid.reporting.facts import ReportFacts
from tests.reporting.forward import forward_view
from tests.reporting.full import metrics_of
from tests.reporting.results import view

JOINTS = ("slide", "pivot")


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """Fits, and a cache for all tests."""
    folder = tmp_path_factory.mktemp("shared")
    forward_view(folder / "viscous", "cartpole")
    worse = {"metrics": metrics_of(JOINTS, 0.11), "actuator": "none"}
    forward_view(folder / "bare", "cartpole", **worse)
    view(folder / "torques")
    return folder


@pytest.fixture
def call(robotid, shared):
    return lambda *arguments: robotid(*arguments, "--cache-dir", shared / "cache")


def test_report_of_a_forward_fit(call, shared, tmp_path):
    answer = call("report", shared / "viscous", "--out", tmp_path / "report")
    assert (answer.code, answer.out) == (0, f"{tmp_path / 'report'}\n")
    assert "Error (RMSE) on held-out data [rad/s² or m/s²]:" in answer.err
    assert "joint  model  no acceleration  the mean acceleration  the robot file" in answer.err
    assert "energy, nobody driving  never added to" in answer.err
    assert "slide viscous [N s/m]" in answer.err
    assert "much worse (record more) [held-out-worse]" in answer.err
    facts = json.loads((tmp_path / "report" / "report.json").read_text())
    assert facts["fits"]["viscous"]["predicts"] == "acceleration"
    assert facts["units"] == {"slide": "m/s²", "pivot": "rad/s²"}
    page = (tmp_path / "report" / "report.html").read_text()
    assert "What it does to energy" in page
    assert "Energy is never added to." in page
    again = call("report", shared / "viscous", "--json")
    assert (again.code, again.json["cached"]) == (0, True)


def test_gates_and_an_older_report(call, shared, tmp_path):
    gates = ["--fail-if", "test.rmse[pivot] > 0.15", "--fail-if", "test.nmse_var > 0.5"]
    answer = call("report", shared / "viscous", *gates, "--out", tmp_path / "old")
    assert answer.code == 4
    assert "test.rmse[pivot] > 0.15: 0.2 > 0.15" in answer.err
    facts = ReportFacts.model_validate_json((tmp_path / "old" / "report.json").read_bytes())
    assert [gate.passed for gate in facts.gates] == [False, True]
    asked = ["report", shared / "bare", "--baseline", tmp_path / "old", "--max-regression"]
    answer = call(*asked, "5%")
    assert answer.code == 4
    assert "+10.0 %; 5 % more is allowed" in answer.err
    assert "error (RMSE) [rad/s² or m/s²]; 5 % more is allowed" in answer.err
    assert call(*asked, "20%").code == 0
    assert call("report", shared / "viscous", "--fail-if", "rank < 3").code == 78


def test_older_report_of_torques_is_refused(call, shared, tmp_path):
    assert call("report", shared / "torques", "--out", tmp_path / "old").code == 0
    answer = call("report", shared / "viscous", "--baseline", tmp_path / "old", "--json")
    assert (answer.code, answer.json["error"]["code"]) == (65, "baseline-other-kind")
    assert "viscous is a fit of accelerations, the older one of torques" in answer.err


def test_several_beside_published_figures(call, shared, tmp_path):
    (tmp_path / "p.toml").write_text(
        f"[stages.report]\ninputs.fits = [{str(shared / 'bare')!r}, {str(shared / 'viscous')!r}]\n"
        '[stages.report.published.Author]\nsource = "Table 2"\nrmse = 0.3\n'
        "rmse_by_joint = { slide = 0.2 }\n"
    )
    answer = call("run", tmp_path / "p.toml", "--out", tmp_path / "out")
    assert answer.code == 0, answer.err
    assert "Use viscous" in answer.err
    text = (tmp_path / "out" / "report" / "report.md").read_text()
    assert "| rmse \\[rad/s² or m/s²\\] | 0.165 | 0.15 | 0.3 |" in text
    assert "viscous ☆" in text
    assert "Table 2" in (tmp_path / "out" / "report" / "report.html").read_text()


def test_mix_of_kinds_is_refused(call, shared, tmp_path):
    fits = [shared / "viscous", shared / "torques"]
    answer = call("report", *fits, "--out", tmp_path / "report", "--json")
    assert (answer.code, answer.json["error"]["code"]) == (65, "fits-differ")
    for folder in fits:
        assert str(folder) in answer.err
    assert "make one report of the fits of torques and another" in answer.err
    assert not (tmp_path / "report").exists()
