"""`robotid report` as CI and cron use it: gates, older reports, summaries, and what is refused."""

import json
import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest

from robotid.contracts.fit import FitResult
from robotid.reporting.facts import ReportFacts
from tests.exporting.fits import write_fit
from tests.reporting.results import metrics, view

ROBOTID = Path(sys.executable).parent / "robotid"


@pytest.fixture
def fit(tmp_path):
    return view(tmp_path / "ols").folder


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_all_three_files_are_written(robotid, fit, tmp_path):
    answer = robotid("report", fit, "--out", tmp_path / "report")
    assert (answer.code, answer.out) == (0, f"{tmp_path / 'report'}\n")
    assert {"report.html", "report.json", "report.md"} < files_of(tmp_path / "report").keys()


def test_failed_gate_is_exit_code_4_with_the_reason(robotid, fit, tmp_path):
    gates = ["--fail-if", "test.rmse[elbow] > 0.05", "--fail-if", "test.rmse > 0.2"]
    answer = robotid("report", fit, *gates, "--out", tmp_path / "report")
    assert answer.code == 4
    assert "warning[gate-failed]" in answer.err
    assert "test.rmse[elbow] > 0.05: 0.1 > 0.05" in answer.err
    facts = ReportFacts.model_validate_json((tmp_path / "report" / "report.json").read_bytes())
    assert [gate.passed for gate in facts.gates] == [False, True]
    page = (tmp_path / "report" / "report.html").read_text()
    assert page.index("✗ failed") < page.index("<article")
    assert "0.1 &gt; 0.05" in page
    assert "FAILED" in (tmp_path / "report" / "report.md").read_text()
    assert robotid("report", fit, *gates).code == 4  # from the cache, too
    assert robotid("report", fit, "--fail-if", "test.rmse > 0.2").code == 0


def test_gate_of_a_pipeline(robotid, fit, tmp_path):
    (tmp_path / "p.toml").write_text(
        '[stages.report]\ninputs.fits = "ols"\nfail_if = ["test.rmse > 0.05"]\n'
        '[stages.report.published.Author]\nsource = "Table 2"\nrmse = 0.3\n'
    )
    answer = robotid("run", tmp_path / "p.toml", "--out", tmp_path / "out")
    assert answer.code == 4
    assert "1 gate failed" in answer.err
    assert "Table 2" in (tmp_path / "out" / "report" / "report.html").read_text()
    answer = robotid("run", tmp_path / "p.toml", "--set", 'report.fail_if=["test.rmse >"]')
    assert answer.code == 78
    assert "p.toml:3" in answer.err
    assert "a value is missing, at column 12" in answer.err


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("test.rmse >", "a value is missing, at column 12 of 'test.rmse >'"),
        ("test.rmsee > 1", "did you mean 'rmse'?"),
        ("test.rmse[wrist] > 1", "no joint is called 'wrist'"),
        ("val.rmse > 1", "no split of this fit is called 'val'"),
        ("__import__('os')", "no value is called '__import__'"),
    ],
)
def test_broken_gate_is_a_config_error_and_the_old_report_stays(
    robotid, fit, tmp_path, expression, said
):
    robotid("report", fit, "--out", tmp_path / "report")
    before = files_of(tmp_path / "report")
    answer = robotid(
        "report", fit, "--fail-if", expression, "--out", tmp_path / "report", "--force", "--json"
    )
    assert answer.code == 78
    assert answer.json["error"]["code"] == "bad-gate"
    assert said in answer.err
    assert files_of(tmp_path / "report") == before


def test_broken_gate_stops_before_anything_is_computed(robotid, tmp_path, cache):
    """The syntax is looked at even before the fit is."""
    answer = robotid("report", tmp_path / "no such fit", "--fail-if", "1 +")
    assert answer.code == 78
    assert not list(cache.glob("entries/*"))


