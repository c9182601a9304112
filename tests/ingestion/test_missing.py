"""Samples without values: marked, filled on request, refused where there are too many."""

import numpy as np
import pytest

from robotid.errors import BadDataError
from robotid.ingestion.missing import Missing


def test_b71_missing_values_are_marked_never_filled(ingest, motion):
    motion["q.a"][[40, 41]] = np.nan
    motion["tau.a"][100] = np.inf
    done = ingest(motion)
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(done.columns["q.a"])), [40, 41])
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(done.columns["tau.a"])), [100])
    assert done.facts.missing == {"q.a": 2, "tau.a": 1}
    first = next(n for n in done.notices if n.joint == "a")
    assert (first.code, first.time) == ("missing-values", pytest.approx(0.40))


def test_b71_short_holes_are_filled_on_request(ingest, motion):
    truth = motion["q.a"].copy()
    motion["q.a"][[40, 41, 90, 91, 92, 93]] = np.nan
    done = ingest(motion, fill=2)
    np.testing.assert_allclose(
        done.columns["q.a"][[40, 41]], np.interp([40, 41], [39, 42], truth[[39, 42]])
    )
    assert np.isnan(done.columns["q.a"][90:94]).all()
    assert "filled-values" in done.codes


def test_b72_velocities_without_any_value(ingest, motion):
    motion["qd.a"][:] = np.nan
    done = ingest(motion)
    assert "qd.a" not in done.columns
    assert "no-values" in done.codes
    motion["tau.a"][:] = np.nan
    with pytest.raises(BadDataError) as error:
        ingest(motion)
    assert (error.value.notice.code, error.value.notice.joint) == ("no-values", "a")


def test_b73_too_many_missing(ingest, motion):
    motion["tau.a"][50:70] = np.inf
    with pytest.raises(BadDataError) as error:
        ingest(motion)
    assert error.value.notice.code == "missing-values"
    assert "10%" in error.value.notice.message
    assert ingest(motion, accept=("missing-values",)).facts.missing == {"tau.a": 20}


def test_filling_does_not_depend_on_batches():
    rng = np.random.default_rng(5)
    n = 400
    values = rng.normal(size=n)
    values[rng.random(n) < 0.3] = np.nan
    rows = {
        "t": np.arange(n) * 1000,
        "segment": np.cumsum(rng.random(n) < 0.02),
        "x": values,
    }

    def through(bounds):
        missing = Missing(["x"], 3, "log")
        parts = [
            missing.put({name: column[a:b] for name, column in rows.items()})["x"]
            for a, b in zip([0, *bounds], [*bounds, n], strict=True)
        ]
        return np.concatenate([*parts, missing.end()["x"]]), missing

    whole, found = through([])
    pieces, in_pieces = through([1, 2, 7, 50, 51, 52, 200, 399])
    np.testing.assert_array_equal(whole, pieces)
    assert found.counts == in_pieces.counts
    assert found.filled == in_pieces.filled > 20
    kept = ~np.isnan(values)
    np.testing.assert_array_equal(whole[kept], values[kept])


@pytest.mark.parametrize("value", [1e300, -1e300, 3.4028234663852886e38])
def test_values_as_good_as_infinite_are_missing(ingest, motion, value):
    motion["tau.a"][50] = value
    done = ingest(motion)
    assert np.isnan(done.columns["tau.a"][50])
    assert done.facts.missing == {"tau.a": 1}


def test_signal_that_comes_late_is_not_said_to_be_absent():
    rows = {"t": np.arange(4), "segment": np.zeros(4, int), "q.a": np.ones(4)}
    missing = Missing(["q.a", "qd.a"], 0, "log")
    missing.put({**rows, "qd.a": np.full(4, np.nan)})
    with pytest.raises(BadDataError, match=r"qd\.a has no value before"):
        missing.put({**rows, "qd.a": np.array([np.nan, np.nan, 1.0, 1.0])})
