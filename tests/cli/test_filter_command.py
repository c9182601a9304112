"""`robotid filter` as a user meets it: options, facts, findings, exit codes."""

import numpy as np
import pytest

from robotid.contracts.dataset import read_index, write_index
from robotid.contracts.recording import Joint, RecordingFacts, read_recording, write_recording
from robotid.identification.account import account

RATE = 200.0
TONES = ((0.5, 1.0, 0.3), (1.7, 0.3, 1.1))  # Hz, amplitude, phase; both repeat every 10 s


def motion(t, derivative=0):
    """A sum of sines, or a derivative of it."""
    return sum(
        a * (2 * np.pi * f) ** derivative * np.sin(2 * np.pi * f * t + p + derivative * np.pi / 2)
        for f, a, p in TONES
    )


@pytest.fixture
def dataset(tmp_path):
    """Write a dataset of one joint: recordings by name, each as columns besides `t`."""

    def write(**recordings):
        folder = tmp_path / "data"
        folder.mkdir()
        facts = {}
        for name, columns in recordings.items():
            t = columns.pop("t")
            facts[name] = RecordingFacts(
                joints=[Joint(name="a")],
                source_sha256=(name * 64)[:64],
                rate_hz=RATE,
                duration_s=float(t[-1]),
                samples=t.size,
                logged=t.size,
            )
            ns = np.round(t * 1e9).astype(np.int64)
            write_recording(folder, {"t": ns, **columns}, facts[name])
            (folder / "recording.parquet").rename(folder / f"{name}.parquet")
            (folder / "recording.json").unlink()
        splits = dict.fromkeys(facts, "train")
        if len(splits) > 1:
            splits[list(splits)[-1]] = "test"
        write_index(folder, facts, splits)
        return folder

    return write


def columns(seconds=30.0, *, noise=0.0, seed=0, **more):
    t = np.arange(round(seconds * RATE)) / RATE
    rng = np.random.default_rng(seed)
    noisy = {
        name: motion(t, n) + rng.normal(0, noise, t.size) for n, name in enumerate(("q", "qd"))
    }
    return {"t": t, "q.a": noisy["q"], "qd.a": noisy["qd"], "tau.a": noisy["q"], **more}


@pytest.fixture
def filtered(robotid, tmp_path):
    """Filter a dataset; columns of its first recording, its facts, the index, the answer."""

    def call(folder, *arguments, code=0):
        answer = robotid(
            "filter", folder, "--out", tmp_path / "out", "--json", "--force", *arguments
        )
        assert answer.code == code, answer.err
        index = read_index(tmp_path / "out")
        name = next(iter(index.recordings))
        rows, facts = read_recording(tmp_path / "out" / f"{name}.parquet")
        return rows, facts, index, answer

    return call


def test_sines_keep_amplitude_and_phase(dataset, filtered):
    """Of the window's cubics at 1.7 Hz, 200 Hz lack less than 1e-3."""
    arguments = ["--velocity", "from-position", "--acceleration", "savitzky-golay"]
    more = ["--cutoff-hz", "10", "--rate-hz", "50", "--low-speed", "0.5"]
    rows, facts, _, _ = filtered(dataset(run=columns()), *arguments, *more)
    for n, name in enumerate(("q.a", "qd.a", "qdd.a")):
        truth = motion(rows["t"] / 1e9, n)
        np.testing.assert_allclose(rows[name], truth, atol=1e-3 * np.abs(truth).max())
    assert facts.filter.velocity_from_position == ["a"]
    assert (facts.rate_hz, facts.filter.decimated_by) == (50.0, 4)
    assert set(np.diff(rows["t"])) == {20_000_000}
    np.testing.assert_array_equal(rows["slow.a"], np.abs(rows["qd.a"]) < 0.5)
    assert facts.filter.low_speed == {"a": pytest.approx(rows["slow.a"].mean())}
    assert 0.02 < facts.filter.low_speed["a"] < 0.9


