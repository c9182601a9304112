"""What a fit says of its data: recordings, ranges, correlation of errors, remarks."""

import re

import numpy as np
import pytest

from robotid.contracts.dataset import read_index, write_index
from robotid.contracts.finding import RecordingFinding
from robotid.contracts.recording import read_recording
from robotid.contracts.splits import Interval
from robotid.identification.files import _not_yet_told
from robotid.robot.load import load_robot
from tests.identification.conftest import ARM, ArmData, filtered, with_factors

JOINTS = ("base", "shoulder", "elbow")


@pytest.fixture(scope="module")
def fit(arm, tmp_path_factory):
    return arm.fit(tmp_path_factory.mktemp("facts"), model="wls")


def test_recordings_are_those_of_the_dataset(arm, fit):
    data, index = fit.result.data, read_index(arm.dataset)
    assert {name: one.split for name, one in data.items()} == fit.result.recordings
    for name, one in data.items():
        facts = index.recordings[name]
        assert one.source_sha256 == facts.source_sha256
        assert one.source_format == facts.source_format != ""
        assert (one.samples, one.rate_hz) == (facts.samples, facts.rate_hz)
        assert (one.cutoff_hz, one.effective_hz) == (10.0, facts.filter.effective_hz)
        assert (one.torque_kind, one.gaps, one.excluded) == ("measured", 0, [])
        assert (one.repairs, one.findings) == (facts.repairs, facts.findings)
        assert one.used == {one.split: facts.samples}
        assert one.dropped == {**facts.dropped, "trimmed": facts.filter.trimmed}
        assert one.logged + one.added == one.samples + sum(one.dropped.values()) == 2400
    assert sum(one.samples for one in data.values()) == sum(fit.result.samples.values())


def test_ranges_are_those_of_all_training_samples(arm, fit):
    runs = [read_recording(arm.dataset / f"{name}.parquet")[0] for name in ("run1", "run2")]
    assert set(fit.result.ranges) == set(JOINTS)
    for joint, found in fit.result.ranges.items():
        for signal in ("q", "qd", "qdd", "tau"):
            values = np.concatenate([run[f"{signal}.{joint}"] for run in runs])
            assert getattr(found, signal) == (values.min(), values.max())
        assert found.velocity_limit > 0
        assert found.effort_limit > 0


def test_of_a_cut_recording_only_what_is_for_training_has_a_range(arm, tmp_path):
    """And only samples that are in a split count as used."""
    folder, index = tmp_path / "data", read_index(arm.dataset)
    folder.mkdir()
    facts = index.recordings["run1"]
    end = facts.filter.segments[-1].end_s
    cut = [
        Interval(split="train", start_s=0.0, end_s=0.5 * end),
        Interval(split="test", start_s=0.7 * end, end_s=end),
    ]
    write_index(folder, {"run1": facts}, {"run1": "train"}, {"run1": cut}, index.made_by)
    (folder / "run1.parquet").hardlink_to(arm.dataset / "run1.parquet")
    data = with_factors(tmp_path, folder, arm.robot)
    result = ArmData(data.dataset, data.factors).fit(tmp_path / "fit", model="wls").result
    assert sum(result.samples.values()) == result.data["run1"].samples < facts.samples
    blocks = [block for block in result.blocks if block.split == "train"]
    run, _ = read_recording(folder / "run1.parquet")
    t = run["t"] / 1e9
    inside = (blocks[0].start_s <= t) & (t <= blocks[-1].end_s)
    assert inside.sum() == result.samples["train"]
    for joint, found in result.ranges.items():
        values = run[f"q.{joint}"][inside]
        assert found.q == (values.min(), values.max())
    whole = {joint: (run[f"q.{joint}"].min(), run[f"q.{joint}"].max()) for joint in JOINTS}
    assert whole != {joint: found.q for joint, found in result.ranges.items()}


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    """A fit of one short recording, whose end is for the test."""
    folder = tmp_path_factory.mktemp("short")
    lines = (ARM / "run1.csv").read_text().splitlines(keepends=True)
    (folder / "short.csv").write_text("".join(lines[:1300]))
    robot = ARM / "arm.urdf"
    data = with_factors(folder, filtered(folder, [folder / "short.csv"], robot), robot)
    return data, data.fit(folder / "fit", model="wls")


