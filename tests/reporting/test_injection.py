"""Text stays text: payloads in every field of a fit, and a page that is the same but for words."""

from functools import cache

import pytest

from robotid.reporting.page import render
from tests.reporting.hostile import PAYLOADS, hostile_forward_view, hostile_view
from tests.reporting.test_page import Elements

_TEXT = {"aria-label", "title"}  # attributes that say something


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page of a fit whose texts all begin with the same words."""

    @cache
    def made(view, payload):
        return Elements(render([view(tmp_path_factory.mktemp("hostile") / "fit", payload)]))

    return made


def structure(elements):
    return [pair for pair in elements.attributes if pair[0] not in _TEXT]


@pytest.mark.parametrize("payload", PAYLOADS)
def test_s18_s19_every_text_of_a_fit_stays_text(page, payload):
    """Words of the same length take the same place, so nothing else may differ."""
    _stays_text(page, hostile_view, payload)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_s18_s19_every_text_of_a_forward_fit_stays_text(page, payload):
    _stays_text(page, hostile_forward_view, payload)


def _stays_text(page, view, payload):
    found, plain = page(view, payload), page(view, "x" * len(payload))
    assert found.tags == plain.tags
    assert structure(found) == structure(plain)
    assert [name for name, _ in found.attributes] == [name for name, _ in plain.attributes]
    assert [len(part) for part in found.data] == [len(part) for part in plain.data]
    assert "".join(found.data).count(payload) > 100


def test_payloads_are_many_and_different():
    assert len(set(PAYLOADS)) == len(PAYLOADS) >= 30
