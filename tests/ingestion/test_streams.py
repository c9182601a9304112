"""Several streams and clocks in one recording."""

import numpy as np
import pytest

from robotid.errors import BadDataError
from robotid.ingestion.joined import Follower
from tests.ingestion.conftest import table

T = {"column": "t", "unit": "s"}


COLUMNS = {
    "time": T,
    "q": {"file": "q.csv", "columns": "x"},
    "tau": {"file": "tau.csv", "columns": "x"},
}


@pytest.fixture
def folder(tmp_path):
    """Write two files of a recording: times and values of positions and of torques."""

    def write(t, q, s, tau):
        path = tmp_path / "run"
        path.mkdir()
        (path / "q.csv").write_text(table({"t": t, "x": q}))
        (path / "tau.csv").write_text(table({"t": s, "x": tau}))
        return path

    return write


def test_b66_two_rates_are_brought_together(ingest, folder):
    t, s = np.arange(2000) / 1000, 0.1 + np.arange(450) / 250
    done = ingest(folder(t, np.sin(3 * t), s, np.cos(2 * s)), COLUMNS)
    seconds = done.columns["t"] / 1e9
    assert seconds[0] == pytest.approx(0.1)
    assert seconds[-1] == pytest.approx(0.1 + 449 / 250)
    # A line through samples 4 ms apart is off by at most h²/8 of the second derivative.
    np.testing.assert_allclose(done.columns["tau.joint1"], np.cos(2 * seconds), atol=8.1e-6)
    np.testing.assert_allclose(done.columns["q.joint1"], np.sin(3 * seconds), atol=1e-12)
    assert set(done.codes) == {"other-rate", "no-overlap"}
    assert "125 Hz" in next(n.hint for n in done.notices if n.code == "other-rate")


def test_b67_lag_is_taken_out(ingest):
    t = np.arange(1000) / 500
    log = {"t": t, "p": np.sin(3 * t), "e": np.sin(3 * (t - 0.02))}
    columns = {"time": T, "q": {"columns": "p"}, "tau": {"columns": "e", "lag_s": 0.02}}
    done = ingest(log, columns)
    seconds = done.columns["t"] / 1e9
    np.testing.assert_allclose(done.columns["tau.joint1"], np.sin(3 * seconds), atol=1e-9)


def test_nothing_is_interpolated_across_a_gap(ingest, folder):
    t = np.arange(400) / 100
    there = (t <= 1.5) | (t >= 2.5)
    done = ingest(folder(t, t, t[there], t[there]), COLUMNS)
    seconds = done.columns["t"] / 1e9
    assert not ((seconds > 1.51) & (seconds < 2.49)).any()
    np.testing.assert_array_equal(done.columns["segment"], seconds > 2)
    np.testing.assert_allclose(done.columns["tau.joint1"], seconds)


@pytest.mark.parametrize("other", [299, 301, 5000])
def test_counted_samples_need_files_of_equal_length(ingest, folder, other):
    counted = {**COLUMNS, "time": {"rate_hz": 100.0}}
    t, s = np.arange(300) / 100, np.arange(other) / 100
    with pytest.raises(BadDataError) as error:
        ingest(folder(t, np.sin(9 * t), s, np.sin(9 * s)), counted)
    assert error.value.notice.code == "lengths-differ"
    assert f"{other}" in error.value.notice.message


def test_follower_does_not_depend_on_batches():
    rng = np.random.default_rng(3)
    t = np.cumsum(rng.integers(1, 10, 500))
    values = rng.normal(size=500)
    asked = np.cumsum(rng.integers(1, 8, 600))

    def batches(sizes):
        at = 0
        for size in sizes:
            yield {"t": t[at : at + size], "x": values[at : at + size]}
            at += size

    whole = Follower(batches([500]), ["x"], 8).at(asked)["x"]
    follower = Follower(batches([3, 1, 96, 150, 250]), ["x"], 8)
    parts = np.concatenate([follower.at(part)["x"] for part in np.array_split(asked, 17)])
    np.testing.assert_array_equal(whole, parts)
    expected = np.interp(asked, t, values)
    inside = ~np.isnan(whole)
    np.testing.assert_allclose(whole[inside], expected[inside], atol=1e-12)
    steps = (
        t[np.searchsorted(t, asked).clip(1, 499)] - t[np.searchsorted(t, asked).clip(1, 499) - 1]
    )
    assert not inside[(steps > 8) & ~np.isin(asked, t)].any()


def test_clock_set_with_several_streams_is_refused(ingest, folder):
    t = np.arange(400) / 100
    jumped = np.where(np.arange(400) < 200, t, t - 100)
    with pytest.raises(BadDataError) as error:
        ingest(folder(jumped, t, t, t), COLUMNS)
    assert error.value.notice.code == "clock-set"


@pytest.mark.parametrize("jump", [-1.0, 1e6])
def test_clock_of_a_stream_that_follows_is_not_set_unseen(ingest, folder, jump):
    t = np.arange(400) / 100
    jumped = np.where(np.arange(400) < 200, t, t + jump)
    with pytest.raises(BadDataError) as error:
        ingest(folder(t, t, jumped, t), COLUMNS)
    assert error.value.notice.code == "clock-set"
    assert "tau.csv" in error.value.notice.file


def test_what_is_lost_of_a_stream_that_follows_is_said(ingest, folder):
    t = np.arange(400) / 100
    twice = t.copy()
    twice[200] = twice[199]
    done = ingest(folder(t, t, twice, t), COLUMNS, accept=("duplicate-times",))
    found = next(n for n in done.notices if n.code == "duplicate-times")
    assert found.effect == "data-lost"
    assert "tau.csv" in found.message


def test_stamps_of_ns_of_two_streams_stay_exact(ingest, folder):
    t = 1_700_000_000_000_000_001 + 1_000_000 * np.arange(200)
    x = 0.1 * np.random.default_rng(0).normal(size=200)
    done = ingest(folder(t, x, t, x), COLUMNS | {"time": {"column": "t", "unit": "ns"}})
    np.testing.assert_array_equal(done.columns["tau.joint1"], x)


def test_streams_that_do_not_overlap_are_named_as_the_reason(ingest, folder):
    t = np.arange(400) / 100
    with pytest.raises(BadDataError, match="at 400 another stream has no values"):
        ingest(folder(t, t, t + 100, t), COLUMNS)
