"""The cut-off chosen from the data, where bandwidth and noise are known."""

import numpy as np
import pytest

from robotid.errors import BadDataError
from robotid.signals.findings import findings_of
from tests.signals.signals import RATE, columns_of, rms, run_filter

T = np.arange(0, 60, 1 / RATE)


def band(top_hz, seed=0):
    """A random motion of harmonics of 0.1 Hz up to a frequency: q, qd, qdd."""
    rng = np.random.default_rng(seed)
    w = 2 * np.pi * np.arange(0.1, top_hz + 0.05, 0.1)
    a, p = rng.normal(size=w.size) / w, rng.uniform(0, 2 * np.pi, w.size)
    phase = np.multiply.outer(T, w) + p
    return np.sin(phase) @ a, np.cos(phase) @ (a * w), -np.sin(phase) @ (a * w * w)


@pytest.mark.parametrize("top_hz", [1.0, 4.0])
@pytest.mark.parametrize("kind", ["position", "velocity"])
def test_choice_is_close_to_the_best_there_is(top_hz, kind):
    """Above the band, and with an error of acceleration close to that of the best cut-off."""
    rng = np.random.default_rng(1)
    q, qd, qdd = band(top_hz)
    columns = columns_of(T, q_a=q + rng.normal(0, 3e-4, T.size))
    if kind == "velocity":
        columns["qd.a"] = qd + rng.normal(0, 3e-2, T.size)

    def error(**options):
        rows, done = run_filter(columns, **options)
        truth = np.interp(rows["t"] / 1e9, T, qdd)
        return rms(rows["qdd.a"] - truth) / rms(qdd), done

    chosen, done = error(cutoff_hz="auto")
    others = [error(cutoff_hz=float(c))[0] for c in np.geomspace(0.7 * top_hz, 40, 16)]
    assert top_hz < done.cutoff_hz < 8 * top_hz
    # The curve is flat near its minimum; spectra of 60 s know it to some 20 %.
    assert chosen < 1.3 * min(others)
    # The prediction is of the error's power.
    assert np.sqrt(done.choice.error.min()) == pytest.approx(chosen, rel=0.5)
    assert done.choice.residual["a"] == pytest.approx(1.0, abs=0.3)
    assert findings_of(done)[0].code == "cutoff-chosen"


def test_joints_share_a_cutoff_and_each_says_what_it_wants():
    rng = np.random.default_rng(2)
    slow, fast = band(0.8)[0], band(5.0, seed=3)[0]
    noise = rng.normal(0, 1e-4, (2, T.size))
    _, done = run_filter(columns_of(T, q_a=slow + noise[0], q_b=fast + noise[1]), cutoff_hz="auto")
    assert done.choice.by_joint["a"] < done.choice.by_joint["b"]
    assert set(done.cutoffs_hz) == {done.cutoff_hz}


def test_noise_that_was_filtered_before_is_noticed():
    rng = np.random.default_rng(4)
    noise = np.convolve(rng.normal(0, 1e-2, T.size), np.hanning(40) / 20, mode="same")
    _, done = run_filter(columns_of(T, q_a=band(1.0)[0] + noise), cutoff_hz="auto")
    (found,) = [n for n in findings_of(done) if n.code == "cutoff-chosen"]
    assert "filtered before" in (found.hint or "")


def test_nothing_but_noise():
    noise = np.random.default_rng(5).normal(size=T.size)
    with pytest.raises(BadDataError, match="no joint moves by more than its noise"):
        run_filter(columns_of(T, q_a=noise), cutoff_hz="auto")


def test_too_short_to_choose():
    with pytest.raises(BadDataError, match="long enough"):
        run_filter(columns_of(T[:50], q_a=T[:50]), cutoff_hz="auto")
