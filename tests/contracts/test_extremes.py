"""Least and greatest values, from statistics of row groups, and from samples where need be."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from robotid.contracts.extremes import extremes
from robotid.contracts.recording import iterate_recording
from tests.evaluation.test_excerpts import RATE, write

COLUMNS = ("q.a", "tau.b")
EVER = (-np.inf, np.inf)


@pytest.fixture
def path(tmp_path):
    """Three row groups: 65536, 65536 and 18928 rows."""
    write(tmp_path, "r", 150_000)
    return tmp_path / "r.parquet"


def of_samples(path, stretches):
    (rows,) = iterate_recording(path, ["t", *COLUMNS], rows=10**6)
    t = rows["t"] / 1e9
    inside = np.logical_or.reduce([(a <= t) & (t <= b) for a, b in stretches])
    return {c: (rows[c][inside].min(), rows[c][inside].max()) for c in COLUMNS}


@pytest.mark.parametrize(
    "stretches",
    [
        [EVER],
        [(0.0, 65_535 / RATE)],  # the first group, and nothing else
        [(0.0, 70_000 / RATE)],
        [(10 / RATE, 500 / RATE), (140_000 / RATE, 140_100 / RATE)],
        [(65_536 / RATE, 131_071 / RATE)],
    ],
)
def test_extremes_are_those_of_the_samples(path, stretches):
    assert extremes(path, COLUMNS, stretches) == of_samples(path, stretches)


def test_groups_within_a_stretch_are_not_read(path):
    file = pq.ParquetFile(path)
    assert file.num_row_groups == 3
    data = bytearray(path.read_bytes())
    data[1000:2000] = bytes(1000)  # in the first group
    path.write_bytes(data)
    assert extremes(path, COLUMNS, [EVER])["q.a"] == pytest.approx((-1.0, 1.0), abs=1e-4)


def test_without_statistics_samples_are_read(path):
    wanted = of_samples(path, [EVER])
    table = pq.read_table(path)
    pq.write_table(table, path, write_statistics=False)
    assert extremes(path, COLUMNS, [EVER]) == wanted


def test_a_stretch_without_samples_has_none(path):
    assert extremes(path, COLUMNS, [(-5.0, -1.0)]) == {}
