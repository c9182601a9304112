"""Recordings and what became of them, in words."""

from robotid.contracts.fit_data import RecordingUsed
from robotid.contracts.repair import Repair
from robotid.reporting.page import render
from robotid.reporting.sections import data
from tests.reporting.results import view
from tests.reporting.test_page import PAYLOADS, Elements


def used(split="train", **changes):
    fields = {
        "source_sha256": "0123456789abcdef" * 4, "source_format": "csv", "rate_hz": 200.0,
        "duration_s": 12.5, "samples": 2500, "gaps": 3, "cutoff_hz": 10.0,
        "dropped": {"too-short": 12, "not-finite": 0}, "torque_kind": "measured",
        "repairs": [Repair(code="time-backwards", count=1, first=["line 17"])],
        **changes,
    }  # fmt: skip
    return RecordingUsed(split=split, **fields)


def test_words(tmp_path):
    both = {"run1": used(), "run2": used("test", excluded=["elbow"], repairs=[])}
    found = data.section(view(tmp_path / "fit", data=both))
    first, second = found.rows
    assert first.dropped == ["12 too short"]
    assert first.mended == ["time backwards, once, first line 17"]
    assert (second.mended, first.digest) == ([], "0123456789ab")
    assert found.excluded == {"elbow": ["run2"]}
    assert found.torque == "measured"


def test_a_page_says_them(tmp_path):
    both = {"run1": used(), "run2": used("test", excluded=["elbow"])}
    text = " ".join(render([view(tmp_path / "fit", data=both)]).split())
    for words in ("Torques are measured.", "joint elbow of run2", "12 too short", "cut-off [Hz]"):
        assert words in text
    assert "1 000 samples for training; 500 samples for the test" in text


def test_n34_a_page_says_that_robots_are_recorded_under_control(tmp_path):
    text = " ".join(render([view(tmp_path / "fit", data={"run1": used()})]).split())
    assert "noise that its controller feeds back is in motion and torque alike" in text


def test_what_no_recording_has_is_left_out(tmp_path):
    plain = used(cutoff_hz=None, torque_kind="", repairs=[], dropped={})
    text = render([view(tmp_path / "fit", data={"run1": plain})])
    for words in ("cut-off", "Torques are", "Mended", "Left out:"):
        assert words not in text
    assert data.section(view(tmp_path / "none")) is None


def test_names_stay_text(tmp_path):
    before = Elements(render([view(tmp_path / "fit", data={"run1": used()})]))
    for payload in PAYLOADS:
        hostile = used(
            source_format=payload, source_sha256=payload, torque_kind=payload,
            repairs=[Repair(code=payload, count=2, first=[payload])], dropped={payload: 1},
        )  # fmt: skip
        found = Elements(render([view(tmp_path / "fit", data={payload: hostile})]))
        assert found.tags == before.tags
