"""Findings that recordings carry with them."""

from robotid.contracts.finding import MENDED, as_findings
from robotid.errors import Notice
from tests.conftest import PROJECT


def test_what_mends_is_a_finding_of_some_stage():
    """A code that nobody says any more would hide that another took its place."""
    sources = [
        path.read_text()
        for layer in ("logs", "ingestion", "signals")
        for path in (PROJECT / "robotid" / layer).glob("*.py")
    ]
    unknown = [code for code in MENDED if not any(f'"{code}"' in text for text in sources)]
    assert unknown == []


def test_a_path_is_none_of_a_recordings():
    said = Notice(code="gap", message="x", file="/tmp/a.csv", line=3, joint="j", time=1.5, hint="y")
    (found,) = as_findings([said])
    assert found.model_dump() == {
        "code": "gap", "message": "x", "joint": "j", "time_s": 1.5, "hint": "y", "mended": False,
    }  # fmt: skip
    assert as_findings([Notice(code="jitter", message="x")])[0].mended
