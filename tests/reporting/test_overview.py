"""Gates and comparison on the page: before the fits, marked, and escaped."""

import re

import pytest

from robotid.reporting.advice import Advice
from robotid.reporting.comparison import compare
from robotid.reporting.page import render
from robotid.reporting.summary import comparison_table, gate_tables
from tests.reporting.full import full_view
from tests.reporting.results import changed, view
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


def test_data_that_fits_share_are_shown_once(tmp_path):
    """Known by what is shown of them; a fit of other data shows its own."""
    first = full_view(tmp_path / "first")
    text = render([first, changed(first, name="second")])
    for name in ("data", "coverage", "filters"):
        other = text[text.index(f'<section id="fit2-{name}"') :].split("</section>")[0]
        assert f'The same as of <a href="#fit1-{name}">full</a>.' in other
        assert "<table" not in other
    assert text.count("Errors by joint on held-out data") == 2
    text = render([changed(first, name="other"), first], advice=Advice("full", "Use full", []))
    assert 'The same as of <a href="#fit2-data">full</a>.' in text
    used = {name: one.model_copy(update={"gaps": 7}) for name, one in first.fit.data.items()}
    text = render([first, changed(first, name="second", data=used)])
    assert "#fit1-data" not in text[text.index('<article id="fit2"') :]


def test_the_fit_to_use_is_unfolded(plain):
    def unfolded(use):
        found = Advice(use, "Use it", [])
        views = [changed(plain, name=name) for name in ("a", "b")]
        return re.findall(r'id="(fit\d)">\s*<details open>', render(views, advice=found))

    assert unfolded("b") == ["fit2"]
    assert unfolded(None) == ["fit1"]
