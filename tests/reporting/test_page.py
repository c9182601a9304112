"""The report page: right, escaped, self-contained."""

from html.parser import HTMLParser

import pytest

from robotid.reporting.page import render
from tests.reporting.results import changed, view

PAYLOADS = [
    "<script>alert(1)</script>", "</td><script>x</script>", '" onload="x', "{{ 7 * 7 }}",
    "<img src=x onerror=y>", "javascript:x", "<!-- ", "</html>", "&lt;b&gt;", "\x1b[31m",
]  # fmt: skip


class Elements(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.data = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.data.append(data)


@pytest.fixture
def plain(tmp_path):
    return view(tmp_path / "fit")


def test_page_says_what_was_found(plain):
    text = render([plain])
    for parameter in plain.fit.parameters:
        assert parameter.name in text
        assert f"{parameter.value:.4g}" in text
    assert "7 of 28 parameters are identified" in text
    for words in ("L1yy + 1/4 m2", "0.23 … 0.27", "elbow.viscous is zero", "Cross-validation"):
        assert words in text


def test_verdict_of_a_bad_fit_comes_first(tmp_path):
    page = render([view(tmp_path / "fit", usable=False)])
    assert "Not to be used" in page[: page.index("<table>")]


@pytest.mark.parametrize("payload", PAYLOADS)
def test_s18_text_from_data_stays_text(plain, payload):
    before = Elements(render([plain]))
    parameters = [p.model_copy(update={"name": payload}) for p in plain.fit.parameters]
    hostile = changed(plain, name=payload, parameters=parameters, model=payload)
    found = Elements(render([hostile]))
    assert found.tags == before.tags
    assert found.attributes == before.attributes
    assert any(payload in data for data in found.data)  # shown as it is, not evaluated


def test_page_needs_nothing_else(plain):
    found = Elements(render([plain]))
    assert not {"link", "img", "iframe"} & set(found.tags)
    policy = next(value for name, value in found.attributes if value and "default-src" in value)
    assert policy.startswith("default-src 'none'")
