"""Every broken log gets the answer of expected.toml: no traceback, no silent acceptance."""

import re

import numpy as np
import pytest

from tests.sample_logs.conftest import BROKEN, EXPECTED

ALONE = [case for case in EXPECTED if "more" not in case]
TOGETHER = [case for case in EXPECTED if "more" in case]
PLACES = ("line", "column", "time", "joint")


def same_samples(found, good) -> None:
    """All that was kept of the log is as it was before the damage, and nothing is filled in."""
    for name, values in found.columns.items():
        if name == "segment":
            continue
        kept = np.isfinite(values)
        assert kept.sum() >= len(values) - 2
        np.testing.assert_array_equal(values[kept], good.columns[name][: len(values)][kept], name)


def test_every_file_has_its_answer_and_every_answer_its_file():
    needed = {"expected.toml", "truth.json", "simulate.toml"}
    for case in EXPECTED:
        given = [word for word in case.get("flags", []) if word.endswith(".toml")]
        needed |= {case["log"], *case.get("more", []), *given}
    assert {path.name for path in BROKEN.iterdir()} == needed
    assert all(re.fullmatch(r"b\d\d_.*", case["log"]) for case in EXPECTED if case["row"] != "-")
    assert all(case["log"].startswith(case["row"].lower()) for case in EXPECTED[2:])
    for path in BROKEN.rglob("b*"):
        assert path.is_dir() or path.stat().st_size < 41_000


@pytest.mark.parametrize("case", ALONE, ids=lambda case: case["log"])
def test_the_answer_is_the_expected_one(ingest, case):
    found = ingest(BROKEN / case["log"], *case.get("flags", []))
    codes = [notice.code for notice in found.notices]
    assert int(found.code) == case["exit"], codes
    if not case["code"]:
        assert set(codes) <= {"less-than-a-period"}  # small files are short recordings
    else:
        assert case["code"] in codes
        notice = found.notices[codes.index(case["code"])]
        assert str(BROKEN / case["log"]) in notice.file
        for place in PLACES:
            if place in case:
                said = getattr(notice, place)
                assert said == case[place] or f"{place} {case[place]}:" in notice.message
        if case["exit"] >= 65:
            where = re.search(r"(line|byte|message) \d", notice.message)
            assert notice.hint or notice.line or notice.time or where or case["row"] < "B21"
    # What is wrong with text must not change a number that is kept.
    if case["exit"] < 65 and "B04" <= case["row"] < "B52":
        same_samples(found, ingest(BROKEN / "good.csv"))


@pytest.mark.parametrize("case", TOGETHER, ids=lambda case: case["log"])
def test_logs_that_are_given_together(robotid, case):
    logs = [BROKEN / name for name in (*case["more"], case["log"])]
    answer = robotid("ingest", *logs, "--json")
    assert answer.code == case["exit"], answer.out
    said = [answer.json["error"]] if answer.json["error"] else answer.json["warnings"]
    assert case["code"] in [notice["code"] for notice in said]
    assert any(case["log"].partition(".")[0] in str(notice) for notice in said)
    assert "Traceback" not in answer.err


@pytest.mark.parametrize("name", ["b21_cut_number.csv", "b45_fortran.csv", "b95_cut.mcap"])
def test_the_command_says_the_same(robotid, name):
    """Exit code, code and place reach the shell."""
    case = next(case for case in EXPECTED if case["log"] == name)
    answer = robotid("ingest", BROKEN / name, "--json")
    assert answer.code == answer.json["exit_code"] == case["exit"]
    said = [answer.json["error"]] if answer.json["error"] else answer.json["warnings"]
    (notice,) = [notice for notice in said if notice["code"] == case["code"]]
    assert all(notice[place] == case[place] for place in PLACES if place in case)
    assert "Traceback" not in answer.err


def test_order_of_joints_may_change_from_message_to_message(ingest):
    """B80: by name, not by place."""
    found = ingest(BROKEN / "b80_order_changes.mcap", "--robot", "double_pendulum")
    good = ingest(BROKEN / "good.csv", "--robot", "double_pendulum")
    for name, values in found.columns.items():
        np.testing.assert_array_equal(values, good.columns[name][:60], name)


def test_counts_do_not_overflow(ingest):
    """B85: 16 bits hold the counts, not what they are scaled to."""
    found = ingest(BROKEN / "b85_int16_counts.npz", "--map", "b85.map.toml")
    good = ingest(BROKEN / "good.csv")
    for joint in ("shoulder", "elbow"):
        np.testing.assert_allclose(
            found.columns[f"q.{joint}"], good.columns[f"q.{joint}"][:60], atol=0.51e-4
        )
