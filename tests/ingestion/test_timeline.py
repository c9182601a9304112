"""How rows come in windows changes nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotid.errors import BadDataError
from robotid.ingestion.timeline import TimeLine, Window
from robotid.logs.findings import Findings


def through(raw, sizes, values):
    """Times, segments and rows when rows come in windows of these sizes."""
    findings = Findings("log")
    line = TimeLine("log", findings, 1, 3.0, frozenset({"out-of-order", "duplicate-times"}))
    out, waiting, started, at = [], np.empty(0, np.int64), False, 0
    bounds = [*np.cumsum(sizes), raw.size]
    for bound in bounds:
        end = min(int(bound), raw.size)
        waiting = np.concatenate([waiting, np.arange(at, end)])
        at = end
        final = end == raw.size
        if not started:
            if not final and waiting.size < 400:
                continue
            line.start(raw[:400], str)
            started = True
        rows = waiting

        def same(left, right, rows=rows):
            return values[rows[left]] == values[rows[right]]

        window = Window(raw[rows], np.zeros(rows.size, np.int64), same, str, final)
        timed = line.put(window)
        out.append((rows[timed.rows], timed.t, timed.segment))
        waiting = rows[timed.kept]
        if final:
            break
    joined = [np.concatenate(parts) for parts in zip(*out, strict=True)]
    return joined, {f.code: f.count for f in findings.all()}, line


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_windows_change_nothing(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n = 1500
    step = 10_000_000
    raw = np.arange(n) * step + rng.integers(-1000, 1000, n)
    values = rng.normal(size=n)
    for _ in range(data.draw(st.integers(0, 3))):  # gaps and clocks set back
        at = int(rng.integers(400, n - 50))
        raw[at:] += int(rng.choice([50 * step, -int(rng.integers(2000, 4000)) * step]))
    for _ in range(data.draw(st.integers(0, 3))):  # samples a little late
        at = int(rng.integers(450, n - 60))
        raw[[at, at + 3]] = raw[[at + 3, at]]
    for _ in range(data.draw(st.integers(0, 3))):  # repeats
        at = int(rng.integers(450, n - 60))
        raw[at + 1], values[at + 1] = raw[at], values[at]
    sizes = rng.integers(1, 300, 40)
    try:
        whole, found, line = through(raw, [], values)
    except BadDataError:  # late samples across a clock that was set
        with pytest.raises(BadDataError, match="samples late"):
            through(raw, sizes, values)
        return
    parts, found_in_parts, line_in_parts = through(raw, sizes, values)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one, other)
    assert set(found) == set(found_in_parts)
    assert (np.diff(whole[1]) > 0).all()
    assert (np.diff(whole[2]) >= 0).all()
    assert line.gaps == line_in_parts.gaps
    assert line.jitter == pytest.approx(line_in_parts.jitter, rel=1e-6)
