"""Every log other people recorded opens, lists its streams and gives its numbers."""

import os
from pathlib import Path

import numpy as np
import pytest

from robotid.logs.formats import open_log
from robotid.logs.log import Kind

FOLDER = os.environ.get("ROBOTID_REAL_LOGS")
LOGS = (".csv", ".mat", ".db3", ".json")
FOUND = (
    sorted(
        str(path.relative_to(FOLDER))
        for path in Path(FOLDER).rglob("*")
        if path.suffix in LOGS and not path.name.startswith("params_")
    )
    if FOLDER
    else []
)


@pytest.mark.skipif(not FOUND, reason="ROBOTID_REAL_LOGS is not set")
def test_there_are_real_logs():
    assert len(FOUND) > 30


@pytest.mark.parametrize("name", FOUND)
def test_real_log_is_read_in_full(name):
    with open_log(Path(FOLDER) / name) as log:
        stream = log.streams[0]
        numeric = [column.name for column in stream.columns if column.kind is not Kind.TEXT]
        rows = 0
        for batch in log.batches(stream.name, numeric):
            rows += batch.rows
            assert all(values.shape == (batch.rows,) for values in batch.columns.values())
            assert all(values.dtype in (np.float64, np.int64) for values in batch.columns.values())
        assert rows == (stream.rows or rows)
        assert rows >= 1
        assert [n for n in log.findings.notices() if n.effect != "none"] == []