def test_n22_the_end_of_a_short_recording_is_held_out(short):
    """All of it, and nothing says that there is none."""
    data, fit = short
    t = read_recording(data.dataset / "short.parquet")[0]["t"] / 1e9
    train, test = read_index(data.dataset).intervals["short"]
    for part in (train, test):
        wanted = np.count_nonzero((t >= part.start_s) & (t <= part.end_s))
        assert fit.result.samples[part.split] == wanted > 0
    one, facts = fit.result.data["short"], read_index(data.dataset).recordings["short"]
    assert one.used == fit.result.samples
    assert one.dropped["between-splits"] == facts.samples - one.samples > 0
    assert one.logged + one.added == one.samples + sum(one.dropped.values())
    assert "test" in fit.result.metrics
    assert "split-within-recording" in fit.codes()
    assert "nothing-held-out" not in fit.codes()


def test_correlation_of_errors_is_shown(fit):
    assert set(fit.result.autocorrelation) == set(JOINTS)
    for found in fit.result.autocorrelation.values():
        assert len(found.lag_s) == len(found.value) == len(found.band) <= 120
        assert found.value[0] == found.expected[0] == pytest.approx(1.0)
        assert found.lag_s[0] == 0.0
        # What the filter alone makes alike: half at a tenth of a second or less, at 10 Hz.
        half = found.lag_s[int(np.argmax(np.array(found.expected) < 0.5))]
        assert 0.01 < half < 0.1
        assert min(found.band) >= 0.0


def test_remarks_are_all_findings(fit):
    assert [
        (r.code, r.message, r.joint, r.hint)
        for r in fit.result.remarks
        if r.code != "links-impossible"
    ] == [(n.code, n.message, n.joint, n.hint) for n in fit.notices]
    assert "offset-differs" in {remark.code for remark in fit.result.remarks}


def test_findings_of_the_robot_file_are_remarks_unless_recordings_told_them(arm, tmp_path):
    impossible = tmp_path / "arm.urdf"
    text = arm.robot.read_text()
    impossible.write_text(re.sub('izz="[^"]*"', 'izz="9"', text, count=1))
    result = arm._replace(robot=impossible).fit(tmp_path / "fit", model="wls").result
    (remark,) = [r for r in result.remarks if r.code == "non-physical-link"]
    assert "triangle inequality" in remark.message
    assert str(tmp_path) not in result.model_dump_json()
    told = RecordingFinding(code=remark.code, message=remark.message)
    used = {name: one.model_copy(update={"findings": [told]}) for name, one in result.data.items()}
    notices = load_robot(impossible).notices
    assert [notice.code for notice in notices] == ["non-physical-link"]
    assert _not_yet_told(notices, result) == list(notices)
    assert _not_yet_told(notices, result.model_copy(update={"data": used})) == []


def test_a_reason_of_the_verdict_is_no_remark(arm, tmp_path):
    fit = arm.fit(tmp_path / "fit", model="wls", max_rmse=1e-3)
    assert "gate-failed" in fit.codes()
    assert "gate-failed" not in {remark.code for remark in fit.result.remarks}
    remarked = {remark.code for remark in fit.result.remarks}
    assert remarked - {"links-impossible"} == fit.codes() - {"gate-failed"}


def test_a_remark_names_its_recording(tmp_path):
    """Not a file: a path would differ from machine to machine."""
    from robotid.errors import Notice
    from robotid.identification.files import remarks_of

    notices = [Notice(code="a", message="x", file=name) for name in ("run1", "/tmp/robot.urdf")]
    found = remarks_of(notices, reasons=[], recordings=["run1"])
    assert [remark.recording for remark in found] == ["run1", None]


def test_a_cutoff_that_leaves_friction_alone_is_not_complained_about(fit):
    """At 10 Hz Coulomb friction of this arm is within 5 % of the truth (docs/trust.md)."""
    assert "coulomb-smoothed" not in fit.codes()


def test_impossible_links_of_a_free_model_are_remarked_and_no_run_warns_of_them(fit):
    impossible = [link.name for link in fit.result.links if not link.consistent]
    remarked = [remark for remark in fit.result.remarks if remark.code == "links-impossible"]
    assert impossible
    assert len(remarked) == 1
    assert all(name in remarked[0].message for name in impossible)
    assert "links-impossible" not in {notice.code for notice in fit.notices}
