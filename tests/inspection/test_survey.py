"""What a survey says of a stream."""

import numpy as np
import pytest

from robotid.ingestion.sources import Place
from robotid.inspection.survey import BINS, survey
from robotid.logs.formats import open_log
from robotid.logs.log import Kind
from tests.inspection.motion import write_csv


def look(path, limit=2_000_000):
    with open_log(path) as log:
        return survey(Place(log, log.streams[0]), limit)


@pytest.fixture
def facts(tmp_path):
    def of(data, limit=2_000_000):
        path = tmp_path / "a.npz"
        np.savez(path, **data)
        return look(path, limit)

    return of


@pytest.mark.parametrize("rows", [2, 3, 39, 40, 41, 161, 5000, 200_001])
def test_statistics_are_those_of_the_whole(facts, rows):
    rng = np.random.default_rng(rows)
    values = rng.normal(size=rows).round(1) + 5
    values[rng.random(rows) < 0.1] = np.nan
    values[-1] = 7.0
    seen = facts({"a": values, "b": np.arange(rows)})
    assert seen.rows == rows
    assert seen.complete
    found, good = seen.column("a"), values[np.isfinite(values)]
    assert (found.values, found.not_finite) == (good.size, rows - good.size)
    assert (found.low, found.high) == (good.min(), good.max())
    assert (found.first, found.last) == (good[0], 7.0)
    assert found.mean == pytest.approx(good.mean(), rel=1e-12)
    assert found.std == pytest.approx(good.std(), rel=1e-9, abs=1e-12)
    assert found.repeats == pytest.approx((np.diff(good) == 0).sum() / max(1, good.size - 1))
    if good.size > 2 and good.std() > 0:
        bends = np.sqrt((np.diff(good, 2) ** 2).mean())
        assert found.roughness == pytest.approx(bends / good.std(), rel=1e-9)
    track = found.track
    assert len(track.mean) == min(rows, BINS) or (rows > BINS and len(track.mean) == BINS)
    assert min(low for low in track.low if low is not None) == good.min()
    assert max(high for high in track.high if high is not None) == good.max()


def test_track_follows_the_values(facts):
    ramp = facts({"a": np.arange(100_000.0)}).column("a").track
    assert len(ramp.mean) == BINS
    assert list(ramp.mean) == sorted(ramp.mean)
    assert ramp.mean[0] == pytest.approx(100_000 / 80, rel=0.25)
    assert ramp.mean[-1] == pytest.approx(100_000 * 79 / 80, rel=0.02)


def test_only_so_many_rows(facts):
    seen = facts({"a": np.arange(1000.0)}, limit=300)
    assert (seen.rows, seen.complete, seen.column("a").last) == (300, False, 299.0)
    assert facts({"a": np.arange(300.0)}, limit=300).complete


def test_huge_values_do_no_harm(facts):
    found = facts({"a": np.array([1e308, -1e308, 1e308, 5.0] * 50)}).column("a")
    assert (found.low, found.high) == (-1e308, 1e308)
    assert found.std is None


def test_nothing_finite(facts):
    found = facts({"a": np.full(10, np.nan), "b": np.arange(10.0)}).column("a")
    assert (found.values, found.not_finite, found.low, found.track.mean) == (0, 10, None, ())


def test_text_columns_are_listed(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("kind,x\non,1\noff,2\n")
    seen = look(path)
    assert [(c.name, c.kind, c.values) for c in seen.columns] == [
        ("kind", Kind.TEXT, 0),
        ("x", Kind.FLOAT, 2),
    ]


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_lost_signs(facts, bits):
    small = np.array([0, 3, -5, 7, -2, 9] * 30)
    assert facts({"a": small % 2**bits}).column("a").lost_sign_bits == bits
    assert facts({"a": small}).column("a").lost_sign_bits is None
    assert facts({"a": np.abs(small)}).column("a").lost_sign_bits is None
    spread = np.linspace(0, 2**bits - 1, 200).astype(np.int64)
    assert facts({"a": spread}).column("a").lost_sign_bits is None


def test_times(facts):
    steps = np.full(9999, 0.004)
    steps[[100, 5000]] = 0.1
    steps[7000] = -0.5
    steps[8000] = 0.0
    seen = facts({"time": np.cumsum([5.0, *steps]), "noise": np.sin(np.arange(10000.0))})
    found = seen.column("time").time
    assert found.step == pytest.approx(0.004)
    assert (found.gaps, found.back, found.same) == (2, 1, 1)
    assert found.longest == pytest.approx(0.1)
    assert found.jitter < 1e-6
    assert found.rate_hz("s") == pytest.approx(250)
    assert seen.column("noise").time is None


@pytest.mark.parametrize(
    ("step", "units"),
    [(0.002, ["s"]), (1.0, ["ms"]), (20059.0, ["us"]), (8_000_000, ["ns"]), (2.0e9, [])],
)
def test_units_of_time_that_make_sense(facts, step, units):
    times = 1_000_000 + step * np.arange(5000)
    found = facts({"stamp": times}).column("stamp").time
    assert found.plausible_units() == units


def test_stamps_of_ns_stay_exact(facts):
    stamps = 1_700_000_000_000_000_000 + 1_000_001 * np.arange(6000)
    found = facts({"stamp": stamps}).column("stamp").time
    assert found.step == 1_000_001
    assert found.jitter == 0


def test_csv_like_arrays(tmp_path):
    data = {"t": np.arange(3000) / 500, "x": np.sin(np.arange(3000.0))}
    seen = look(write_csv(tmp_path / "a.csv", data))
    assert seen.rows == 3000
    assert seen.column("x").std == pytest.approx(data["x"].std(), rel=1e-8)
