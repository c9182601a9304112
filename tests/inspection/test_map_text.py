"""Maps as files: they read back as they were, whatever names hold."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotid.errors import BadDataError
from robotid.ingestion.column_map import ColumnMap
from robotid.inspection.inspection import inspect_log
from robotid.inspection.map_text import comment, map_text, quoted
from robotid.inspection.proposal import Proposal
from robotid.inspection.remarks import Passed, Remark
from tests.inspection.motion import Motion, columns, write_csv

TEXT = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12)
HOSTILE = '\x1b[31m"\n[tau]\ncolumns = "x" # \u202e\u2028\\'


def read(text):
    return ColumnMap.model_validate(tomllib.loads(text))


@given(TEXT)
def test_strings(text):
    written = quoted(text)
    assert tomllib.loads(f"a = {written}")["a"] == text
    assert written.isprintable()


@given(TEXT)
def test_comments_are_one_printable_line(text):
    assert comment(text).isprintable()
    assert tomllib.loads(comment(text)) == {}


def test_names_that_are_no_text():
    with pytest.raises(BadDataError, match="rename"):
        quoted("\udc80")
    assert comment("\udc80") == "# \\udc80"


@given(st.lists(TEXT, min_size=2, max_size=3, unique=True), TEXT, TEXT)
def test_any_names_read_back(names, joint, reason):
    mapped = ColumnMap.model_validate(
        {
            "joints": {joint: names[0], joint + "2": names[1]},
            "time": {"column": names[0], "unit": "ms"},
            "q": {"columns": names, "file": names[0], "unit": "deg"},
            "tau": {"columns": names[1], "bits": 16, "kind": "commanded"},
            "base": {"pos": {"columns": ["a", "b", names[0] + "c"]}},
        }
        if names[0].strip() and names[1].strip()
        else {}
    )
    remarks = (
        Remark("q", reason, True, reason),
        Remark("qd", reason, True),
        Remark("joints", reason),
    )
    passed = tuple(Passed("tau", name, reason) for name in names)
    text = map_text(Proposal(mapped, remarks, passed), reason)
    assert read(text) == mapped
    assert all(line.isprintable() for line in text.split("\n"))


def test_hostile_names_cannot_write_keys():
    passed = (Passed("q", HOSTILE, HOSTILE),)
    mapped = ColumnMap.model_validate({"q": {"columns": (HOSTILE, "b")}})
    text = map_text(Proposal(mapped, (Remark("q", HOSTILE),), passed), HOSTILE)
    assert read(text) == mapped
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_common_layouts_are_short_and_read_back(tmp_path):
    motion = Motion(joints=7)
    data = {
        "Time": motion.t * 1000,
        **columns("Position{n}", motion.q),
        **columns("Velocity{n}", motion.qd),
        **columns("Torque{n}", motion.tau),
        **columns("Temp{n}", motion.q * 0 + 30),
    }
    found = inspect_log(write_csv(tmp_path / "log.csv", data))
    assert read(found.text) == found.proposal.columns
    content = [line for line in found.text.splitlines() if line and not line.startswith("#")]
    assert len(content) <= 20
    assert "CHECK" not in found.text


def test_what_is_missing_is_a_comment(tmp_path):
    motion = Motion()
    found = inspect_log(write_csv(tmp_path / "log.csv", columns("q{n}", motion.q)))
    assert read(found.text) == found.proposal.columns
    lines = found.text.splitlines()
    assert "# rate_hz = …" in lines
    assert "# [tau]" in lines
    assert sum(line.startswith("# CHECK: ") for line in lines) == 2


def test_long_lists_are_broken_into_lines():
    names = tuple(f"a rather long name of a column, number {n}" for n in range(8))
    mapped = ColumnMap.model_validate({"q": {"columns": names}})
    text = map_text(Proposal(mapped), "log")
    assert max(map(len, text.splitlines())) < 100
    assert read(text) == mapped