@pytest.mark.parametrize(
    ("kind", "order", "method", "gain"),
    [("design", 4, "central", 0.5), ("effective", 2, "spectral", 0.5**0.5)],
)
def test_what_is_left_at_the_cutoff(dataset, filtered, kind, order, method, gain):
    """-6 dB of the design value, -3 dB of the effective one, whatever the order."""
    given = columns()
    given["tau.a"] = np.sin(2 * np.pi * 8.0 * given["t"])
    del given["qd.a"]
    arguments = ["--cutoff-is", kind, "--order", order, "--acceleration", method]
    own = ["--signal-cutoff", "tau=8", "--cutoff-hz", "20"]
    rows, facts, _, answer = filtered(dataset(run=given), *arguments, *own)
    used = facts.filter
    assert np.abs(rows["tau.a"]).max() == pytest.approx(gain, abs=2e-3)
    assert (used.order, used.acceleration) == (order, method)
    assert used.velocity_from_position == ["a"]
    assert (used.effective_hz == pytest.approx(20.0)) == (kind == "effective")
    assert (used.signal_cutoffs_hz["tau.a"] == 8.0) == (kind == "design")
    assert "filters-differ" in {w["code"] for w in answer.json["warnings"]}
    truth = motion(rows["t"] / 1e9, 2)
    np.testing.assert_allclose(rows["qdd.a"], truth, atol=1.5e-3 * np.abs(truth).max())


def uneven(seconds=30.0):
    """Gaps, a stretch that is too short, a lost and a repeated time, jitter, a missing value."""
    given = columns(seconds)
    t = given["t"] + np.random.default_rng(0).normal(0, 2e-4, given["t"].size)
    keep = np.ones(t.size, dtype=bool)
    keep[2000:2040] = keep[2050:2100] = keep[[3000, 3500]] = False
    given["q.a"][4000] = np.nan
    given["t"] = t - t[0]
    return {name: values[keep] for name, values in given.items()}


@pytest.mark.parametrize(
    ("given", "flags", "reasons"),
    [
        (columns, (), {"trimmed"}),
        (columns, ("--rate-hz", "50"), {"trimmed", "decimated"}),
        (columns, ("--rate-hz", "70"), {"trimmed", "decimated"}),
        (columns, ("--average-periods",), {"averaged"}),
        (columns, ("--average-periods", "--decimate", "4"), {"averaged", "decimated"}),
        (uneven, (), {"too-short", "not-finite", "trimmed"}),
        (uneven, ("--decimate", "4"), {"too-short", "not-finite", "trimmed", "decimated"}),
    ],
)
def test_every_sample_is_accounted_for(dataset, filtered, given, flags, reasons):
    _, facts, _, _ = filtered(
        dataset(run=given()), "--cutoff-hz", "10", *flags, code=3 if given is uneven else 0
    )
    found = account(facts, {"train": facts.samples - 7})
    lost = sum(found.dropped.values())
    assert found.logged + found.added == facts.samples - 7 + lost
    assert set(found.dropped) - {"resampled"} == {*reasons, "between-splits"}
    assert found.dropped["between-splits"] == 7
    assert all(count > 0 for count in found.dropped.values())


def test_what_was_found_is_in_the_facts(dataset, filtered):
    _, facts, _, answer = filtered(dataset(run=uneven()), "--cutoff-hz", "10", code=3)
    found = {finding.code: finding for finding in facts.findings}
    told = {w["code"]: w for w in answer.json["warnings"]}
    assert {"jitter", "not-finite", "segment-too-short"} <= set(found) <= set(told)
    for code, finding in found.items():
        assert finding.message in told[code]["message"]
    assert found["jitter"].mended
    assert found["not-finite"].time_s == pytest.approx(20.0, abs=0.1)


def test_n08_decimation_that_folds_is_refused(robotid, dataset):
    answer = robotid("filter", dataset(run=columns()), "--decimate", "15", "--json")
    assert (answer.code, answer.json["error"]["code"]) == (78, "decimation-folds")


def test_periods_are_averaged_and_say_the_noise(dataset, filtered):
    arguments = ["--average-periods", "--cutoff-hz", "10"]
    rows, facts, _, answer = filtered(dataset(run=columns(100.0, noise=0.02)), *arguments)
    assert facts.filter.averaging.period_s == pytest.approx(10.0, abs=1e-3)
    assert facts.filter.averaging.periods == 10
    assert facts.filter.averaging.noise_std["qd.a"] == pytest.approx(0.02, rel=0.05)
    assert rows["t"].size == 2000
    assert {w["code"] for w in answer.json["warnings"]} >= {"period-found"}


