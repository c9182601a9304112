"""Recordings and what became of them, in words."""

import re

from robotid.contracts.finding import RecordingFinding
from robotid.contracts.fit_data import Continued, RecordingUsed, TrainedRecording
from robotid.contracts.repair import Repair
from robotid.reporting.page import render
from robotid.reporting.sections import data
from tests.reporting.results import view
from tests.reporting.test_page import PAYLOADS, Elements


def used(split="train", **changes):
    fields = {
        "source_sha256": "0123456789abcdef" * 4, "source_format": "csv", "rate_hz": 200.0,
        "duration_s": 12.5, "samples": 2500, "gaps": 3, "cutoff_hz": 10.0,
        "dropped": {"too-short": 12, "not-finite": 0, "made-up": 2}, "torque_kind": "measured",
        "logged": 2514, "repairs": [Repair(code="out-of-order", count=1, first=["line 17"])],
        **changes,
    }  # fmt: skip
    return RecordingUsed(split=split, **fields)


def test_words(tmp_path):
    both = {"run1": used(), "run2": used("test", excluded=["1:2"], repairs=[])}
    found = data.section(view(tmp_path / "fit", data=both))
    first, _ = found.rows
    assert first.dropped == ["12 in stretches too short to be filtered", "2 made up"]
    assert (first.splits, first.digest) == ({"train": 2500}, "0123456789ab")
    assert found.excluded == {"run2": ["1:2"]}
    assert (found.torque, found.logged) == ("measured", 5028)
    assert [told.message for told in found.mended] == ["out of order, once, first line 17"]


def shown(tmp_path, **recordings):
    """The words of a page, without tags."""
    text = render([view(tmp_path / "fit", data=recordings)])
    return " ".join(re.sub("<[^>]*>", "", text).split())


def test_a_page_says_them(tmp_path):
    text = shown(tmp_path, run1=used(), run2=used("test", excluded=["1:2", "5:"]))
    for words in ("Torques are measured. Cut-offs", "Left out by the user: 1:2, 5: s of run2.",
                  "12 in stretches too short", "cut-off [Hz]", "filter. A robot is"):  # fmt: skip
        assert words in text
    assert "Logged: 5 028 samples." in text
    assert "1 000 samples for training; 500 samples for the test" in text


def test_samples_of_an_earlier_fit_are_accounted_for(tmp_path):
    old = [TrainedRecording(name=f"old{n}", source_sha256=f"{n}" * 64, samples=100) for n in (1, 2)]
    before = Continued(fit_sha256="ab" * 32, model="wls", samples=200, recordings=old)
    given = view(tmp_path / "fit", data={"run1": used()}, continues=before)
    text = " ".join(re.sub("<[^>]*>", "", render([given])).split())
    said = "Of the samples for training, 200 are those of the earlier fit abababababab (old1, old2)"
    assert said in text
    assert "and 2 recordings of an earlier fit (1 000 samples)" in text
    assert "2 more by an earlier fit" in text
    for number in (1, 2):
        assert f"log of old{number}, in the earlier fit{f'{number}' * 64}" in text


def test_a_recording_that_was_cut_is_in_both_splits(tmp_path):
    cut = used(
        used={"train": 1900, "test": 500}, samples=2400, logged=2500, added=3,
        dropped={"trimmed": 80, "between-splits": 23},
    )  # fmt: skip
    text = shown(tmp_path, run1=cut)
    assert "train 1 900, test 500" in text
    assert "2 500 (+3 on the grid)" in text
    assert "80 at ends of stretches, where the filter is not settled; 23 between training" in text


def test_nothing_was_left_out_where_that_is_known(tmp_path):
    assert "train 2 500 nothing" in shown(tmp_path, run1=used(dropped={}))
    assert "train 2 500 –" in shown(tmp_path, run1=used(dropped={}, logged=None))


def finding(code="spike", **fields):
    return RecordingFinding(code=code, message=f"what {code} is", **fields)


def test_what_was_mended_is_set_apart_from_what_was_noticed(tmp_path):
    jitter, spike = finding("jitter", mended=True), finding(joint="elbow", time_s=1.5, hint="mask")
    both = {"run1": used(findings=[jitter, spike]), "run2": used(findings=[jitter])}
    found = data.section(view(tmp_path / "fit", data=both))
    assert found.mended == [data.Told("jitter", "run1, run2", "what jitter is", None)]
    assert found.noticed == [data.Told("spike", "run1, elbow, 1.5 s", "what spike is", "mask")]
    text = shown(tmp_path, **both)
    assert "Put right or left out on the way in run1, run2: what jitter is (jitter)" in text
    assert "left as it is run1, elbow, 1.5 s: what spike is (spike)mask" in text


def test_of_many_findings_of_a_kind_some_are_shown(tmp_path):
    many = {f"run{n}": used(findings=[finding(time_s=n)]) for n in range(9)}
    told = data.section(view(tmp_path / "fit", data=many)).noticed
    assert [one.where for one in told[:2]] == ["run0, 0 s", "run1, 1 s"]
    assert told[-1] == data.Told(
        "spike", "run4, run5, run6, run7 and 1 more", "5 more of this kind", None
    )


def test_repairs_of_older_fits_are_told_apart_by_their_code(tmp_path):
    repairs = [Repair(code=code, count=2, first=[]) for code in ("unused-columns", "latin-1")]
    found = data.section(view(tmp_path / "fit", data={"run1": used(repairs=repairs)}))
    assert [told.message for told in found.mended] == ["latin-1, 2 times"]
    assert [told.message for told in found.noticed] == ["unused columns, 2 times"]


def test_n34_a_page_says_that_robots_are_recorded_under_control(tmp_path):
    text = " ".join(render([view(tmp_path / "fit", data={"run1": used()})]).split())
    assert "noise that its controller feeds back is in motion and torque alike" in text


def test_what_no_recording_has_is_left_out(tmp_path):
    plain = used(cutoff_hz=None, torque_kind="", repairs=[], dropped={}, logged=None)
    text = render([view(tmp_path / "fit", data={"run1": plain})])
    for words in ("cut-off", "Torques are", "Put right", "Noticed", "Left out by", "Logged"):
        assert words not in text
    assert data.section(view(tmp_path / "none")) is None


def test_names_stay_text(tmp_path):
    plain = used(findings=[finding(joint="elbow", hint="mask")], excluded=["1:2"])
    before = Elements(render([view(tmp_path / "fit", data={"run1": plain})]))
    for payload in PAYLOADS:
        hostile = used(
            source_format=payload, source_sha256=payload, torque_kind=payload,
            dropped={payload: 1}, excluded=[payload],
            findings=[RecordingFinding(code=payload, message=payload, joint=payload, hint=payload)],
        )  # fmt: skip
        found = Elements(render([view(tmp_path / "fit", data={payload: hostile})]))
        assert found.tags == before.tags
