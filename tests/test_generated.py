"""Generated files are what the code says."""

import ast
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
        re.findall(r"^\| ([A-Z]\d\d\d?) \|", (PROJECT / "docs/reliability.md").read_text(), re.M)
    )
    tests = "".join(path.read_text() for path in (PROJECT / "tests").rglob("test_*.py"))
    prefixes = re.findall(r"def test_((?:[bcnrs]\d\d\d?_)+)", tests)
    tested = {code.upper() for prefix in prefixes for code in prefix.strip("_").split("_")}
    assert listed == tested


def test_every_code_of_ingest_is_explained():
    """docs/checks.md names every code that ingestion and plausibility give, and no other."""
    given = set()
    for package in ("ingestion", "plausibility"):
        for path in (PROJECT / "robotid" / package).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                given |= codes_in(node)
    explained = set(
        re.findall(
            r"`([a-z]+(?:-[a-z]+)+|gap|spike|stuck|saturated|masked|unwrapped)`",
            (PROJECT / "docs/checks.md").read_text(),
        )
    )
    assert given <= explained, given - explained


def codes_in(node):
    """The code that a call gives: of an error, a notice, or a finding."""
    if not isinstance(node, ast.Call):
        return set()
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name not in ("add", "BadDataError", "ConfigError", "InputMissingError", "Notice"):
        return set()
    arguments = [*node.args[:1], *(k.value for k in node.keywords if k.arg == "code")]
    return {
        constant.value
        for argument in arguments
        for constant in ast.walk(argument)
        if isinstance(constant, ast.Constant) and isinstance(constant.value, str)
    }
