"""Tables in the documentation that repeat what the code says."""

import re

from robotid.cli.schemas import FORMATS as SCHEMAS
from robotid.dynamics.terms import TERMS
from robotid.fitting.white_box import MODELS
from robotid.reporting.sections.table import SECTIONS
from robotid.spatial.parametrisations.table import PARAMETRISATIONS
from robotid.stages.contract import INDEX_FILES
from tests.docs.markdown import PROJECT


def page(name):
    return (PROJECT / "docs" / name).read_text(encoding="utf-8")


def rows(text, header):
    """The cells of the table below a header, row by row."""
    below = text.split(header, 1)[1].split("\n\n", 1)[0]
    lines = [line for line in below.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def names(cell):
    return re.findall(r"`([^`]+)`", cell)


def test_every_model_is_in_the_table():
    table = rows(page("choosing_a_model.md"), "| `--model` |")
    assert sorted(name for row in table for name in names(row[0])) == sorted(MODELS)


def test_guarantees_of_parametrisations():
    said = {
        name: tuple(cell == "yes" for cell in row[1:4])
        for row in rows(page("choosing_a_model.md"), "| `--inertia` |")
        for name in names(row[0])
    }
    true = {name: tuple(p.guarantees[1:]) for name, p in PARAMETRISATIONS.items()}
    del true["diffbary"]  # a model of its own
    assert said == true


def test_every_section_of_the_report_is_explained():
    explained = set()
    for heading in re.findall(r"^## (.+)$", page("reading_the_report.md"), re.M):
        explained |= set(names(heading))
    assert {section.name for section in SECTIONS} <= explained


def test_every_kind_of_folder_and_schema_is_in_the_table():
    table = rows(page("file_formats.md"), "| kind |")
    assert {row[0]: names(row[2])[0] for row in table} == dict(INDEX_FILES)
    listed = {name for row in table for name in names(row[4])}
    others = {"answer.json", "manifest.json"}  # explained elsewhere
    assert listed == {f"{name}.json" for name in SCHEMAS} - others


def test_every_refusal_of_a_design_is_in_the_table():
    text = page("excitation.md")
    listed = {name for row in rows(text, "| code | what is wrong |") for name in names(row[0])}
    listed |= {name for row in rows(text, "| code | what it tells |") for name in names(row[0])}
    raised = set()
    for path in (PROJECT / "robotid" / "excitation").glob("*.py"):
        code = path.read_text(encoding="utf-8")
        raised |= set(
            re.findall(r'(?:(?:Config|BadData|Temporary)Error\(|code=)\s*"([a-z-]+)"', code)
        )
        raised |= set(re.findall(r'code = "([a-z-]+)"', code))
    assert raised - {"not-guarded"} <= listed  # that one is on the page only


def test_every_term_is_in_the_table():
    table = rows(page("friction.md"), "| term |")
    listed = {name.split("(")[0] for row in table for name in names(row[0])}
    assert listed == set(TERMS)
