"""Whatever columns are called and hold, inspection ends with a map that reads back."""

import json
import tomllib

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from robotid.cli.inspect_facts import answer_of_inspection
from robotid.cli.inspect_text import shown
from robotid.cli.text import visible
from robotid.ingestion.column_map import ColumnMap
from robotid.inspection.inspection import inspect_log
from robotid.robot.load import load_robot

PARTS = ("q", "pos", "vel", "tau", "cur", "temp", "time", "t", "joint", "panda_joint", "deg", "ms", "cmd",
         "filt", "base", "x", "1", "2", "07", "[0]", "[1]", "{n}", "{joint}", "_", ".", " ", "\x1b[0m", "é")  # fmt: skip
NAME = st.lists(st.sampled_from(PARTS), min_size=1, max_size=4).map("".join)
VALUES = {
    "ramp": lambda n: np.arange(n) * 0.01,
    "sine": lambda n: np.sin(np.arange(n) / 9),
    "zeros": np.zeros,
    "missing": lambda n: np.full(n, np.nan),
    "huge": lambda n: np.where(np.arange(n) % 2, 1.7e308, -1.7e308),
    "whole": lambda n: np.arange(n) % 7 * 9000,
    "truth": lambda n: np.arange(n) % 2 == 0,
    "table": lambda n: np.column_stack([np.sin(np.arange(n) / 5), np.cos(np.arange(n) / 5)]),
}
PANDA = load_robot("panda").tree
LOG = st.dictionaries(NAME, st.sampled_from(sorted(VALUES)), min_size=1, max_size=9)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(LOG, st.sampled_from([3, 50, 400]), st.booleans())
def test_any_names(tmp_path_factory, log, rows, with_robot):
    path = tmp_path_factory.mktemp("any") / "log.npz"
    np.savez(path, **{name: VALUES[kind](rows) for name, kind in log.items() if name != "file"})
    found = inspect_log(path, PANDA if with_robot else None)
    assert ColumnMap.model_validate(tomllib.loads(found.text)) == found.proposal.columns
    answer = answer_of_inspection(found, found.findings, None)
    assert json.loads(json.dumps(answer.model_dump(mode="json"), allow_nan=False))
    assert all(visible(line) for line in shown(found) if line)
    for stream in found.streams:
        assert stream.rows == rows
        for column in stream.columns:
            assert column.values + column.not_finite == rows
