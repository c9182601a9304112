"""Filtering and differentiation of recordings against analytic truth."""

import numpy as np
import pytest

from robotid.errors import BadDataError, ConfigError
from robotid.signals.findings import findings_of
from tests.signals.signals import RATE, columns_of, rms, run_filter

T = np.arange(0, 20, 1 / RATE)
TONES = ((0.3, 1.0, 0.2), (1.1, 0.4, 1.0), (2.3, 0.1, 2.0))  # Hz, amplitude, phase


def motion(t, tones=TONES):
    """Position, velocity and acceleration of a sum of sines."""
    w = [2 * np.pi * f for f, _, _ in tones]
    q = sum(a * np.sin(x * t + p) for x, (_, a, p) in zip(w, tones, strict=True))
    qd = sum(a * x * np.cos(x * t + p) for x, (_, a, p) in zip(w, tones, strict=True))
    qdd = sum(-a * x * x * np.sin(x * t + p) for x, (_, a, p) in zip(w, tones, strict=True))
    return q, qd, qdd


def seconds(rows):
    return rows["t"] / 1e9


@pytest.mark.parametrize("method", ["central", "savitzky-golay", "spectral"])
@pytest.mark.parametrize("velocity", ["log", "from-position"])
def test_amplitude_and_phase_of_sums_of_sines(method, velocity):
    """No delay and the gain of both passes, 1 / (1 + (f/fc)^8) but for warping: 1e-4 is left over
    from the ends (times w for each derivative), central differences of 2.3 Hz lack 1.4e-4.
    """
    q, qd, _ = motion(T)
    rows, _ = run_filter(
        columns_of(T, q_a=q, qd_a=qd, tau_a=q),
        cutoff_hz=10.0,
        velocity=velocity,
        acceleration=method,
    )
    tones = [(f, a / (1 + (f / 10.0) ** 8), p) for f, a, p in TONES]
    expected = motion(seconds(rows), tones)
    for name, truth in zip(("q.a", "qd.a", "qdd.a"), expected, strict=True):
        np.testing.assert_allclose(rows[name], truth, atol=6e-4 * np.abs(truth).max())
    np.testing.assert_array_equal(rows["tau.a"], rows["q.a"])


def test_n09_acceleration_of_noisy_positions():
    """Within 1 % of the truth where the naive double difference is useless; the SNR says so."""
    rng = np.random.default_rng(0)
    q, _, _ = motion(T)
    noisy = q + rng.normal(0, 1e-4, T.size)
    rows, done = run_filter(columns_of(T, q_a=noisy), cutoff_hz=6.0)
    truth = motion(seconds(rows))[2]
    error = rms(rows["qdd.a"] - truth) / rms(truth)
    naive = np.gradient(np.gradient(noisy, 1 / RATE), 1 / RATE)
    naive_error = rms(naive - motion(T)[2]) / rms(truth)
    assert error < 0.01
    assert naive_error > 20 * error
    # Noise alone, without the motion, is what the SNR is about.
    rows, _ = run_filter(columns_of(T, q_a=noisy - q), cutoff_hz=6.0)
    expected = 20 * np.log10(rms(truth) / rms(rows["qdd.a"]))
    assert done.snr_db["a"] == pytest.approx(expected, abs=2.0)


def test_n09_noisy_acceleration_is_said():
    rng = np.random.default_rng(0)
    q = motion(T)[0] + rng.normal(0, 0.02, T.size)
    _, done = run_filter(columns_of(T, q_a=q), cutoff_hz=60.0)
    (found,) = [n for n in findings_of(done) if n.code == "noisy-acceleration"]
    assert "dB" in found.message


def test_n04_ends_are_trimmed_and_counted():
    """Errors of acceleration are far larger in what is cut off than in what is kept."""
    q, qd, _ = motion(T)
    rows, done = run_filter(columns_of(T, q_a=q, qd_a=qd), cutoff_hz=5.0)
    assert done.trimmed == 2 * done.settled
    assert done.trimmed + done.samples == T.size
    assert seconds(rows)[0] == pytest.approx(done.settled / RATE)
    tones = [(f, a / (1 + (f / 5.0) ** 8), p) for f, a, p in TONES]
    error = np.abs(rows["qdd.a"] - motion(seconds(rows), tones)[2])
    assert error.max() < 2e-3 * np.abs(motion(T)[2]).max()


