"""Gates and comparison on the page: before the fits, marked, and escaped."""

import pytest

from robotid.reporting.comparison import compare
from robotid.reporting.page import render
from robotid.reporting.summary import comparison_table, gate_tables
from tests.reporting.results import view
from tests.reporting.test_comparison import hard_and_easy, with_errors
from tests.reporting.test_markdown import facts_of
from tests.reporting.test_page import PAYLOADS, Elements


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return view(tmp_path_factory.mktemp("fit") / "fit")


def page(given, facts):
    return render([given], comparison_table(facts.comparison), gate_tables(facts))


def test_before_the_fits(plain):
    text = page(plain, facts_of(plain))
    assert (
        text.index("✗ failed") < text.index("Comparison on held-out data") < text.index("<article")
    )


@pytest.mark.parametrize("payload", [*PAYLOADS, "FAILED", "passed"])
def test_s18_names_in_tables_stay_text(plain, payload):
    before, after = (Elements(page(plain, facts_of(plain, text))) for text in (None, payload))
    assert after.tags == before.tags
    assert after.attributes == before.attributes


def test_the_best_is_marked(plain):
    errors = hard_and_easy()
    fits = {"a": with_errors(plain.fit, 2 * errors), "b": with_errors(plain.fit, errors)}
    table = comparison_table(compare(fits))
    assert table.header[table.best] == "b"
    text = render([plain], table)
    assert "b ★" in text
    assert "<strong>best</strong>" in text
