"""Generated files are what the code says."""

import re
from pathlib import Path

import pytest

from robotid.cli.schemas import generated

PROJECT = Path(__file__).parent.parent


@pytest.mark.parametrize("path", generated(), ids=str)
def test_generated_file_is_up_to_date(path):
    """If this fails: make schemas."""
    assert (PROJECT / path).read_text(encoding="utf-8") == generated()[path]


def test_no_schema_without_a_format():
    present = {path.relative_to(PROJECT) for path in (PROJECT / "schemas").glob("*.json")}
    assert present == {path for path in generated() if path.parts[0] == "schemas"}


def test_reliability_cases_and_tests_name_each_other():
    listed = set(
        re.findall(r"^\| ([A-Z]\d\d) \|", (PROJECT / "docs/reliability.md").read_text(), re.M)
    )
    tests = "".join(path.read_text() for path in (PROJECT / "tests").rglob("test_*.py"))
    prefixes = re.findall(r"def test_((?:[bcnrs]\d\d_)+)", tests)
    tested = {code.upper() for prefix in prefixes for code in prefix.strip("_").split("_")}
    assert listed == tested
