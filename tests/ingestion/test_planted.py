"""Recordings with a planted defect, many of them: each is answered with its code, none silently.

`ROBOTID_MUTATIONS` sets how many are tried, as in tests/logs/test_damage.py.
"""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotid.contracts.recording import read_recording
from robotid.errors import RobotidError
from robotid.ingestion.column_map import ColumnMap
from robotid.ingestion.options import IngestOptions
from robotid.ingestion.recording import ingest_recording
from tests.many import many

MANY = many()
MAP = ColumnMap.model_validate(
    {
        "time": {"column": "stamp", "unit": "ns"},
        "q": {"columns": "p{n}"},
        "tau": {"columns": "e{n}"},
    }
)


class Defect(NamedTuple):
    """What was done to a recording, and how it must be answered."""

    code: str
    refused: bool
    lost: int = 0  # samples that are not in the result


def recording(rng, rows):
    """Stamps of epoch ns every 2 ms with jitter, two joints."""
    t = np.arange(rows) * 2_000_000 + rng.integers(-50_000, 50_000, rows)
    s = np.arange(rows) / 500
    return {
        "stamp": 1_700_000_000_000_000_000 + t,
        **{f"p{k}": np.sin((60 + 9 * k) * s + rng.normal()) for k in (1, 2)},
        **{f"e{k}": rng.normal(size=rows) for k in (1, 2)},
    }


def repeat(log, at, rng):
    order = np.sort([*range(len(log["stamp"])), at])
    return {name: values[order] for name, values in log.items()}, Defect("repeated-sample", False)


def same_time(log, at, rng):
    log["stamp"][at] = log["stamp"][at - 1]
    return log, Defect("duplicate-times", True)


def swap(log, at, rng):
    other = at + int(rng.integers(1, 6))
    order = np.arange(len(log["stamp"]))
    order[[at, other]] = order[[other, at]]
    return {name: values[order] for name, values in log.items()}, Defect("out-of-order", True)


def set_back(log, at, rng):
    log["stamp"][at:] -= int(rng.integers(10**10, 10**15))
    return log, Defect("clock-set", False)


def leap(log, at, rng):
    log["stamp"][at:] += int(rng.integers(10**14, 10**17))
    return log, Defect("clock-set", False)


def gap(log, at, rng):
    log["stamp"][at:] += int(rng.integers(10**8, 10**12))
    return log, Defect("gap", False)


def zeros(log, at, rng):
    count = int(rng.integers(1, 9))
    log["stamp"][:count] = 0
    return log, Defect("before-clock-set", False, count)


def hole(log, at, rng):
    name = str(rng.choice(["p1", "p2", "e1", "e2"]))
    log[name][at] = rng.choice([np.nan, np.inf, -np.inf])
    return log, Defect("missing-values", False)


def dead(log, at, rng):
    log[str(rng.choice(["p1", "e2"]))][:] = np.nan
    return log, Defect("no-values", True)


def still(log, at, rng):
    log["stamp"][:] = log["stamp"][0]
    return log, Defect("constant-time", True)


def slow(log, at, rng):
    log["stamp"] *= 1000
    log["stamp"] //= int(rng.choice([1, 2]))
    return log, Defect("odd-rate", True)


def nothing(log, at, rng):
    return log, Defect("", False)


PLANTED = (
    *(nothing, repeat, same_time, swap, set_back, leap, gap),
    *(zeros, hole, dead, still, slow),
)


@MANY
@given(seed=st.integers(0, 2**32 - 1), rows=st.integers(120, 700))
@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_planted_defects(tmp_path_factory, plant, seed, rows):
    rng = np.random.default_rng(seed)
    clean = recording(rng, rows)
    log, defect = plant(
        {name: values.copy() for name, values in clean.items()},
        int(rng.integers(40, rows - 50)),
        rng,
    )
    folder = tmp_path_factory.mktemp("planted")
    path = folder / "log.npz"
    np.savez(path, **log)
    if defect.refused:
        with pytest.raises(RobotidError) as error:
            ingest_recording(path, "0", MAP, None, IngestOptions(), folder)
        assert error.value.notice.code == defect.code
        assert error.value.notice.file is not None
        return
    notices = ingest_recording(path, "0", MAP, None, IngestOptions(), folder)
    codes = {notice.code for notice in notices} - {"missing-samples"}
    assert codes == ({defect.code} if defect.code else set())
    columns, facts = read_recording(folder / "recording.parquet")
    assert facts.samples == rows - defect.lost
    assert (np.diff(columns["t"]) > 0).all()
    if plant is not hole:
        np.testing.assert_array_equal(columns["q.joint2"], clean["p2"][defect.lost :])
    assert len(set(columns["segment"].tolist())) == 1 + (defect.code in ("clock-set", "gap"))
