"""The report page: right, escaped, self-contained."""

from html.parser import HTMLParser

import pytest

from robotid.reporting.facts import ReportFacts
from robotid.reporting.page import render
from tests.reporting.results import result as made

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
def result(tmp_path):
    return made(tmp_path / "fit")


def test_page_says_what_was_found(result):
    text = render(ReportFacts(fits={"ols": result}))
    for parameter in result.parameters:
        assert parameter.name in text
        assert f"{parameter.value:.4g}" in text
    assert "7 of 28 parameters are identified" in text
    for words in ("L1yy + 1/4 m2", "0.23 … 0.27", "elbow.viscous is zero", "Cross-validation"):
        assert words in text


def test_verdict_of_a_bad_fit_comes_first(tmp_path):
    page = render(ReportFacts(fits={"x": made(tmp_path / "fit", usable=False)}))
    assert "Not to be used" in page[: page.index("<table>")]


@pytest.mark.parametrize("payload", PAYLOADS)
def test_s18_text_from_data_stays_text(result, payload):
    plain = Elements(render(ReportFacts(fits={"name": result})))
    parameters = [p.model_copy(update={"name": payload}) for p in result.parameters]
    hostile = result.model_copy(update={"parameters": parameters, "model": payload})
    found = Elements(render(ReportFacts(fits={payload: hostile})))
    assert found.tags == plain.tags
    assert found.attributes == plain.attributes
    assert any(payload in data for data in found.data)  # shown as it is, not evaluated


def test_page_needs_nothing_else(result):
    found = Elements(render(ReportFacts(fits={"a": result})))
    assert not {"script", "link", "img", "iframe"} & set(found.tags)
    policy = next(value for name, value in found.attributes if value and "default-src" in value)
    assert policy.startswith("default-src 'none'")
