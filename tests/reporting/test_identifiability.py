"""What the data can tell: condition numbers in words, a row for every joint."""

import pytest

from robotid.contracts.fit import Identifiability
from robotid.reporting.page import render
from robotid.reporting.sections import verdict
from robotid.reporting.sections.identifiability import GAUGE, WORDS, grade_of, section
from robotid.reporting.sections.statuses import STATUSES
from tests.reporting.results import changed, view


@pytest.mark.parametrize(
    ("condition", "grade"),
    [(1.0, "good"), (100.0, "good"), (101.0, "high"), (1e4, "high"), (2e4, "very high")],
)
def test_condition_in_words(condition, grade, tmp_path):
    assert grade_of(condition) == grade
    facts = Identifiability(rank=10, structural_rank=10, condition=condition)
    plain = view(tmp_path / "fit", identifiability=facts)
    found = section(plain)
    zone = next(zone for zone in found.zones if zone.name == grade)
    assert zone.begin <= found.at <= zone.end
    assert WORDS[grade] in render([plain])


@pytest.mark.parametrize(
    ("condition", "said", "tile"),
    [
        (1e4, "10 of 10 base parameters are determined", "determined by the data"),
        (3.6e6, "10 of 10 base parameters show, some only just", "shown by the data"),
        (None, "10 of 10 base parameters are determined", "determined by the data"),
    ],
)
def test_a_rank_says_no_more_than_the_condition_number(condition, said, tile, tmp_path):
    facts = Identifiability(rank=10, structural_rank=10, condition=condition)
    plain = view(tmp_path / "fit", identifiability=facts)
    assert section(plain).title == said
    assert said in render([plain])
    note = next(one.note for one in verdict.section(plain).tiles if one.name == tile)
    assert ("some only just, the condition number is 3.6e+06" in note) == (condition == 3.6e6)


def test_a_condition_number_off_the_scale_stands_at_its_end(tmp_path):
    facts = Identifiability(rank=10, structural_rank=10, condition=1e300)
    assert section(view(tmp_path / "fit", identifiability=facts)).at == GAUGE


def test_what_is_missing_is_named(tmp_path):
    facts = Identifiability(
        rank=9, structural_rank=10, condition=None, worst="1.00 L1zz", silent=["rotor2", "L2xx"]
    )
    text = render([view(tmp_path / "fit", identifiability=facts)])
    for words in ("9 of 10 base parameters", "rotor2, L2xx", "1.00 L1zz", "Not determined"):
        assert words in text
    assert "There is none" in text  # a condition number


def test_every_joint_has_a_row_with_all_its_parameters(tmp_path):
    plain = view(tmp_path / "fit", joint_terms={"elbow": ["viscous", "stribeck(0.1)"]})
    statuses = list(STATUSES)
    parameters = [
        p.model_copy(update={"status": statuses[number % len(statuses)]})
        for number, p in enumerate(plain.fit.parameters)
    ]
    found = section(changed(plain, parameters=parameters))
    assert [row.joint for row in found.rows] == list(plain.fit.joints)
    assert [row.link for row in found.rows] == plain.fit.robot.links
    assert found.columns[:2] == ["m", "hx"]
    assert found.columns[10:] == ["viscous", "coulomb", "offset", "rotor", "stribeck"]
    signs = [STATUSES[p.status] for p in parameters]
    first, second = found.rows
    assert first.cells[:10] == signs[:10]
    assert second.cells[:10] == signs[10:20]
    assert first.cells[10:] == [*signs[20:24], None]
    assert second.cells[10:] == [signs[24], None, None, None, signs[25]]
    counted = sum(count.number for row in found.rows for count in row.counts)
    assert counted == len(parameters) == sum(share.of.number for share in found.shares)
    assert sum(share.width for share in found.shares) == pytest.approx(GAUGE, abs=0.5)


def test_coupled_joints_and_thirteen_parameters(tmp_path):
    plain = view(tmp_path / "a", coupled=["shoulder+elbow"], full=True)
    found = section(plain)
    assert [row.joint for row in found.rows] == ["shoulder", "elbow", "shoulder+elbow"]
    assert found.of_links == 13
    assert found.rows[2].cells[:13] == [None] * 13
    assert any(found.rows[2].cells[13:])


def test_symbols_differ_without_colour():
    assert len({sign.symbol for sign in STATUSES.values()}) == len(STATUSES)
    assert all(sign.words == status for status, sign in STATUSES.items())