@pytest.mark.parametrize("batch", [100, 3333])
@pytest.mark.parametrize("threads", [1, 3])
def test_r25_batches_and_threads_change_no_bit(batch, threads):
    rng = np.random.default_rng(3)
    t = np.delete(T + rng.uniform(-3e-4, 3e-4, T.size), [700, 701, 702, 703])
    q, qd, _ = motion(t)
    q[5000] = np.nan
    columns = columns_of(t, q_a=q, qd_a=qd, q_b=qd, tau_a=q)
    same, _ = run_filter(columns, batch=10**6, threads=1)
    rows, _ = run_filter(columns, batch=batch, threads=threads)
    for name, values in same.items():
        np.testing.assert_array_equal(rows[name], values)


def test_n06_nan_splits_and_never_spreads():
    q, _, _ = motion(T)
    broken = q.copy()
    broken[[4000, 4001, 7000]] = [np.nan, np.inf, -np.inf]
    rows, done = run_filter(columns_of(T, q_a=broken, tau_a=q))
    assert all(np.isfinite(values).all() for values in rows.values())
    assert set(rows["segment"]) == {0, 1, 2}
    assert done.dropped == 3
    (found,) = [n for n in findings_of(done) if n.code == "not-finite"]
    assert found.effect == "data-lost"
    assert found.time == pytest.approx(8.0)
    assert "q.a (3)" in found.message
    # The first stretch is what it would be if the recording ended there.
    alone, _ = run_filter(columns_of(T[:4000], q_a=q[:4000], tau_a=q[:4000]))
    first = rows["qdd.a"][rows["segment"] == 0]
    np.testing.assert_allclose(first, alone["qdd.a"], atol=1e-9)


def test_n06_channel_without_any_value():
    q, _, _ = motion(T)
    rows, done = run_filter(columns_of(T, q_a=q, tau_a=np.full(T.size, np.nan)))
    assert rows == {}
    assert done.not_finite == {"tau.a": T.size}


def recording(*pieces):
    """A sine recorded at 200 Hz over the given spans [s], position only."""
    t = np.concatenate([np.arange(start, end, 0.005) for start, end in pieces])
    return columns_of(t, q_a=np.sin(2 * t), tau_a=np.cos(2 * t))


def test_n05_nothing_is_filtered_across_a_gap():
    """Two stretches give what each gives alone; a short one is left out and counted."""
    both, done = run_filter(recording((0, 10), (30, 41), (50, 51)))
    assert set(both["segment"]) == {0, 1}
    for segment, span in enumerate([(0, 10), (30, 41)]):
        alone, _ = run_filter(recording(span))
        np.testing.assert_allclose(
            both["qdd.a"][both["segment"] == segment], alone["qdd.a"], atol=1e-9
        )
    assert done.left_out == [(50.0, 200)]
    assert [n.time for n in findings_of(done) if n.code == "segment-too-short"] == [50.0]


def test_n05_segments_of_the_log_stay_apart():
    columns = recording((0, 20))
    columns["segment"] = np.repeat([3, 4], 2000)
    rows, done = run_filter(columns)
    assert done.stretches == 2
    assert np.abs(np.diff(rows["t"])).max() > 100e6


def test_r31_many_short_stretches_are_said_in_six_lines():
    _, done = run_filter(recording((0, 10), *((20 + 2 * k, 20.5 + 2 * k) for k in range(9))))
    found = [n for n in findings_of(done) if n.code == "segment-too-short"]
    assert len(found) == 6
    assert "4 more stretches" in found[-1].message


def test_b06_recording_that_is_too_short():
    with pytest.raises(BadDataError, match=r"no stretch without a gap has \d+ samples"):
        run_filter(recording((0, 1)))


def test_stretch_sampled_faster_than_the_rest_may_become_too_short():
    """It has samples enough in the log, and too few on the grid."""
    t = np.concatenate([np.arange(0, 40, 0.005), 60 + np.arange(0, 2, 0.001)])
    _, done = run_filter(columns_of(t, q_a=np.sin(t)))
    assert done.left_out == [(60.0, 2000)]


def test_n01_cutoff_beyond_nyquist_of_the_recording():
    with pytest.raises(ConfigError, match=r"cutoff_hz 300 .* 250 Hz \(the recording has 500 "):
        run_filter(columns_of(T, q_a=np.sin(T)), cutoff_hz=300.0)


def test_n02_cutoff_is_in_hertz_whatever_the_rate():
    """The same motion at two rates, filtered at the same frequency, is the same."""
    found = []
    for rate in (200.0, 1000.0):
        t = np.arange(0, 20, 1 / rate)
        rows, _ = run_filter(columns_of(t, q_a=np.sin(2 * np.pi * 4 * t)), cutoff_hz=5.0)
        found.append(rms(rows["q.a"]))
    assert found[0] == pytest.approx(found[1], rel=2e-3)  # warping at 4 Hz of 200
    assert found[1] == pytest.approx(np.sqrt(0.5) / (1 + 0.8**8), rel=2e-3)


