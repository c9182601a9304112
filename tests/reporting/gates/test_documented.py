"""docs/gates.md: every example can be read, every name in it is known."""

import re
import tomllib
from pathlib import Path

from robotid.reporting.gates.expression import OPERATORS, parse
from robotid.reporting.gates.names import ATTRIBUTES, FIGURES, METRICS, SPLITS, TRUTHS
from robotid.reporting.gates.outcomes import outcomes
from robotid.stages.configuration import parse_config
from robotid.stages.report import ReportConfig
from tests.reporting.results import metrics, view

TEXT = (Path(__file__).parents[3] / "docs" / "gates.md").read_text(encoding="utf-8")
EXAMPLES = re.search(r"can be read.*?```\n(.*?)```", TEXT, re.DOTALL)[1].splitlines()


def test_configuration_is_one():
    values = tomllib.loads(re.search(r"```toml\n(.*?)```", TEXT, re.DOTALL)[1])
    assert parse_config(ReportConfig, values).limit == 0.05


def test_examples_can_be_read():
    assert len(EXAMPLES) > 10
    for example in EXAMPLES:
        parse(example)


def test_examples_have_an_outcome(tmp_path):
    """With the names of a real robot in place of those in the text."""
    every = {**metrics(0.1), "val": metrics(0.1)["test"]}
    fit = view(
        tmp_path / "fit", metrics=every, baselines=dict.fromkeys(("nominal", "mean"), every)
    ).fit
    for example in EXAMPLES:
        text = example.replace("joint3", "elbow").replace("link3", "upper_arm")
        (outcome,) = outcomes([text], {"sdp": fit})
        assert outcome.said


def test_every_name_is_explained():
    table = TEXT[TEXT.index("| name |") :]
    for name in (*SPLITS, *METRICS, *ATTRIBUTES, *FIGURES, *TRUTHS, "samples", "baselines"):
        assert re.search(rf"`{name}\b", table), name
    for sign in OPERATORS.keys() - {"negative"}:
        assert f"`{sign}`" in table, sign
