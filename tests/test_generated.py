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


# How many cases of each kind the catalogue has.
CASES = {"C": 45, "B": 100, "N": 38, "S": 32, "R": 35}


def reliability_cases() -> tuple[list[str], list[str]]:
    """Cases that are listed as tested, and those listed as not."""
    document = (PROJECT / "docs/reliability.md").read_text()
    tested, rest = document.split("## Without a test of their own")
    first, second = (re.findall(r"^\| ([A-Z]\d\d\d?) \|", part, re.M) for part in (tested, rest))
    return first, second


def test_reliability_cases_and_tests_name_each_other():
    """By the names of tests, or by the rows of planted traps."""
    paths = [*(PROJECT / "tests").rglob("test_*.py"), PROJECT / "tests/traps/planted.py"]
    tests = "".join(path.read_text() for path in paths)
    prefixes = re.findall(r"def test_((?:[bcnrs]\d\d\d?_)+)", tests)
    tested = {code.upper() for prefix in prefixes for code in prefix.strip("_").split("_")}
    tested |= set(re.findall(r'Trap\(\s*"([A-Z]\d\d\d?)"', tests))
    assert set(reliability_cases()[0]) == tested


def test_every_case_of_the_catalogue_is_listed_once():
    listed = sorted(code for part in reliability_cases() for code in part)
    wanted = [f"{kind}{n:02}" for kind, most in CASES.items() for n in range(1, most + 1)]
    assert listed == sorted(wanted)


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