def test_n07_motion_and_torque_are_filtered_alike_or_it_is_said():
    q, qd, _ = motion(T)
    columns = columns_of(T, q_a=q, qd_a=qd, tau_a=q)
    _, same = run_filter(columns)
    assert set(same.cutoffs_hz) == {5.0}
    assert findings_of(same) == []
    rows, other = run_filter(columns, signal_cutoff=("tau=2.3",))
    assert dict(zip(other.signals.channels, other.cutoffs_hz, strict=True))["tau.a"] == 2.3
    assert [n.code for n in findings_of(other)] == ["filters-differ"]
    assert rms(rows["tau.a"]) < rms(rows["q.a"])
    with pytest.raises(ConfigError, match="no signal 'torque'"):
        run_filter(columns, signal_cutoff=("torque=3",))


def test_n08_decimation_keeps_the_signal_and_folds_nothing():
    """A tone above half the new rate must not come back as a slow one."""
    q, qd, _ = motion(T)
    high = np.sin(2 * np.pi * 47.0 * T)  # would be 3 Hz at 50 samples per second
    rows, done = run_filter(columns_of(T, q_a=q, qd_a=qd, tau_a=high), decimate=10)
    whole, _ = run_filter(columns_of(T, q_a=q, qd_a=qd, tau_a=high))
    for name, values in whole.items():
        np.testing.assert_array_equal(rows[name], values[::10])
    assert done.rates.grid_hz / done.rates.decimate == pytest.approx(50.0)
    assert np.abs(rows["tau.a"]).max() < 1e-4
    with pytest.raises(ConfigError, match="decimate by 21 at most"):
        run_filter(columns_of(T, q_a=q), decimate=30)


@pytest.mark.parametrize("rate_hz", [100.0, 96.0, 499.0])
def test_any_rate_below_that_of_the_log(rate_hz):
    q, qd, _ = motion(T)
    rows, _ = run_filter(columns_of(T, q_a=q, qd_a=qd), cutoff_hz=10.0, rate_hz=rate_hz)
    np.testing.assert_allclose(np.diff(rows["t"]), 1e9 / rate_hz, atol=1.01)
    truth = motion(seconds(rows))[2]
    np.testing.assert_allclose(rows["qdd.a"], truth, atol=2e-3 * np.abs(truth).max())


def test_rate_beyond_that_of_the_log():
    with pytest.raises(ConfigError, match="more than the recording has, 500 Hz"):
        run_filter(columns_of(T, q_a=T), rate_hz=600.0)


def test_effective_cutoff():
    _, done = run_filter(columns_of(T, q_a=np.sin(T)), cutoff_hz=5.0, cutoff_is="effective")
    assert done.effective_hz == pytest.approx(5.0)
    assert done.cutoff_hz == pytest.approx(5.0 / (np.sqrt(2) - 1) ** (1 / 8), rel=1e-3)


def test_n15_low_speed_share():
    """|cos(2 t)| 2 < 0.1 for a share 2/pi asin(0.05) of the time."""
    t = np.arange(0, 40 * np.pi, 0.002)
    _, done = run_filter(columns_of(t, q_a=np.sin(2 * t)), low_speed=0.1)
    assert done.low_speed["a"] == pytest.approx(2 / np.pi * np.arcsin(0.05), rel=0.02)


def test_joint_without_position_and_velocity():
    with pytest.raises(BadDataError, match="joint 'a' has no position"):
        run_filter(columns_of(T, qd_a=T), velocity="from-position")


def test_spectra_show_what_the_filter_did():
    rng = np.random.default_rng(0)
    q = motion(T)[0] + rng.normal(0, 1e-2, T.size)
    _, done = run_filter(columns_of(T, q_a=q), cutoff_hz=5.0)
    f, before = done.before.frequency_hz, done.before.density[0]
    after = done.after.density[done.signals.columns.index("q.a")]
    assert f.size <= 64
    assert before[f > 100].mean() == pytest.approx(2 * 1e-4 / RATE, rel=0.2)  # white noise
    assert after[f > 30].max() < 1e-6 * before[f > 30].max()
    strong = (before > 1e-2 * before.max()) & (f > 0.5)  # below, one block is too short
    np.testing.assert_allclose(after[strong], before[strong], rtol=0.1)
