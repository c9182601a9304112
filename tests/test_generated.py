"""Generated files are what the code says."""

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