def test_regression_beside_an_older_report(robotid, fit, tmp_path):
    robotid("report", fit, "--out", tmp_path / "old")
    worse = view(tmp_path / "today", metrics=metrics(0.11)).folder
    for baseline in (tmp_path / "old", tmp_path / "old" / "report.json"):
        answer = robotid(
            "report", worse, "--baseline", baseline, "--max-regression", "5%", "--json"
        )
        assert answer.code == 4, answer.err
        codes = [warning["code"] for warning in answer.json["warnings"]]
        assert codes == ["regression"] * 3  # the mean and two joints
        assert "was 0.1, now is 0.11, +10.0 %; 5 % more is allowed" in answer.err
        assert robotid("report", worse, "--baseline", baseline).code == 0  # compared only
        answer = robotid("report", worse, "--baseline", baseline, "--max-regression", "20%")
        assert answer.code == 0
    text = (Path(answer.out.strip()) / "report.md").read_text()
    assert r"\+10\.0 \%" in text


def test_the_content_of_the_older_report_counts(robotid, fit, tmp_path):
    """Cached by what it holds, not by where it lies."""
    robotid("report", fit, "--out", tmp_path / "old")
    file = tmp_path / "old.json"
    file.write_bytes((tmp_path / "old" / "report.json").read_bytes())
    asked = ["report", fit, "--max-regression", "1 %", "--json", "--baseline"]
    assert robotid(*asked, file).json["cached"] is False
    file = file.rename(tmp_path / "moved.json")
    assert robotid(*asked, file).json["cached"] is True
    facts = json.loads(file.read_text())
    facts["fits"]["ols"]["metrics"]["test"]["rmse"]["mean"] = 0.01
    file.write_text(json.dumps(facts))
    answer = robotid(*asked, file)
    assert (answer.code, answer.json["cached"]) == (4, False)


@pytest.mark.parametrize(
    ("flags", "code", "said"),
    [
        (["--max-regression", "5%"], 78, "no older report"),
        (["--max-regression", "five"], 78, "a percentage such as 5%"),
        (["--max-regression", "5", "--baseline", "{old}"], 78, "a percentage such as 5%"),
        (["--baseline", "{old}/nothing.json"], 66, "no such file"),
        (["--baseline", "{fit}"], 66, "not a report"),
        (["--baseline", "{fit}/fit.json"], 65, "newer version|not a report"),
        (["--baseline", "{new}"], 65, "newer version"),
        (["--baseline", "{broken}"], 65, "not a report"),
    ],
)
def test_older_reports_that_will_not_do(robotid, fit, tmp_path, flags, code, said):
    robotid("report", fit, "--out", tmp_path / "old")
    (tmp_path / "new.json").write_text('{"format": 99}')
    (tmp_path / "broken.json").write_text('{"format": 1')
    places = {
        "old": tmp_path / "old", "fit": fit, "new": tmp_path / "new.json",
        "broken": tmp_path / "broken.json",
    }  # fmt: skip
    answer = robotid("report", fit, *(flag.format(**places) for flag in flags))
    assert answer.code == code, answer.err
    assert re.search(said, answer.err)
    assert answer.out == ""


