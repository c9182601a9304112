"""Velocities and accelerations of a floating base: against those of a motion in closed form."""

import numpy as np
import pytest

from robotid.signals.base_motion import POSE, RATES, TWIST
from robotid.signals.planned import Moving
from robotid.simulation.floating.base_motion import base_motion
from tests.signals.signals import RATE, columns_of, rms, run_filter

T = np.arange(0, 30, 1 / RATE)


@pytest.fixture(scope="module")
def motion():
    """Sines of 0.1 to 0.4 Hz: the low-pass of 5 Hz leaves them as they are."""
    w = 2 * np.pi * np.array([0.13, 0.21, 0.33, 0.17, 0.24, 0.4])
    size = np.array([0.3, 0.2, 0.1, 0.5, 0.4, 1.5])
    angle = np.outer(T, w)
    return base_motion(
        Moving(size * np.sin(angle), size * w * np.cos(angle), -size * w**2 * np.sin(angle))
    )


def recording(motion, *parts):
    values = {"pose": (POSE, motion.pose), "twist": (TWIST, motion.twist)}
    values["rates"] = (RATES, motion.rates)
    columns = columns_of(T, q_a=np.sin(T), tau_a=np.cos(T))
    for part in parts:
        names, own = values[part]
        columns |= {name: own[:, at] for at, name in enumerate(names)}
    return columns


def errors(rows, names, truth):
    """Largest errors, of the size of each column."""
    kept = np.searchsorted(np.round(T * 1e9).astype(np.int64), rows["t"])
    found = np.column_stack([rows[name] for name in names])
    return np.abs(found - truth[kept]).max(axis=0) / np.abs(truth).max(axis=0)


@pytest.mark.parametrize("batch", [977, 16384])
@pytest.mark.parametrize("acceleration", ["central", "spectral"])
def test_twist_is_differentiated(motion, batch, acceleration):
    columns = recording(motion, "pose", "twist", "rates")
    columns["base.acc.x"] = columns["base.acc.x"] + 100.0  # what was recorded is not what counts
    rows, done = run_filter(columns, batch=batch, acceleration=acceleration)
    assert done.signals.derived == ["a"]
    assert errors(rows, TWIST, motion.twist).max() < 2e-4
    assert errors(rows, RATES, motion.rates).max() < 2e-3


@pytest.mark.parametrize("batch", [977, 16384])
@pytest.mark.parametrize("asked", ["absent", "from-position"])
def test_twist_comes_from_the_pose(motion, batch, asked):
    """In base coordinates, whatever signs quaternions have, and however the rows come."""
    columns = recording(motion, "pose", *(["twist"] if asked != "absent" else []))
    if asked != "absent":
        columns["base.vel.rx"] = np.zeros_like(T)
    sign = np.random.default_rng(0).choice([-1.0, 1.0], T.size)
    columns |= {name: columns[name] * sign for name in POSE[3:]}
    options = {} if asked == "absent" else {"velocity": "from-position"}
    rows, done = run_filter(columns, batch=batch, **options)
    assert "base" in done.signals.derived
    length = sum(rows[name] ** 2 for name in POSE[3:])
    np.testing.assert_allclose(length, 1.0, atol=1e-12)
    assert errors(rows, TWIST, motion.twist).max() < 5e-4
    assert errors(rows, RATES, motion.rates).max() < 3e-3


def test_noise_of_a_pose_is_taken_out(motion):
    columns = recording(motion, "pose")
    rng = np.random.default_rng(1)
    columns |= {name: columns[name] + 1e-4 * rng.normal(size=T.size) for name in POSE}
    rows, _ = run_filter(columns, cutoff_hz=3.0)
    kept = np.searchsorted(np.round(T * 1e9).astype(np.int64), rows["t"])
    for at, name in enumerate(TWIST):
        assert rms(rows[name] - motion.twist[kept, at]) < 0.02 * rms(motion.twist[:, at]), name


def test_a_base_of_which_little_is_known_is_filtered_and_nothing_made_of_it(motion):
    rows, _ = run_filter(recording(motion) | {"base.vel.x": np.cos(T), "base.acc.x": np.cos(T)})
    np.testing.assert_array_equal(rows["base.acc.x"], rows["tau.a"])
    assert "base.acc.y" not in rows
