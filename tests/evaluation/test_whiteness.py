"""Filtered noise is quiet; what was planted in residuals is found and named."""

import numpy as np
import pytest
from scipy.signal import butter, sosfiltfilt

from robotid.contracts.recording import FilterFacts, Joint, RecordingFacts
from robotid.evaluation.correlation import correlation_in_time, shown
from robotid.evaluation.whiteness import JointWindow, whiteness
from robotid.signals.filtered_noise import FilteredNoise

RATE, CUTOFF, ORDER = 500.0, 5.0, 4
NOISE = FilteredNoise(RATE, CUTOFF, ORDER, RATE)
SECONDS, WINDOWS = 160, 20


def filtered(x):
    return sosfiltfilt(butter(ORDER, CUTOFF, fs=RATE, output="sos"), x, axis=0)


class Joint1:
    """One joint: 1 kg m² and gravity, viscous and Coulomb friction; all signals filtered alike."""

    def __init__(self, seed=0, noise=0.5, delay_s=0.0, stribeck=0.0, rotor=0.0):
        t = np.arange(int((SECONDS + 4) * RATE)) / RATE
        rng = np.random.default_rng(100)
        w = 2 * np.pi * np.array([0.1, 0.2, 0.3, 0.5, 0.7])
        a, b = rng.normal(scale=0.5, size=(2, 5))

        def motion(t):
            s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
            return (s / w) @ a - (c / w) @ b, c @ a + s @ b, -(s * w) @ a + (c * w) @ b

        def torque(q, qd, qdd):
            own = (1 + rotor) * qdd + 3 * np.sin(q) + 0.8 * qd + 0.5 * np.tanh(qd / 0.05)
            return own + stribeck * np.sign(qd) * np.exp(-((qd / 0.3) ** 2))

        q, qd, qdd = motion(t)
        tau = torque(*motion(t - delay_s))
        tau = tau + noise * np.random.default_rng(seed).normal(size=t.size)
        kept = slice(int(2 * RATE), -int(2 * RATE))
        self.q, self.qd, self.qdd, self.tau = (filtered(x)[kept] for x in (q, qd, qdd, tau))
        self.columns = np.column_stack(
            [filtered(x)[kept] for x in (qdd, np.sin(q), qd, np.tanh(qd / 0.05), np.ones_like(q))]
        )

    def windows(self, without=()):
        """Windows of the residuals of a fit, some columns left out."""
        W = np.delete(self.columns, list(without), axis=1)
        predicted = W @ np.linalg.lstsq(W, self.tau, rcond=None)[0]
        signals = (self.qd, self.qdd, self.tau, predicted)
        return [
            JointWindow(*part)
            for part in zip(*(np.split(x, WINDOWS) for x in signals), strict=True)
        ]


def judged(joint, **options):
    found, _, notices = whiteness("elbow", joint.windows(**options), NOISE, 10**6)
    return found, notices


def codes(notices):
    assert all(notice.joint == "elbow" and notice.hint for notice in notices)
    return {notice.code for notice in notices}


@pytest.mark.parametrize("seed", range(12))
def test_filtered_white_noise_is_quiet(seed):
    found, notices = judged(Joint1(seed))
    assert notices == []
    assert found.white
    assert found.share == pytest.approx(NOISE.share, rel=0.35)
    assert found.effective == found.share * 10**6
    assert 0.05 < found.lag_s < 1.0
    assert abs(found.with_velocity) < 0.2


def test_n29_correlated_errors_count_for_fewer_samples():
    """Noise of 0.2 Hz bandwidth is not what a filter of 5 Hz leaves."""
    joint = Joint1()
    slow = sosfiltfilt(
        butter(1, 0.2, fs=RATE, output="sos"), np.random.default_rng(1).normal(size=joint.tau.size)
    )
    joint.tau = joint.tau + 0.2 * slow / slow.std()
    found, notices = judged(joint)
    assert codes(notices) == {"residual-correlated"}
    assert not found.white
    assert found.share < 0.25 * NOISE.share


def test_planted_delay_is_found_with_its_size():
    _, notices = judged(Joint1(delay_s=0.03))
    (notice,) = [notice for notice in notices if notice.code == "residual-delay"]
    assert "later than the motion" in notice.message
    late_ms = float(notice.message.split("least ")[1].split(" ms")[0])
    assert 25 < late_ms < 33
    early = judged(Joint1(delay_s=-0.03))[1]
    assert any("earlier than the motion" in notice.message for notice in early)


