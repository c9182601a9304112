"""docs/results: a page for every pipeline with published figures, of what the pipeline now says."""

import re
import tomllib

import pytest
import tables

from robotid.reporting.grid.conclusions import conclusions
from robotid.reporting.markdown import escaped, in_cell
from tests.docs.markdown import PROJECT

RESULTS = PROJECT / "docs" / "results"
MARKED = re.compile(r"^- (?:✅|❌|➖) (.*)$", re.M)
SPREAD = re.compile(r"\d[\d.e-]* ± \d[\d.e-]*")


def page(name):
    return (RESULTS / f"{name}.md").read_text(encoding="utf-8")


def pipeline(name):
    text = (PROJECT / "pipelines" / f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["stages"]


def stages(name, kind):
    return [table for own, table in pipeline(name).items() if table.get("stage", own) == kind]


def test_every_pipeline_with_published_figures_has_a_page():
    published = {
        path.stem
        for path in (PROJECT / "pipelines").glob("*.toml")
        if stages(path.stem, "tabulate") or stages(path.stem, "compare")
    }
    assert published == set(tables.TABLES)
    assert {path.stem for path in RESULTS.glob("*.md")} == {*published, "README"}
    listed = re.findall(r"^\| \[(\w+)\]\(\1\.md\)", page("README"), re.M)
    assert sorted(listed) == sorted(published)


@pytest.mark.parametrize("name", tables.TABLES)
def test_pages_begin_as_they_are_written(name):
    """At the size of the pipeline, by a run of which nothing is missing."""
    text = page(name)
    (took,) = re.findall(r"^- It took (\d+ min of tasks on \d+ cores)\.", text, re.M)
    said = tables.head(name, paper=False, took=took)
    versions = re.compile(r"^(- It took .*? cores\.).*$", re.M)
    assert versions.sub(r"\1", text).startswith(versions.sub(r"\1", said))
    assert re.search(r"robotid \S+, mujoco \S+, numpy \S+", text)


@pytest.mark.parametrize("name", [name for name in tables.TABLES if stages(name, "tabulate")])
def test_tables_are_those_of_the_pipelines(name):
    """Every row, column and published figure; every claim, and no other."""
    text, claims = page(name), []
    for wanted in stages(name, "tabulate"):
        claims += wanted.get("claims", [])
        columns = [*wanted["columns"], *wanted.get("relative", {})]
        header = " | ".join(map(in_cell, ["model", "results", *columns]))
        below = text.split(f"\n| {header} |\n", 1)[1].split("\n\n", 1)[0]
        found = [line.strip("| ").split(" | ") for line in below.splitlines()[1:]]
        assert [row[0] for row in found] == [in_cell(row) for row in wanted["rows"]]
        for row, cells in zip(wanted["rows"], found, strict=True):
            figures = dict(zip(columns, cells[2:], strict=True))
            for column, figure in wanted.get("published", {}).get(row, {}).items():
                assert in_cell(f"[{figure:.3g}]") in figures[column]
    said = MARKED.findall(text)
    assert len(said) == len(claims)
    for claim in claims:
        assert any(one.startswith(f"{escaped(claim)}: ") for one in said), claim


def test_the_comparison_judges_every_claim():
    said = re.findall(r"^- (✅|❌|➖) (.*?): ", page("lutter_26"), re.M)
    marks = {claim: mark for mark, claim in said}
    held = [marks[escaped(one.claim)] == "✅" for one in conclusions([])]
    text = (PROJECT / "docs" / "forward.md").read_text(encoding="utf-8")
    assert ("all six claims of the paper hold" in text) == (held == [True] * 6)


def test_figures_that_documents_repeat_are_on_a_page():
    text = (PROJECT / "docs" / "learned.md").read_text(encoding="utf-8")
    pages = "".join(page(name) for name in tables.TABLES)
    quoted = SPREAD.findall(text)
    assert quoted
    assert [figure for figure in quoted if figure not in pages] == []