def test_cutoff_is_chosen_with_evidence(dataset, filtered):
    _, facts, _, answer = filtered(dataset(run=columns(noise=0.01)), "--cutoff-hz", "auto")
    choice = facts.filter.choice
    best = choice.candidates_hz[int(np.argmin(choice.error))]
    assert facts.filter.cutoff_hz == pytest.approx(best, rel=1e-3)
    assert 1.7 < facts.filter.cutoff_hz < 15
    assert 0.8 < choice.residual["a"] < 1.3
    assert "cutoff-chosen" in {w["code"] for w in answer.json["warnings"]}


def test_n06_missing_value_never_spreads(dataset, filtered):
    given = columns()
    given["tau.a"][3000] = np.nan
    rows, facts, _, answer = filtered(dataset(run=given), code=3)
    assert all(np.isfinite(values).all() for values in rows.values())
    assert facts.dropped == {"not-finite": 1}
    (lost,) = [w for w in answer.json["warnings"] if w["code"] == "not-finite"]
    assert lost["time"] == pytest.approx(15.0)
    truth = motion(rows["t"] / 1e9, 2)
    np.testing.assert_allclose(rows["qdd.a"], truth, atol=0.03 * np.abs(truth).max())


def test_n05_segments_are_filtered_one_by_one_and_other_columns_go_along(dataset, filtered):
    t = columns()["t"]
    zero = np.zeros(t.size)
    more = {
        "segment": np.repeat([4, 7], 3000),
        "tau_cmd.a": motion(t),
        "temperature.a": np.where(np.arange(t.size) % 200 == 0, 40.0, np.nan),
        "base.quat.x": zero, "base.quat.y": zero, "base.quat.z": -np.sin(t / 10),
        "base.quat.w": -np.cos(t / 10), "contact.foot.fz": motion(t),
    }  # fmt: skip
    given = columns(**more)
    given["q.a"][3000:] += 100.0  # nothing of this may be seen in the other segment
    rows, facts, _, answer = filtered(dataset(run=given), "--velocity", "from-position")
    whole = 3000 - facts.filter.trimmed // 2
    assert [segment.samples for segment in facts.filter.segments] == [whole, whole]
    np.testing.assert_allclose(rows["qdd.a"], motion(rows["t"] / 1e9, 2), atol=0.06)
    np.testing.assert_allclose(rows["temperature.a"], 40.0, atol=1e-9)
    np.testing.assert_array_equal(rows["tau_cmd.a"], rows["contact.foot.fz"])
    np.testing.assert_allclose(rows["base.quat.w"], np.cos(rows["t"] / 1e10), atol=1e-5)
    assert "values-held" in {w["code"] for w in answer.json["warnings"]}


def test_single_recording_is_cut_and_fit_uses_the_cut(robotid, dataset, filtered, tmp_path):
    """Also: what is trimmed is recorded, and spectra show what the filter did."""
    rows, facts, index, answer = filtered(dataset(run=columns(noise=0.01)))
    used = facts.filter
    assert used.trimmed == round(2 * used.memory_s * RATE) == 6000 - facts.samples
    (segment,) = used.segments
    assert (segment.start_s, segment.end_s) == (rows["t"][0] / 1e9, rows["t"][-1] / 1e9)
    assert segment.start_s == pytest.approx(used.memory_s)
    f = np.array(used.spectra.frequency_hz)
    before, after = (np.array(part["qd.a"]) for part in (used.spectra.before, used.spectra.after))
    np.testing.assert_allclose(before[f > 50], 2 * 0.01**2 / RATE, rtol=0.6)  # white noise
    assert (after[f > 50] < 1e-6 * before[f > 50]).all()
    motions = before > 1.0
    np.testing.assert_allclose(after[motions], before[motions], rtol=0.01)
    train, test = index.intervals["run"]
    assert (train.split, test.split) == ("train", "test")
    assert test.start_s - train.end_s == pytest.approx(max(1.0, 2 * used.memory_s))
    assert np.mean(rows["t"] / 1e9 >= test.start_s) == pytest.approx(0.2, abs=0.01)
    assert "split-within-recording" in {w["code"] for w in answer.json["warnings"]}
    _, _, index, _ = filtered(tmp_path / "data", "--hold-out", "0.4")
    assert index.intervals["run"][1].start_s < test.start_s