def bad_fits(tmp_path):
    good = view(tmp_path / "good").folder
    text = (good / "fit.json").read_text()
    other = view(tmp_path / "missing", recordings={"run1": "train", "x": "test"}).folder
    crane = write_fit(tmp_path / "crane", "pendulum")
    for name, content in (
        ("newer", text.replace('"format":2', '"format":99').replace('"model"', '"modell"')),
        ("older", text.replace('"format":2', '"format":1')),
        ("cut", text[: len(text) // 2]),
        ("empty", ""),
        ("garbage", "\0\1\2"),
        ("text", text.replace('"rank":10', '"rank":"many"')),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "fit.json").write_text(content)
    return {
        "newer": ("fit-other-version", "newer version of robotid"),
        "older": ("fit-other-version", "older version of robotid"),
        "cut": ("bad-fit", ""),
        "empty": ("bad-fit", ""),
        "garbage": ("bad-fit", ""),
        "text": ("bad-fit", ""),
        other.name: ("recordings-differ", "has no run2 of good"),
        crane.name: ("robots-differ", "'pendulum'"),
    }


def test_bad_fits_are_refused_and_the_old_report_stays(robotid, tmp_path):
    cases = bad_fits(tmp_path)
    assert robotid("report", tmp_path / "good", "--out", tmp_path / "report").code == 0
    before = files_of(tmp_path / "report")
    for name, (code, said) in cases.items():
        answer = robotid(
            "report", tmp_path / "good", tmp_path / name,
            "--out", tmp_path / "report", "--force", "--json",
        )  # fmt: skip
        assert answer.code == 65, (name, answer.err)
        assert answer.json["error"]["code"] == code
        assert said in answer.json["error"]["message"]
        assert answer.json["outputs"] == {}
        assert files_of(tmp_path / "report") == before


def test_output_that_cannot_be_written(robotid, fit, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    answer = robotid("report", fit, "--out", tmp_path / "mine", "--force")
    assert (answer.code, "output-in-the-way" in answer.err) == (2, True)
    (tmp_path / "file").write_text("")
    assert robotid("report", fit, "--out", tmp_path / "file" / "report").code in (66, 74, 77)
    assert robotid("report", fit, "--out", "/proc/nowhere/report").code == 77
    assert (tmp_path / "mine" / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("form", ["md", "json"])
def test_the_report_itself_on_standard_output(robotid, fit, tmp_path, form):
    answer = robotid("report", fit, "--format", form, "--out", tmp_path / "report")
    assert answer.code == 0
    assert answer.out.rstrip("\n") == (tmp_path / "report" / f"report.{form}").read_text().rstrip(
        "\n"
    )
    if form == "json":
        assert ReportFacts.model_validate_json(answer.out).fits["ols"].model == "sdp"
    else:
        assert answer.out.startswith("## Identification of double")
    with_gate = robotid("report", fit, "--format", form, "--fail-if", "usable")
    assert (with_gate.code, with_gate.out != "") == (4, True)
    assert robotid("report", fit, "--format", "path").out.startswith("/")
    assert robotid("report", fit, "--format", "pdf").code == 2
    assert robotid("report", fit, "--format", "md", "--json").json["stage"] == "report"


def test_tables_when_piped(robotid, fit, tmp_path):
    answer = robotid("report", fit, "--fail-if", "test.rmse > 1")
    assert "joint     model  zero  mean" in answer.err
    assert "shoulder  0.1    2     1" in answer.err
    assert "All gates passed." in answer.err
    assert "\x1b" not in answer.err
    assert robotid("report", fit, "--quiet").err == ""
    view(tmp_path / "sdp")
    answer = robotid("report", fit, tmp_path / "sdp", "--json")
    assert "Comparison on held-out data (run2):" in answer.err
    assert answer.json["status"] == "ok"


def on_terminal(columns, *arguments):
    """What standard error shows on a terminal of this width."""
    own, other = pty.openpty()
    env = {k: v for k, v in os.environ.items() if k != "CI"}
    env |= {"TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": "40"}
    process = subprocess.Popen(
        [ROBOTID, *map(str, arguments)], stdout=subprocess.PIPE, stderr=other, env=env
    )
    os.close(other)
    text = b""
    while select.select([own], [], [], 60)[0]:
        try:
            part = os.read(own, 1 << 16)
        except OSError:
            break
        if not part:
            break
        text += part
    os.close(own)
    process.stdout.close()
    return process.wait(60), text.decode()


@pytest.mark.parametrize("columns", [100, 30, 8])
def test_tables_on_a_terminal(tmp_path, columns):
    hostile = "\x1b[31mred\x07[bold]x[/bold]\r\n"
    base = view(tmp_path / "made").fit

    def renamed(metrics):
        return json.loads(json.dumps(metrics).replace('"elbow"', json.dumps(hostile)))

    facts = base.model_dump(mode="json")
    facts["metrics"] = renamed(facts["metrics"])
    facts["baselines"] = renamed(facts["baselines"])
    facts["joints"] = [hostile if joint == "elbow" else joint for joint in facts["joints"]]
    facts["verdict"]["sentence"] = f"Fine {hostile} indeed."
    path = tmp_path / "made" / "fit.json"
    path.write_text(FitResult.model_validate(facts).model_dump_json())
    code, text = on_terminal(
        columns, "report", tmp_path / "made", "--fail-if", "test.rmse[*] > 0.05"
    )
    assert code == 4
    assert "\x07" not in text
    assert "\x1b[31mred" not in text  # the colour of a name is not the colour of the terminal
    bare = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    assert "Traceback" not in bare
    squeezed = re.sub(r"\s", "", bare)
    assert r"Fine\x1b[31mred\x07[bold]x[/bold]\r\nindeed." in squeezed
    if columns == 100:
        assert "FAILED" in bare
        assert "0.1 > 0.05" in bare
