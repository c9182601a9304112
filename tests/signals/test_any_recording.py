"""Whatever a recording and its options look like, only errors of robotid come out."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from robotid.errors import RobotidError
from tests.signals.signals import run_filter

STEPS = st.sampled_from([1, 999, 10_000_000, 10_000_001, 12_000_000, 25_000_000, 10**9, 10**17])
VALUES = st.sampled_from([0.0, 1.0, -3.5, 1e-300, 1e300, np.nan, np.inf, -np.inf])
COLUMNS = ["q.a", "qd.a", "tau.a", "q.b", "temperature.a", "base.pos.x", "x"]
OPTIONS = {
    "cutoff_hz": st.one_of(st.just("auto"), st.floats(1e-3, 1e5)),
    "cutoff_is": st.sampled_from(["design", "effective"]),
    "order": st.integers(1, 12),
    "velocity": st.sampled_from(["log", "from-position"]),
    "acceleration": st.sampled_from(["central", "savitzky-golay", "spectral"]),
    "decimate": st.integers(1, 50),
    "gap_steps": st.floats(1.5, 100.0),
    "average_periods": st.booleans(),
}


@st.composite
def recordings(draw):
    """Mostly regular samples with odd steps and values strewn in."""
    n = draw(st.integers(0, 3000))
    steps = np.full(n, 10_000_000, dtype=np.int64)
    for where, step in draw(st.lists(st.tuples(st.integers(0, 2999), STEPS), max_size=6)):
        steps[where : where + 1] = step
    if draw(st.booleans()):
        steps[draw(st.integers(0, 2999)) :][:1] = -5
    with np.errstate(over="ignore"):
        t = np.cumsum(steps % 10**16)
    columns = {"t": t}
    for name in draw(st.sets(st.sampled_from(COLUMNS), min_size=1)):
        values = np.sin(np.arange(n) * draw(st.floats(0.0, 3.0)))
        for where, value in draw(st.lists(st.tuples(st.integers(0, 2999), VALUES), max_size=4)):
            values[where : where + 1] = value
        columns[name] = values
    return columns


@settings(max_examples=150, deadline=None)
@given(recordings(), st.fixed_dictionaries({}, optional=OPTIONS), st.integers(50, 4000))
def test_only_robotid_errors_escape(columns, options, batch):
    try:
        with np.errstate(all="ignore"):
            rows, done = run_filter(columns, batch=batch, **options)
    except (RobotidError, ValidationError):
        return
    if not rows:
        return
    assert rows["t"].size == done.samples
    assert (np.diff(rows["t"]) > 0).all()
    limit = max(np.abs(v[np.isfinite(v)]).max(initial=0) for k, v in columns.items() if k != "t")
    if limit < 1e200:  # squares of larger ones are infinite
        assert all(np.isfinite(values).all() for values in rows.values())
