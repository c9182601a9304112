"""Where a fit comes from, in the report."""

import pytest

from robotid.contracts.fit_data import Provenance, RecordingUsed
from robotid.reporting.page import render
from robotid.reporting.sections.provenance import section, with_terms
from tests.reporting.results import changed, view
from tests.reporting.test_page import PAYLOADS, Elements

ORIGIN = Provenance(
    inputs={"dataset": ["ab" * 32], "robot": ["cd" * 32]},
    libraries={"numpy": "2.1.0", "robotid": "0.1"},
    commands=["robotid ingest LOG --out DATASET", "robotid fit DATASET --model=sdp"],
    placeholders={"LOG": "the log of the robot"},
)


def used(digest="ef" * 32):
    return RecordingUsed(
        split="train", source_sha256=digest, rate_hz=100.0, duration_s=1.0, samples=100
    )


@pytest.fixture
def plain(tmp_path):
    return view(tmp_path / "fit")


def test_nothing_known_nothing_said(plain):
    assert section(plain) is None
    assert "Where it comes from" not in render([plain])


def test_options_alone(plain):
    only = changed(plain, options={"seed": 3, "model": "sdp", "centre": [], "load": None})
    found = section(only)
    assert found.options == {"centre": "–", "load": "–", "model": "sdp", "seed": "3"}
    text = render([only])
    assert "the seed of all that is random is 3" in text
    assert "To make it again" not in text
    assert "Digests" not in text


def test_digests_versions_and_commands(plain):
    whole = changed(plain, provenance=ORIGIN, data={"run1": used()})
    text = render([whole])
    for words in ("ab" * 32, "ef" * 32, "log of run1", "numpy 2.1.0", *ORIGIN.commands):
        assert words in text
    assert "robotid report FIT --out REPORT\n</pre>" in text
    for word, meaning in (*ORIGIN.placeholders.items(), ("REPORT", "a new folder for the report")):
        assert f"<dt>{word}</dt><dd>{meaning}" in text
    assert "the seed" not in text


def test_older_fits_do_not_explain_their_commands(plain):
    older = changed(plain, provenance=ORIGIN.model_copy(update={"placeholders": {}}))
    text = render([older])
    assert ORIGIN.commands[0] in text
    assert "Words in capitals" not in text


def test_terms_and_changes_to_the_robot(tmp_path):
    fit = view(tmp_path / "fit", joint_terms={"elbow": ["viscous"]}, options={"gravity": "0,0,0"})
    fit = changed(fit, provenance=ORIGIN)
    found = with_terms(fit)
    assert found.terms["elbow"] == "viscous"
    assert found.robot == {"gravity": "0,0,0"}


@pytest.mark.parametrize("payload", PAYLOADS)
def test_texts_stay_text(plain, payload):
    def hostile(text):
        origin = Provenance(
            inputs={text: [text]},
            libraries={text: text},
            commands=[text],
            placeholders={text: text},
        )
        return changed(plain, provenance=origin, options={text: text}, data={text: used(text)})

    before, found = (Elements(render([hostile(text)])) for text in ("plain", payload))
    assert found.tags == before.tags
    kept = [[pair for pair in x.attributes if pair[0] != "title"] for x in (found, before)]
    assert kept[0] == kept[1]
    assert sum(payload in data for data in found.data) >= 7


def test_values_as_people_write_them(plain):
    options = {"a": ["x", 0.5], "b": {"k": [1, 2]}, "c": True, "d": None, "e": [], "f": 0.25}
    assert section(changed(plain, options=options)).options == {
        "a": "x, 0.5", "b": "k = 1, 2", "c": "yes", "d": "–", "e": "–", "f": "0.25",
    }  # fmt: skip
