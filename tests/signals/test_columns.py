"""Columns besides joint motion and torque."""

import numpy as np
import pytest

from robotid.errors import BadDataError
from robotid.signals.columns import QUATERNION
from robotid.signals.findings import findings_of
from tests.signals.signals import RATE, columns_of, rms, run_filter

T = np.arange(0, 20, 1 / RATE)


def quaternion(angle):
    """About z."""
    zero = np.zeros_like(angle)
    return dict(zip(QUATERNION, (zero, zero, np.sin(angle / 2), np.cos(angle / 2)), strict=True))


def recording(**more):
    return columns_of(T, q_a=np.sin(T), tau_a=np.cos(T)) | more


@pytest.mark.parametrize(
    "name",
    ["tau_cmd.a", "current.a", "contact.foot.fx", "base.pos.x", "base.vel.rz", "base.acc.z"],
)
def test_signals_are_filtered_like_torque(name):
    rows, _ = run_filter(recording(**{name: np.cos(T)}))
    np.testing.assert_array_equal(rows[name], rows["tau.a"])


@pytest.mark.parametrize("batch", [977, 16384])
def test_orientation_whose_sign_jumps_is_that_of_one_which_does_not(batch):
    """Turning back and forth by 40 degrees; each sample may come with either sign."""
    angle = 0.7 * np.sin(2 * T)
    smooth = quaternion(angle)
    sign = np.random.default_rng(0).choice([-1.0, 1.0], T.size)
    rows, _ = run_filter(recording(**{n: x * sign for n, x in smooth.items()}), batch=batch)
    found = np.array([rows[name] for name in QUATERNION])
    np.testing.assert_allclose(np.sum(found**2, axis=0), 1.0, atol=1e-12)
    turned = 2 * np.arctan2(found[2], found[3])
    np.testing.assert_allclose(turned, 0.7 * np.sin(2 * rows["t"] / 1e9), atol=1e-4)


def test_orientation_through_a_full_turn_does_not_jump():
    rows, _ = run_filter(recording(**quaternion(0.5 * T)))
    steps = np.abs(np.diff([rows[name] for name in QUATERNION], axis=1))
    assert steps.max() < 1e-3


def test_missing_orientation_is_left_out_and_does_not_spread():
    parts = quaternion(0.3 * np.sin(T))
    parts["base.quat.z"][5000] = np.nan
    rows, done = run_filter(recording(**parts))
    assert done.not_finite == {"base.quat.z": 1}
    assert set(rows["segment"]) == {0, 1}
    assert all(np.isfinite(values).all() for values in rows.values())


@pytest.mark.parametrize("length", [0.0, 0.5, 57.3])
def test_what_is_no_quaternion_is_refused(length):
    parts = quaternion(0.3 * np.sin(T))
    for values in parts.values():
        values[4000] *= length
    with pytest.raises(BadDataError, match=r"length of") as raised:
        run_filter(recording(**parts))
    assert raised.value.notice.code == "not-a-quaternion"
    assert raised.value.notice.time == pytest.approx(8.0)


def test_quaternion_without_a_part_is_refused():
    parts = quaternion(T)
    del parts["base.quat.w"]
    with pytest.raises(BadDataError, match=r"base.quat has no w"):
        run_filter(recording(**parts))


def test_base_that_turns_too_fast_for_the_filter():
    with pytest.raises(BadDataError, match="turns so fast"):
        run_filter(recording(**quaternion(2 * np.pi * 20 * T)), cutoff_hz=2.0)


def test_temperature_that_comes_once_in_a_while():
    """No sample of the motion is lost to it; it is known to a step and smooth."""
    truth = 30 + 0.5 * T
    seldom = np.where(np.arange(T.size) % 500 == 250, truth, np.nan)
    rows, done = run_filter(recording(**{"temperature.a": seldom}))
    assert done.dropped == 0
    assert done.samples + done.trimmed == T.size
    error = rows["temperature.a"] - (30 + 0.5 * rows["t"] / 1e9)
    assert rms(error) < 0.5 * 1.0  # held for 1 s
    assert np.abs(np.diff(rows["temperature.a"])).max() < 0.02
    (found,) = [n for n in findings_of(done) if n.code == "values-held"]
    assert "temperature.a has no value in 9980 samples" in found.message
    assert (found.time, found.effect) == (0.0, "none")


def test_temperature_without_any_value_is_left_out():
    rows, done = run_filter(recording(**{"temperature.a": np.full(T.size, np.nan)}))
    assert "temperature.a" not in rows
    assert [n.message for n in findings_of(done) if n.code == "no-values"] == [
        "temperature.a holds no values and is left out"
    ]


def test_column_that_means_nothing_is_refused():
    with pytest.raises(BadDataError, match=r"'mode\.a'"):
        run_filter(recording(**{"mode.a": np.ones(T.size)}))


def test_part_of_the_base_has_a_cutoff_of_its_own():
    columns = recording(**{"base.vel.x": np.cos(T), "base.pos.x": np.cos(T)})
    _, done = run_filter(columns, signal_cutoff=("base.vel=8", "base=9"))
    own = dict(zip(done.signals.channels, done.cutoffs_hz, strict=True))
    assert (own["base.vel.x"], own["base.pos.x"], own["tau.a"]) == (8.0, 9.0, 5.0)


def test_slow_samples_are_marked():
    rows, done = run_filter(columns_of(T, q_a=np.sin(T), q_b=T), low_speed=0.5, decimate=5)
    np.testing.assert_array_equal(rows["slow.a"], np.abs(rows["qd.a"]) < 0.5)
    assert not rows["slow.b"].any()
    assert done.low_speed["a"] == pytest.approx(rows["slow.a"].mean())
