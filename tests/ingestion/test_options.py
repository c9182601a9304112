"""What a user may say on the command line."""

import ast
from pathlib import Path

import pytest
from pydantic import ValidationError

import robotid
from robotid.ingestion.options import ACCEPTABLE, IngestOptions

PACKAGE = Path(robotid.__file__).parent


def test_every_refusal_of_a_check_can_be_accepted():
    """What `report.add(code, …, refused=…)` may refuse is in the table, and so is what hints name."""
    refused = set()
    for path in (PACKAGE / "plausibility").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and any(k.arg == "refused" for k in node.keywords):
                codes = [n.value for n in ast.walk(node.args[0]) if isinstance(n, ast.Constant)]
                refused |= set(codes)
    assert refused
    assert refused <= ACCEPTABLE


def test_codes_that_cannot_be_accepted_are_refused():
    assert IngestOptions(accept=("odd-rate",)).accept == ("odd-rate",)
    with pytest.raises(ValidationError, match="did you mean 'odd-rate'"):
        IngestOptions(accept=("od-rate",))
    with pytest.raises(ValidationError, match="can be accepted"):
        IngestOptions(accept=("no-map",))


@pytest.mark.parametrize("given", ["3", "2.5%", "0%"])
def test_percentages(given):
    assert IngestOptions(allow_loss=given).allow_loss == given


@pytest.mark.parametrize("given", ["-1%", "101", "a lot", ""])
def test_what_is_no_percentage(given):
    with pytest.raises(ValidationError):
        IngestOptions(allow_loss=given)