def test_planted_stribeck_friction_is_found():
    """A fit has viscous and Coulomb friction, so no line over the velocity is left."""
    found, notices = judged(Joint1(stribeck=0.5, noise=0.3))
    assert "residual-friction" in codes(notices)
    assert "residual-delay" not in codes(notices)
    assert found.with_speed > 0.3
    assert abs(found.with_velocity) < 0.2
    assert not found.white


def test_missing_coulomb_friction_is_found():
    """Viscous friction takes most of it away, so there has to be little noise."""
    _, notices = judged(Joint1(noise=0.03), without=[3])
    assert "residual-friction" in codes(notices)


def test_hints_name_terms_that_the_joint_does_not_have():
    windows = Joint1(stribeck=0.5, noise=0.3).windows()

    def hint(*terms):
        notices = whiteness("elbow", windows, NOISE, 10**6, terms).notices
        return next(notice.hint for notice in notices if notice.code == "residual-friction")

    assert hint("viscous") == "add coulomb to this joint"
    assert hint("viscous", "coulomb") == (
        "add stribeck, or take coulomb-asymmetric in place of coulomb, "
        "or take viscous-asymmetric in place of viscous"
    )
    assert "stribeck" not in hint("viscous", "coulomb", "stribeck")
    every = hint("viscous-asymmetric", "coulomb-asymmetric", "stribeck")
    assert every.startswith("friction may depend on load")


def test_missing_inertia_is_found():
    """The term is left out of the prediction, and nothing of it is hidden in others."""
    joint = Joint1()
    windows = [w._replace(predicted=w.predicted - 0.3 * w.qdd) for w in joint.windows()]
    found, _, notices = whiteness("elbow", windows, NOISE, 10**6)
    assert "residual-inertia" in codes(notices)
    assert found.with_acceleration > 0.3


def test_noise_that_was_never_filtered():
    rng = np.random.default_rng(0)
    plain = FilteredNoise(100.0)
    found = correlation_in_time([rng.normal(size=2000) for _ in range(5)], plain)
    assert found.fits_filter
    assert found.share == pytest.approx(1.0, rel=0.15)
    assert found.lag == 1
    walk = correlation_in_time([np.cumsum(rng.normal(size=2000)) for _ in range(5)], plain)
    assert not walk.fits_filter
    assert walk.share < 0.02


def test_expected_spectrum_is_the_mean_of_many():
    """Also for windows hardly longer than the filter's memory."""
    rng = np.random.default_rng(0)
    for size in (128, 500):
        parts = filtered(rng.normal(size=(size + 1000, 4000)))[500 : 500 + size]
        power = np.mean(np.abs(np.fft.rfft(parts, axis=0)) ** 2, axis=1) / parts.var()
        inside = np.fft.rfftfreq(size, 1 / RATE) <= CUTOFF
        expected = NOISE.expected_power(size)[inside]
        # 4000 windows leave 1.6 %, and 2 % where lines have one degree of freedom.
        np.testing.assert_allclose(power[inside], expected, rtol=0.1)


def test_residuals_that_are_rounding_say_nothing():
    joint = Joint1()
    windows = [w._replace(predicted=w.tau * (1 + 1e-15)) for w in joint.windows()]
    found, _, notices = whiteness("elbow", windows, NOISE, 1000)
    assert (found.white, notices) == (True, [])


def test_a_joint_that_stands_has_no_friction_to_speak_of():
    rng = np.random.default_rng(0)
    still = np.zeros(2000)
    tau = filtered(rng.normal(size=3000))[500:2500]
    found, _, notices = whiteness("elbow", [JointWindow(still, still, tau, still)], NOISE, 2000)
    assert (found.with_velocity, found.with_speed, found.with_acceleration) == (None, None, None)
    assert notices == []


