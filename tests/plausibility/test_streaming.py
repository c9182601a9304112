"""Findings do not depend on batches, memory not on length; wraps are undone while streaming."""

import tracemalloc

import numpy as np
import pytest

from robotid.errors import BadDataError
from robotid.plausibility.blocks import BLOCK_ROWS, KEPT_STRETCHES, STRETCH_ROWS
from robotid.plausibility.plausibility import Plausibility
from robotid.plausibility.unwrap import Unwrapper
from tests.plausibility.recordings import RATE, checked, recording


def damaged(rows):
    """A long recording with something of everything, repeated from a short one."""
    columns, joints, robot = recording("double_pendulum")
    repeats = -(-rows // len(columns["t"]))
    long = {name: np.tile(values, repeats)[:rows] for name, values in columns.items()}
    long["t"] = np.arange(rows, dtype=np.int64) * 4_000_000
    long["segment"] = np.arange(rows, dtype=np.int64) // len(columns["t"])
    first, second = (joint.name for joint in joints)
    np.minimum(
        long[f"tau.{first}"], np.quantile(long[f"tau.{first}"], 0.97), out=long[f"tau.{first}"]
    )
    long[f"qd.{second}"][5::997] = 60.0
    long[f"q.{second}"][11::301] = np.nan
    start = 2 * BLOCK_ROWS - 60  # across the edge of a block
    long[f"tau.{second}"][start : start + 120] = long[f"tau.{second}"][start]
    return long, joints, robot


@pytest.mark.parametrize("batch", [7, 1000, BLOCK_ROWS, 30000])
def test_findings_do_not_depend_on_batches(batch):
    columns, joints, robot = damaged(2 * BLOCK_ROWS + 300)
    whole = checked(columns, joints, robot)
    cut = checked(columns, joints, robot, batch=batch)
    assert cut.findings() == whole.findings()
    assert cut.intervals() == whole.intervals()
    codes = {finding.notice.code for finding in whole.findings()}
    assert {"saturated", "stuck", "spike"} <= codes


def test_b12_memory_does_not_grow_with_length():
    columns, joints, _ = damaged(20_000)
    names = [name for name in columns if name not in ("t", "segment")]
    checks = Plausibility(names, joints, None)
    kept = KEPT_STRETCHES * STRETCH_ROWS * (len(names) + 2) * 8
    tracemalloc.start()
    for number in range(25):
        shifted = dict(columns)
        shifted["t"] = columns["t"] + number * 80_000_000_000
        checks.push(shifted)
    assert checks.findings()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5 * kept


def test_empty_recording_has_no_findings():
    _, joints, robot = recording("double_pendulum")
    assert Plausibility(["q.a", "tau.a"], joints, robot).findings() == []


@pytest.mark.parametrize("batch", [1, 7, 5000])
def test_b84_wrapped_positions_are_unwrapped(batch):
    t = np.arange(5000) / RATE
    true = 20 * np.sin(0.5 * t)
    seen = np.mod(true, 2 * np.pi)
    seen[100:103] = np.nan
    columns = {
        "t": np.round(1e9 * t).astype(np.int64),
        "segment": (np.arange(5000) >= 2500).astype(np.int64),
        "q.a": seen,
    }
    unwrap = Unwrapper({"q.a": 2 * np.pi})
    parts = [
        unwrap.push({name: x[start : start + batch] for name, x in columns.items()})["q.a"]
        for start in range(0, 5000, batch)
    ]
    out = np.concatenate(parts)
    off = out - true
    for part in (off[:2500], off[2500:]):
        turns = part[np.isfinite(part)] / (2 * np.pi)
        np.testing.assert_allclose(turns, np.round(turns[0]), atol=1e-9)
    assert np.isnan(out[100:103]).all()
    jumps = np.abs(np.diff(seen[np.isfinite(seen)])) > np.pi
    inside = np.diff(columns["segment"][np.isfinite(seen)]) == 0
    assert unwrap.counts["q.a"] == np.count_nonzero(jumps & inside)


def test_b84_too_fast_to_unwrap_is_refused():
    seen = np.mod(np.arange(100) * 0.02, 2 * np.pi)
    seen[60:] += 3.0
    columns = {
        "t": np.arange(100, dtype=np.int64) * 10_000_000,
        "segment": np.zeros(100, np.int64),
        "q.arm": seen,
    }
    with pytest.raises(BadDataError) as error:
        Unwrapper({"q.arm": 2 * np.pi}, file="log.csv").push(columns)
    notice = error.value.notice
    assert (notice.code, notice.joint, notice.time) == ("ambiguous-wrap", "arm", 0.6)


def test_b84_what_does_not_wrap_is_left_alone():
    values = np.cumsum(np.full(1000, 0.03))
    columns = {
        "t": np.arange(1000, dtype=np.int64),
        "segment": np.zeros(1000, np.int64),
        "q.a": values,
    }
    unwrap = Unwrapper({"q.a": 2 * np.pi})
    np.testing.assert_array_equal(unwrap.push(columns)["q.a"], values)
    assert unwrap.counts == {"q.a": 0}
