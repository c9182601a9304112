"""Excerpts are bounded, spread over all recordings, free of gaps, and the same every time."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotid.contracts.dataset import DatasetIndex
from robotid.contracts.fit import RESIDUALS
from robotid.contracts.recording import (
    FilterFacts,
    Joint,
    RecordingFacts,
    RecordingWriter,
    read_recording,
    read_stretches,
)
from robotid.contracts.residuals import read_residuals, write_residuals
from robotid.contracts.splits import Interval
from robotid.errors import BadDataError
from robotid.evaluation.excerpts import excerpt, spread
from robotid.evaluation.whiteness import whiteness_of_joints
from tests.reference_models import random_tree

JOINTS = ("a", "b")
RATE = 100.0
_TREE = random_tree(0, bodies=2, floating=False)
ROBOT = replace(
    _TREE, joints=tuple(j._replace(name=n) for j, n in zip(_TREE.joints, JOINTS, strict=True))
)


def torque(q, qd, qdd):
    return 2.0 * qdd + 0.5 * qd + np.sin(q)


def write(folder, name, samples, *, gap_at=None, seed=0, warm=()):
    """A recording of both joints in row groups of 65536 rows; noise of 0.1 N m."""
    rng = np.random.default_rng(seed)
    t = np.arange(samples) / RATE
    if gap_at is not None:
        t[gap_at:] += 3.0
    columns = {"t": np.round(t * 1e9).astype(np.int64)}
    for k, joint in enumerate(JOINTS):
        w = 1.0 + k
        columns |= {f"q.{joint}": np.sin(w * t), f"qd.{joint}": w * np.cos(w * t)}
        columns[f"qdd.{joint}"] = -w * w * np.sin(w * t)
        clean = torque(*(columns[f"{s}.{joint}"] for s in ("q", "qd", "qdd")))
        columns[f"tau.{joint}"] = clean + 0.1 * rng.normal(size=samples)
        if joint in warm:
            columns[f"temperature.{joint}"] = 30.0 + t
    facts = RecordingFacts(
        joints=[Joint(name=joint) for joint in reversed(JOINTS)],
        source_sha256="0" * 64,
        rate_hz=RATE,
        duration_s=float(t[-1]),
        samples=samples,
    )
    with RecordingWriter(folder) as writer:
        for begin in range(0, samples, 16384):
            writer.write({key: x[begin : begin + 16384] for key, x in columns.items()})
        writer.finish(facts)
    (folder / "recording.parquet").rename(folder / f"{name}.parquet")
    return facts


def dataset(folder, recordings, splits, intervals=None):
    return DatasetIndex(
        joints=[Joint(name=joint) for joint in JOINTS],
        recordings=recordings,
        splits=splits,
        intervals=intervals or {},
    )


@given(
    counts=st.lists(st.integers(1, 10**8), min_size=1, max_size=30),
    most=st.integers(100, 50_000),
)
def test_windows_are_bounded_and_inside(counts, most):
    named = {f"r{i}": count for i, count in enumerate(counts)}
    found = spread(named, most)
    assert list(found) == list(named)
    total = 0
    for name, stretches in found.items():
        assert stretches, "every recording has its part"
        assert stretches[0][0] >= 0
        assert stretches[-1][1] <= named[name]
        for (_, before), (after, _) in pairwise(stretches):
            assert before <= after
        total += sum(end - begin for begin, end in stretches)
    assert total <= most
    if sum(counts) <= most:
        assert total == sum(counts)
    else:
        assert total > 0.9 * most - 30


def test_rows_are_those_of_the_recording(tmp_path):
    write(tmp_path, "r", 200_000)
    path = tmp_path / "r.parquet"
    assert pq.ParquetFile(path).num_row_groups > 2
    columns, _ = read_recording(path)
    stretches = [(0, 10), (20, 30), (65_530, 65_550), (199_990, 200_000), (10_000, 140_000)]
    for (begin, end), rows in zip(
        stretches, read_stretches(path, ["t", "tau.b"], stretches), strict=True
    ):
        for name in ("t", "tau.b"):
            np.testing.assert_array_equal(rows[name], columns[name][begin:end])
    with pytest.raises(ValueError, match="rows 5 to 200001"):
        list(read_stretches(path, ["t"], [(5, 200_001)]))


def test_row_groups_are_read_once_for_stretches_within(tmp_path, monkeypatch):
    write(tmp_path, "r", 200_000)
    groups, read = [], pq.ParquetFile.read_row_groups
    monkeypatch.setattr(
        pq.ParquetFile,
        "read_row_groups",
        lambda file, wanted, *more, **keys: (
            groups.append(wanted) or read(file, wanted, *more, **keys)
        ),
    )
    stretches = [(0, 10), (100, 200), (70_000, 70_010), (80_000, 80_010)]
    assert len(list(read_stretches(tmp_path / "r.parquet", ["t"], stretches))) == 4
    assert groups == [[0], [1]]


def test_row_groups_that_are_not_needed_are_not_read(tmp_path):
    """Bytes in the middle of a long recording may be damaged: nobody looks at them."""
    write(tmp_path, "r", 300_000)
    path = tmp_path / "r.parquet"
    group = pq.ParquetFile(path).metadata.row_group(1)
    begin = min(group.column(i).data_page_offset for i in range(group.num_columns))
    data = bytearray(path.read_bytes())
    data[begin : begin + 4096] = bytes(4096)
    path.write_bytes(data)
    assert len(list(read_stretches(path, ["t", "q.a"], [(0, 100), (250_000, 250_100)]))) == 2
    with pytest.raises(BadDataError, match="not a recording"):
        list(read_stretches(path, ["q.a", "q.b", "qd.a", "t"], [(0, 140_000)]))


def test_excerpt_of_recordings_comes_back_from_its_file(tmp_path):
    facts = {
        "long": write(tmp_path, "long", 150_000),
        "short": write(tmp_path, "short", 1000, gap_at=400, seed=1),
    }
    index = dataset(tmp_path, facts, {"long": "train", "short": "test"})
    found = excerpt(tmp_path, index, ROBOT, torque)
    assert found.joints == JOINTS
    assert [w.t.size for w in found.windows if w.recording == "short"] == [400, 600]
    long = [w for w in found.windows if w.recording == "long"]
    assert len(long) == 10
    assert 35_000 < sum(w.t.size for w in long) <= 39_000
    assert long[0].t[0] < 120.0
    assert long[-1].t[-1] > 1380.0
    for window in found.windows:
        np.testing.assert_allclose(np.diff(window.t), 1 / RATE, rtol=1e-6)
        assert np.std(window.tau - window.predicted) == pytest.approx(0.1, rel=0.15)
    write_residuals(tmp_path, found)
    first = (tmp_path / RESIDUALS).read_bytes()
    again = read_residuals(tmp_path)
    assert again.joints == JOINTS
    for one, other in zip(again.windows, found.windows, strict=True):
        assert (one.recording, one.split) == (other.recording, other.split)
        for name in ("t", "tau", "predicted"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        np.testing.assert_allclose(one.qdd, other.qdd, rtol=1e-6, atol=1e-9)
    write_residuals(tmp_path, excerpt(tmp_path, index, ROBOT, torque))
    assert (tmp_path / RESIDUALS).read_bytes() == first


def test_a_recording_that_was_cut_is_in_two_splits(tmp_path):
    facts = {"r": write(tmp_path, "r", 3000)}
    parts = [
        Interval(split="train", start_s=0.0, end_s=19.995),
        Interval(split="test", start_s=22.0, end_s=30.0),
    ]
    found = excerpt(tmp_path, dataset(tmp_path, facts, {"r": "train"}, {"r": parts}), ROBOT, torque)
    assert [(w.split, w.t.size) for w in found.windows] == [("train", 2000), ("test", 800)]
    assert found.windows[1].t[0] == 22.0


def test_temperatures_are_there_where_a_recording_has_them(tmp_path):
    facts = {"r": write(tmp_path, "r", 400, warm=["b"]), "s": write(tmp_path, "s", 400)}
    index = dataset(tmp_path, facts, {"r": "train", "s": "test"})
    write_residuals(tmp_path, excerpt(tmp_path, index, ROBOT, torque))
    warm, cold = read_residuals(tmp_path).windows
    at = JOINTS.index("b")
    np.testing.assert_allclose(warm.temperature[:, at], 30.0 + warm.t, rtol=1e-6)
    assert np.isnan(warm.temperature[:, 1 - at]).all()
    assert np.isnan(cold.temperature).all()
    alone = dataset(tmp_path, {"s": facts["s"]}, {"s": "test"})
    assert excerpt(tmp_path, alone, ROBOT, torque).windows[0].temperature is None


def test_damaged_and_foreign_residuals_are_refused(tmp_path):
    with pytest.raises(BadDataError, match="not residuals"):
        read_residuals(tmp_path)
    write(tmp_path, "r", 100)
    (tmp_path / "r.parquet").rename(tmp_path / RESIDUALS)
    with pytest.raises(BadDataError, match="not residuals"):
        read_residuals(tmp_path)


def test_an_excerpt_of_nothing_is_empty(tmp_path):
    facts = {"r": write(tmp_path, "r", 20)}
    found = excerpt(tmp_path, dataset(tmp_path, facts, {"r": "train"}), ROBOT, torque)
    write_residuals(tmp_path, found)
    assert read_residuals(tmp_path) == found
    assert whiteness_of_joints(found, facts, 20) == ({}, {}, [])


def test_whiteness_of_every_joint_from_an_excerpt(tmp_path):
    """The noise is white, and never was filtered; a claimed filter would not leave such noise."""
    facts = {"r": write(tmp_path, "r", 20_000), "s": write(tmp_path, "s", 2000, seed=1)}
    index = dataset(tmp_path, facts, {"r": "train", "s": "test"})
    found = excerpt(tmp_path, index, ROBOT, torque)
    result, autocorrelation, notices = whiteness_of_joints(found, facts, 20_000)
    assert notices == []
    assert list(result) == list(JOINTS)
    for joint in JOINTS:
        assert result[joint].white
        assert result[joint].share > 0.8
        assert autocorrelation[joint].value[0] == 1.0
        assert np.abs(autocorrelation[joint].value[1:]).max() < autocorrelation[joint].band[1]
    off = excerpt(tmp_path, index, ROBOT, lambda q, qd, qdd: torque(q, qd, qdd) + 0.2 * np.sign(qd))
    notices = whiteness_of_joints(off, facts, 20_000).notices
    assert {(notice.code, notice.joint) for notice in notices} >= {
        ("residual-friction", "a"),
        ("residual-friction", "b"),
    }
    filtered = FilterFacts(cutoff_hz=5.0, order=4, memory_s=1.0, trimmed=0)
    claimed = {name: one.model_copy(update={"filter": filtered}) for name, one in facts.items()}
    assert whiteness_of_joints(found, claimed, 20_000).whiteness["a"].share < 0.12
