"""`robotid report` as CI and cron use it: gates, older reports, summaries, and what is refused."""

import errno
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
from robotid.contracts.fit_data import Remark
from robotid.reporting.facts import ReportFacts
from tests.reporting.results import metrics, view

ROBOTID = Path(sys.executable).parent / "robotid"


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A fit, and a cache for all tests: what was reported once is not computed again."""
    folder = tmp_path_factory.mktemp("shared")
    view(folder / "ols")
    view(folder / "today", metrics=metrics(0.11))
    return folder


@pytest.fixture
def fit(shared):
    return shared / "ols"


@pytest.fixture
def call(robotid, shared):
    return lambda *arguments: robotid(*arguments, "--cache-dir", shared / "cache")


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_failed_gate_is_exit_code_4_with_the_reason(call, fit, tmp_path):
    gates = ["--fail-if", "test.rmse[elbow] > 0.05", "--fail-if", "test.rmse > 0.2"]
    answer = call("report", fit, *gates, "--out", tmp_path / "report")
    assert (answer.code, answer.out) == (4, f"{tmp_path / 'report'}\n")
    assert "warning[gate-failed]" in answer.err
    assert "test.rmse[elbow] > 0.05: 0.1 > 0.05" in answer.err
    facts = ReportFacts.model_validate_json((tmp_path / "report" / "report.json").read_bytes())
    assert [gate.passed for gate in facts.gates] == [False, True]
    page = (tmp_path / "report" / "report.html").read_text()
    assert page.index("✗ failed") < page.index("<article")
    assert "0.1 &gt; 0.05" in page
    assert "FAILED" in (tmp_path / "report" / "report.md").read_text()
    again = call("report", fit, *gates, "--json")
    assert (again.code, again.json["cached"]) == (4, True)


def test_gate_of_a_pipeline(call, fit, tmp_path):
    (tmp_path / "p.toml").write_text(
        f"[stages.report]\ninputs.fits = {str(fit)!r}\nfail_if = ['test.rmse > 0.05']\n"
        '[stages.report.published.Author]\nsource = "Table 2"\nrmse = 0.3\n'
    )
    answer = call("run", tmp_path / "p.toml", "--out", tmp_path / "out")
    assert answer.code == 4
    assert "1 gate failed" in answer.err
    assert "Table 2" in (tmp_path / "out" / "report" / "report.html").read_text()
    answer = call("run", tmp_path / "p.toml", "--set", 'report.fail_if=["test.rmse >"]')
    assert answer.code == 78
    assert "p.toml:3" in answer.err
    assert "a value is missing, at column 12" in answer.err


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("test.rmse >", "a value is missing, at column 12 of 'test.rmse >'"),
        ("test.rmsee > 1", "did you mean 'rmse'?"),
        ("__import__(os)", "an operator is missing before '('"),
    ],
)
def test_broken_gate_stops_before_anything_is_computed(robotid, tmp_path, cache, expression, said):
    """The syntax is looked at even before the fit is."""
    answer = robotid("report", tmp_path / "no such fit", "--fail-if", expression, "--json")
    assert answer.code == 78
    assert answer.json["error"]["code"] == "bad-gate"
    assert said in answer.err
    assert not list(cache.glob("entries/*"))


@pytest.mark.parametrize(
    ("flags", "code", "said"),
    [
        (["--fail-if", "test.rmse[wrist] > 1"], 78, "no joint is called 'wrist'"),
        (["--max-regression", "5%"], 78, "no older report"),
        (["--max-regression", "five"], 78, "a percentage such as 5%"),
        (["--max-regression", "5"], 78, "a percentage such as 5%"),
        (["--baseline", "{fit}/nothing.json"], 66, "no such file"),
        (["--baseline", "{fit}"], 66, "not a report"),
        (["--baseline", "{fit}/fit.json"], 65, "newer version"),
        (["{newer}"], 65, "newer version of robotid"),
    ],
)
def test_whatever_is_wrong_the_old_report_stays(call, fit, tmp_path, flags, code, said):
    assert call("report", fit, "--out", tmp_path / "report").code == 0
    before = files_of(tmp_path / "report")
    newer = tmp_path / "newer"
    newer.mkdir()
    (newer / "fit.json").write_text('{"format": 99, "news": 1}')
    flags = [flag.format(fit=fit, newer=newer) for flag in flags]
    answer = call("report", fit, *flags, "--out", tmp_path / "report", "--force")
    assert answer.code == code, answer.err
    assert said in answer.err
    assert answer.out == ""
    assert files_of(tmp_path / "report") == before


def test_regression_beside_an_older_report(call, shared, tmp_path):
    """Given by its folder or its file; cached by what it holds, not by where it lies."""
    call("report", shared / "ols", "--out", tmp_path / "old")
    asked = ["report", shared / "today", "--max-regression", "5%", "--json", "--baseline"]
    answer = call(*asked, tmp_path / "old")
    assert answer.code == 4, answer.err
    codes = [warning["code"] for warning in answer.json["warnings"]]
    assert codes == ["regression"] * 3  # the mean and two joints
    assert "was 0.1, now is 0.11, +10.0 %; 5 % more is allowed" in answer.err
    text = (Path(answer.json["outputs"]["report"]) / "report.md").read_text()
    assert "+10.0 %" in text

    file = tmp_path / "old" / "report.json"
    assert call(*asked, file).code == 4
    moved = tmp_path / "moved.json"
    moved.write_bytes(file.read_bytes())
    assert call(*asked, moved).json["cached"] is True
    facts = json.loads(moved.read_text())
    facts["fits"]["ols"]["metrics"]["test"]["rmse"]["mean"] = 0.01
    moved.write_text(json.dumps(facts))
    assert call(*asked, moved).json["cached"] is False


def test_output_that_cannot_be_written(call, fit, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    answer = call("report", fit, "--out", tmp_path / "mine", "--force")
    assert (answer.code, "output-in-the-way" in answer.err) == (2, True)
    assert call("report", fit, "--out", "/proc/nowhere/report").code == 77
    assert (tmp_path / "mine" / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("form", ["md", "json"])
def test_the_report_itself_on_standard_output(call, fit, tmp_path, form):
    answer = call("report", fit, "--format", form, "--out", tmp_path / "report")
    assert answer.code == 0
    file = tmp_path / "report" / f"report.{form}"
    assert answer.out == file.read_text().removesuffix("\n") + "\n"
    if form == "json":
        assert ReportFacts.model_validate_json(answer.out).fits["ols"].model == "sdp"
    else:
        assert answer.out.startswith("## Identification of double")
    assert call("report", fit, "--format", "path").out.startswith("/")
    assert call("report", fit, "--format", "pdf").code == 2
    assert call("report", fit, "--format", "md", "--json").json["stage"] == "report"


def test_tables_when_piped(call, shared):
    answer = call("report", shared / "ols")
    assert "joint     model  no torque  the mean torque" in answer.err
    assert "shoulder  0.1    2          1" in answer.err
    assert "\x1b" not in answer.err
    assert call("report", shared / "ols", "--quiet").err == ""
    answer = call("report", shared / "ols", shared / "today", "--json", "--fail-if", "rank < 1")
    assert "Comparison on held-out data (run2):" in answer.err
    assert "All gates passed." in answer.err
    assert answer.json["status"] == "ok"


def test_findings_are_shown(call, tmp_path):
    remark = Remark(code="offset-differs", message="it lies higher", joint="elbow", hint="zero it")
    view(tmp_path / "fit", remarks=[remark])
    answer = call("report", tmp_path / "fit")
    assert "What to know:\n- elbow: it lies higher (zero it) [offset-differs]" in answer.err
    assert "What to know" not in call("report", tmp_path / "fit", "--quiet").err


def test_which_fit_to_use_comes_first(call, shared):
    answer = call("report", shared / "ols", shared / "today", "--fail-if", "ols: test.rmse > 0.01")
    said = answer.err
    assert said.index("ok: Use ols") < said.index("ok: ols: Error")
    assert "NOT OK: 1 gate failed: ols: test.rmse > 0.01." in said
    assert "ols *" in said  # least error
    assert "Error (RMSE) on held-out data [N m], mean of all joints:" in said


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


def test_tables_on_a_terminal(tmp_path):
    """As wide as it may be, and whatever names hold."""
    hostile = "\x1b[31mred\x07[bold]x[bold]\r\n"
    folder = tmp_path / hostile
    facts = view(folder).fit.model_dump(mode="json")
    facts["baselines"][hostile] = facts["baselines"].pop("zero")
    facts["verdict"]["sentence"] = f"Fine {hostile} indeed."
    facts["remarks"] = [{"code": hostile, "message": hostile, "hint": hostile}]
    (folder / "fit.json").write_text(FitResult.model_validate(facts).model_dump_json())
    for columns in (100, 30, 8):
        gate = ["--fail-if", "test.rmse[*] > 0.05"]
        code, text = on_terminal(columns, "report", folder, *gate)
        assert code == 4
        assert "\x07" not in text
        assert "\x1b[31mred" not in text  # no name steers the terminal
        bare = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
        assert "Traceback" not in bare
        squeezed = re.sub(r"\s", "", bare)
        assert r"Fine\x1b[31mred\x07[bold]x[bold]\r\nindeed." in squeezed
        if columns == 100:
            assert "FAILED" in bare
            assert "0.1 > 0.05" in bare


def test_older_report_is_not_replaced_by_what_is_held_to_it(call, fit, shared, tmp_path):
    """A regression that becomes its own baseline would pass the next night."""
    old = tmp_path / "old"
    assert call("report", fit, "--out", old).code == 0
    before = files_of(old)
    asked = ["report", shared / "today", "--baseline", old, "--max-regression", "5%"]
    answer = call(*asked, "--out", old, "--force")
    assert (answer.code, answer.out) == (2, "")
    assert "output-is-input" in answer.err
    assert files_of(old) == before


def test_link_among_the_files_of_an_output(call, fit, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "link").symlink_to(fit)
    answer = call("report", fit, "--out", tmp_path / "mine", "--force")
    assert (answer.code, answer.out) == (2, "")
    assert "files robotid did not write: link" in answer.err


def test_same_fit_spelled_in_two_ways(call, fit):
    answer = call("report", fit, fit / ".." / fit.name)
    assert (answer.code, "given twice" in answer.err) == (2, True)


def test_folder_of_results_instead_of_a_fit(call, shared):
    answer = call("report", shared)
    assert answer.code == 66
    assert f"did you mean {shared / 'ols'} or {shared / 'today'}?" in answer.err


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (lambda facts: facts.pop("metrics"), "metrics: Field required"),
        (lambda facts: facts["verdict"].update(usable="perhaps"), "verdict.usable: "),
        (lambda facts: facts.update(joints=["x" * 5_000_000]), ""),
    ],
)
def test_edited_fit_says_which_field(call, tmp_path, break_it, said):
    view(tmp_path / "fit")
    facts = json.loads((tmp_path / "fit" / "fit.json").read_text())
    break_it(facts)
    (tmp_path / "fit" / "fit.json").write_text(json.dumps(facts))
    answer = call("report", tmp_path / "fit")
    assert answer.code == 65, answer.err
    assert said in answer.err
    assert len(answer.err) < 50_000


def test_cut_residuals_name_the_way_out(call, tmp_path):
    view(tmp_path / "fit")
    (tmp_path / "fit" / "residuals.parquet").write_bytes(b"PAR1 and then the power went")
    answer = call("report", tmp_path / "fit")
    assert answer.code == 65
    assert "residuals.parquet: not residuals of robotid (ArrowInvalid) | fit again" in answer.err


def test_full_disk_names_the_folder(call, fit, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("robotid.store.delivery.copy_verified", full)
    answer = call("report", fit, "--out", tmp_path / "new")
    assert (answer.code, answer.out) == (74, "")
    assert f"error[disk-full] {tmp_path / 'new'}: writing the result of report" in answer.err


@pytest.mark.parametrize("flags", [["--fail-if", "test.rmse > ٣"], ["--max-regression", "٥%"]])
def test_digits_of_other_scripts_are_no_numbers(call, fit, flags):
    answer = call("report", fit, *flags)
    assert answer.code == 78, answer.err
    assert any(code in answer.err for code in ("bad-gate", "bad-value"))
