"""An older report beside the new one: what grew, by how much, and when that fails."""

import json

import pytest

from robotid.errors import BadDataError
from robotid.reporting.baseline import check_baseline, read_baseline
from robotid.reporting.facts import ReportFacts
from tests.reporting.results import metrics, view


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return view(tmp_path_factory.mktemp("fit") / "fit").fit


def old(tmp_path, **fits):
    path = tmp_path / "report.json"
    path.write_text(ReportFacts(fits=fits).model_dump_json(), encoding="utf-8")
    return path


def grown(fit, error, relative=0.1):
    found = metrics(error)
    found["test"]["relative"] = metrics(relative)["test"]["relative"]
    return fit.model_copy(update={"metrics": found})


@pytest.mark.parametrize(
    ("error", "limit", "passed"),
    [(0.1, 0.0, True), (0.104, 0.05, True), (0.106, 0.05, False), (0.05, 0.0, True),
     (9.9, None, True)],
)  # fmt: skip
def test_growth_beyond_the_limit_fails(plain, tmp_path, error, limit, passed):
    before = read_baseline(old(tmp_path, nightly=plain))
    found = check_baseline({"today": grown(plain, error)}, before, limit)
    (check,) = found.fits
    assert (check.passed, check.fit, check.baseline) == (passed, "today", "nightly")
    assert check.changes[0].change == pytest.approx(error / 0.1 - 1)


def test_one_joint_is_enough(plain, tmp_path):
    now = metrics(0.1)
    now["test"]["rmse"] = now["test"]["rmse"].model_copy(
        update={"mean": 0.09, "joints": {"shoulder": 0.05, "elbow": 0.13}}
    )
    fit = plain.model_copy(update={"metrics": now})
    (check,) = check_baseline({"a": fit}, read_baseline(old(tmp_path, a=plain)), 0.05).fits
    assert [change.joint for change in check.changes if change.worse] == ["elbow"]
    assert not check.passed


def test_joints_of_next_to_no_error_may_grow(plain, tmp_path):
    """Below a thousandth of the torque, a joint by itself is no regression."""
    before = read_baseline(old(tmp_path, a=grown(plain, 1e-6, 1e-6)))
    (check,) = check_baseline({"a": grown(plain, 2e-6, 2e-6)}, before, 0.05).fits
    assert [change.joint for change in check.changes if change.worse] == [None]


def test_an_error_that_is_gone_is_worse(plain, tmp_path):
    now = metrics(0.1)
    now["test"]["rmse"] = now["test"]["rmse"].model_copy(update={"mean": None})
    fit = plain.model_copy(update={"metrics": now})
    (check,) = check_baseline({"a": fit}, read_baseline(old(tmp_path, a=plain)), 0.05).fits
    assert [change.joint for change in check.changes if change.worse] == [None]


def test_names_that_do_not_match(plain, tmp_path):
    before = read_baseline(old(tmp_path, a=plain, gone=plain))
    found = check_baseline({"a": plain, "b": plain}, before, 0.05)
    assert [check.fit for check in found.fits] == ["a"]
    assert found.remarks == ["Not in the older report: b.", "Only in the older report: gone."]
    with pytest.raises(BadDataError, match=r"\(a, gone\) is one of these \(x, y\)"):
        check_baseline({"x": plain, "y": plain}, before, 0.05)


def test_other_recordings_are_remarked(plain, tmp_path):
    before = read_baseline(old(tmp_path, a=plain))
    fit = plain.model_copy(update={"recordings": {"run1": "train", "new": "test"}})
    assert "held-out recordings" in check_baseline({"a": fit}, before, None).remarks[0]


def test_other_logs_that_were_cut_are_remarked(plain, tmp_path):
    """Of a recording that was cut, only the first split is stated."""
    cut = plain.model_copy(update={"recordings": {"run1": "train"}, "split_by": "segment"})
    before = read_baseline(old(tmp_path, a=cut))
    assert check_baseline({"a": cut}, before, None).remarks == []
    other = cut.model_copy(update={"recordings": {"run2": "train"}})
    assert "held-out recordings" in check_baseline({"a": other}, before, None).remarks[0]


def test_another_robot(plain, tmp_path):
    robot = plain.robot.model_copy(update={"name": "crane"})
    before = read_baseline(old(tmp_path, a=plain.model_copy(update={"robot": robot})))
    with pytest.raises(BadDataError, match="'crane'") as caught:
        check_baseline({"a": plain}, before, 0.05)
    assert caught.value.notice.code == "baseline-other-robot"
    before = read_baseline(old(tmp_path, a=plain.model_copy(update={"joints": ["elbow"]})))
    with pytest.raises(BadDataError, match="different joints: shoulder"):
        check_baseline({"a": plain}, before, 0.05)


def test_no_errors_to_compare(plain, tmp_path):
    train = {"train": plain.metrics["train"]}
    before = read_baseline(old(tmp_path, a=plain.model_copy(update={"metrics": train})))
    with pytest.raises(BadDataError, match="there: train"):
        check_baseline({"a": plain}, before, 0.05)


def test_a_report_of_a_later_version_with_more_in_it(plain, tmp_path):
    """Only what is compared is read."""
    path = old(tmp_path, a=plain)
    facts = json.loads(path.read_text())
    facts["news"] = facts["fits"]["a"]["news"] = 1
    path.write_text(json.dumps(facts))
    assert read_baseline(tmp_path).fits["a"].robot.name == "double_pendulum"  # the folder will do


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ('{"format": 99, "fits": {}, "x": 1}', "report-other-version", "newer version"),
        ('{"format": 0}', "report-other-version", "older version"),
        ('{"format": "a"}', "bad-report", "not a report"),
        ("[]", "bad-report", "not a report"),
        ("{", "bad-report", "not a report"),
        ("[" * 100_000, "bad-report", "not a report"),
        ("", "bad-report", "not a report"),
        ('{"format": 1, "fits": {"a": {"robot": 3}}}', "bad-report", "not a report"),
    ],
)
def test_what_is_no_report(tmp_path, text, code, said):
    path = tmp_path / "report.json"
    path.write_text(text)
    with pytest.raises(BadDataError) as caught:
        read_baseline(path)
    assert caught.value.notice.code == code
    assert said in caught.value.notice.message
    assert caught.value.notice.file == str(path)


def test_older_errors_without_a_value_are_said(plain, tmp_path):
    """Nothing can be held to them, and nobody should believe that something was."""
    then = metrics(0.1)
    then["test"]["rmse"] = then["test"]["rmse"].model_copy(
        update={"mean": None, "joints": {"shoulder": 0.1, "elbow": None}}
    )
    before = read_baseline(old(tmp_path, a=plain.model_copy(update={"metrics": then})))
    remarks = check_baseline({"a": plain}, before, 0.05).remarks
    assert remarks == ["a: the older report has no error to compare with for the mean, elbow."]
