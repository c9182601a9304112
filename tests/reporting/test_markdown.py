"""`report.md`: everything in it, and nothing of it more than text."""

import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from robotid.contracts.fit_data import Remark
from robotid.reporting.comparison import compare
from robotid.reporting.facts import Published, ReportFacts
from robotid.reporting.gates.outcomes import outcomes
from robotid.reporting.markdown import escaped, in_cell, markdown
from robotid.reporting.numbers import percent, whole
from tests.reporting.results import changed, view
from tests.reporting.test_comparison import hard_and_easy, with_errors
from tests.reporting.test_page import PAYLOADS

MORE = [
    "a|b", "`code`", "**bold**", "[x](http://x)", "![x](http://x)", "<http://x>", "http://x.org",
    "www.x.org", "@somebody", "a@b.org", "~~x~~", "# x", "- x", "1. x", "> x", "a\nb", "a\n\n# b",
    "&amp;", "\\", "\\|", "$x$", "_x_", "```", "| --- |", "\u202e", "<!--", "a\x00b", " ", ":--", "1) x", "+ x", "===", "---", "12. x",
    "#12", "WWW.X.ORG", "HTTPS://x", "  - x", "     x", "12)", "7.",
]  # fmt: skip


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return view(tmp_path_factory.mktemp("fit") / "fit")


def facts_of(given, text=None):
    """A report of two fits with gates; with a text in every place that takes one."""
    name = text or "plain"
    remark = Remark(code="x", message=text or "it drifts", hint=text or "warm up")
    robot = given.fit.robot.model_copy(update={"name": name})
    verdict = given.fit.verdict.model_copy(update={"sentence": text or "Fine."})
    joints = [name, "elbow"]

    def renamed(metrics):
        return {
            split: {
                key: metric.model_copy(update={"joints": dict.fromkeys(joints, 0.1)})
                for key, metric in own.items()
            }
            for split, own in metrics.items()
        }

    fit = changed(
        given, robot=robot, verdict=verdict, remarks=[remark], joints=joints, model=name,
        metrics=renamed(given.fit.metrics), recordings={"run1": "train", name: "test"},
        baselines={name: renamed(given.fit.metrics), "mean": renamed(given.fit.metrics)},
    ).fit  # fmt: skip
    fits = {name: fit, "other": fit}
    return ReportFacts(
        fits=fits,
        comparison=compare(fits, {f"{name} et al.": Published(source=name, rmse=1.0)}),
        gates=outcomes(["test.rmse[*] > 0.05"], fits),
    )


class Elements(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.data = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, tuple(attrs)))

    def handle_data(self, data):
        self.data += data


def shown(text):
    return Elements(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text))


def test_everything_is_in_it(plain):
    text = shown(markdown(facts_of(plain))).data
    for words in (
        "Identification of plain", "✅", "❌ 2 gates failed", "it drifts (warm up)",
        "Comparison on held-out data", "FAILED", "elbow: 0.1 > 0.05", "cannot be told",
        "rmse of elbow", "plain et al.",
    ):  # fmt: skip
        assert words in text
    tables = [tag for tag, _ in shown(markdown(facts_of(plain))).tags if tag == "table"]
    assert len(tables) == 3


@pytest.mark.parametrize("payload", [*PAYLOADS, *MORE])
def test_s18_text_stays_text(plain, payload):
    before, after = (shown(markdown(facts_of(plain, text))) for text in (None, payload))
    assert after.tags == before.tags  # no element more, none with other attributes
    visible = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in payload)
    assert visible.strip() in after.data


@pytest.mark.parametrize("payload", [*PAYLOADS, *MORE])
def test_no_link_and_nobody_is_called(payload):
    """What GitHub adds to Markdown: bare addresses become links, names after @ are notified."""
    text = escaped(payload)
    assert not re.search(r"(?<!\\)://", text)
    assert "www." not in text.lower()
    assert not re.search(r"#\w", text)
    assert "@" not in text.replace("@<!-- -->", "")


def test_numbers_need_no_escapes(plain):
    """In cells no list can begin; in text, one begins only where a number is followed by a space."""
    text = markdown(facts_of(plain))
    assert "| 0.1 |" in text
    assert "\\." not in text
    assert escaped("0.5 N m (run3) is fine") == "0.5 N m (run3) is fine"
    assert escaped("1. x") == "1\\. x"
    assert in_cell("1. x") == "1. x"
    assert in_cell(f"{percent(0.1)} of {whole(2000)}") == "10\u00a0% of 2\u202f000"


def test_gates_are_words_and_the_best_is_starred(plain):
    gates = outcomes(["test.rmse > 0.05"], {"a": plain.fit})
    assert "| :-- | :-- | :-- | :-- |" in markdown(ReportFacts(fits={"a": plain.fit}, gates=gates))
    errors = hard_and_easy()
    fits = {"a": with_errors(plain.fit, 2 * errors), "b": with_errors(plain.fit, errors)}
    assert "|   | a | b ★ |" in markdown(ReportFacts(fits=fits, comparison=compare(fits)))
    fits["a"] = fits["b"]
    assert "|   | a ☆ | b |" in markdown(ReportFacts(fits=fits, comparison=compare(fits)))


def test_the_same_facts_give_the_same_text(plain):
    assert markdown(facts_of(plain)) == markdown(facts_of(plain))