def test_the_filter_of_the_torque_counts():
    facts = RecordingFacts(
        joints=[Joint(name="elbow")],
        source_sha256="0" * 64,
        rate_hz=100.0,
        duration_s=10.0,
        samples=1000,
        filter=FilterFacts(
            cutoff_hz=5.0,
            order=4,
            memory_s=1.0,
            trimmed=0,
            signal_cutoffs_hz={"tau": 3.0, "tau.wrist": 2.0, "q": 9.0},
            decimated_by=5,
        ),
    )
    assert FilteredNoise.of(facts, "elbow") == FilteredNoise(100.0, 3.0, 4, 500.0)
    assert FilteredNoise.of(facts, "wrist").cutoff_hz == 2.0
    assert FilteredNoise.of(facts.model_copy(update={"filter": None}), "elbow").cutoff_hz is None
    # Leaving samples out changes what is correlated with what, not how much there is in a second.
    thin, full = FilteredNoise(100.0, 3.0, 4, 500.0), FilteredNoise(500.0, 3.0, 4, 500.0)
    assert thin.share * 100 == pytest.approx(full.share * 500, rel=1e-3)
    np.testing.assert_allclose(thin.autocorrelation(20), full.autocorrelation(100)[::5], atol=2e-3)


def test_the_picture_of_an_autocorrelation_is_small_and_true():
    """Few lags, all the small ones, over several times the correlation time."""
    residuals = [w.tau - w.predicted for w in Joint1().windows()]
    time = correlation_in_time(residuals, NOISE)
    found = shown(time, NOISE.rate_hz)
    lags = np.round(np.array(found.lag_s) * NOISE.rate_hz).astype(int)
    assert len(lags) <= 120
    np.testing.assert_array_equal(lags[:40], np.arange(40))
    assert (np.diff(lags) > 0).all()
    assert lags[-1] > 5 / time.share
    np.testing.assert_array_equal(found.value, time.autocorrelation[lags])
    np.testing.assert_array_equal(found.expected, time.expected[lags])
    np.testing.assert_array_equal(found.band, time.band[lags])


def test_filtered_noise_stays_in_its_band_at_every_lag():
    """Around zero it would leave it at once: the filter makes neighbours alike."""
    rng = np.random.default_rng(0)
    inside = 0
    for _ in range(100):
        noise = filtered(rng.normal(size=(3000, 4)))[500:2500].T
        time = correlation_in_time(list(noise), NOISE)
        apart = np.abs(time.autocorrelation - time.expected)
        inside += bool((apart <= time.band + 1e-12).all())
        assert time.autocorrelation[10] > 2 * time.band[10]
        assert time.band[0] == pytest.approx(0.0, abs=1e-6)
    # 95 % are meant; the tests at several lags hang together, and means were taken away.
    assert inside >= 90


def test_the_band_is_as_wide_as_estimates_scatter():
    rng = np.random.default_rng(1)
    lags = [3, 10, 25, 60, 200]
    found = []
    for _ in range(300):
        noise = filtered(rng.normal(size=5000))[500:4500]
        time = correlation_in_time([noise], NOISE)
        found.append(time.autocorrelation[lags])
    spread, band = np.std(found, axis=0), time.band[lags]
    # 300 estimates know their scatter to 4 %; the formula is for many samples.
    np.testing.assert_allclose(band / spread, np.median(band / spread), rtol=0.25)


def test_errors_that_are_alike_for_long_leave_the_band():
    rng = np.random.default_rng(2)
    slow = sosfiltfilt(butter(1, 0.3, fs=RATE, output="sos"), rng.normal(size=20_000))
    time = correlation_in_time([slow], NOISE)
    assert (np.abs(time.autocorrelation - time.expected) > time.band)[20:200].all()


def test_how_many_times_longer_is_said_in_plain_digits():
    rng = np.random.default_rng(0)
    tau = np.cumsum(rng.normal(size=20_000))
    still = np.zeros_like(tau)
    windows = [JointWindow(still, still, tau, still)]
    _, _, notices = whiteness("elbow", windows, FilteredNoise(100.0), 20_000)
    (notice,) = notices
    assert float(notice.message.split(" times")[0].rpartition(" ")[2]) > 100
    assert "e+" not in notice.message


def test_the_picture_of_a_short_autocorrelation():
    found = shown(correlation_in_time([np.array([1.0, -1.0, 1.0, 1.0])], NOISE), NOISE.rate_hz)
    assert len(found.lag_s) == len(found.value) == len(found.expected) == len(found.band) == 2
