"""Friction that a filter has smoothed is said, where it matters and only there."""

import numpy as np
import pytest
from scipy.signal import butter, sosfiltfilt

from robotid.contracts.fit import Parameter
from robotid.contracts.recording import FilterFacts, Joint, RecordingFacts
from robotid.contracts.residuals import Excerpt, Window
from robotid.evaluation.turning import moving, near_turns, smoothed_friction
from robotid.signals.filtered_noise import FilteredNoise

RATE, COULOMB, VISCOUS = 500.0, 1.0, 0.5


def swing(cutoff_hz, split="train"):
    """Filtered samples of a joint that swings at 0.5 and 0.8 Hz: velocity, torque of friction."""
    t = np.arange(20_000) / RATE
    qd = np.cos(np.pi * t) + 0.7 * np.cos(1.6 * np.pi * t + 1.0)
    tau = VISCOUS * qd + COULOMB * np.clip(qd / 0.02, -1, 1)
    low_pass = butter(4, cutoff_hz, fs=RATE, output="sos")
    qd, tau = (sosfiltfilt(low_pass, x) for x in (qd, tau))
    column, zero = qd[:, None], np.zeros((t.size, 1))
    window = Window("r", split, t, zero, column, zero, tau[:, None], zero)
    facts = RecordingFacts(
        joints=[Joint(name="a")], source_sha256="0" * 64, rate_hz=RATE, duration_s=40.0,
        samples=t.size, filter=FilterFacts(cutoff_hz=cutoff_hz, order=4, memory_s=1.0, trimmed=0),
    )  # fmt: skip
    return Excerpt(("a",), (window,)), {"r": facts}


def parameter(value=1.0, std=0.01, name="a.coulomb"):
    return Parameter(name=name, owner="a", unit="N m", value=value, std=std, status="identified")


def bias(found):
    """How much Coulomb friction least squares misses, as a share."""
    qd, tau = found.windows[0].qd[:, 0], found.windows[0].tau[:, 0]
    columns = np.column_stack([qd, np.clip(qd / 0.02, -1, 1)])
    return 1 - np.linalg.lstsq(columns, tau, rcond=None)[0][1] / COULOMB


@pytest.mark.parametrize(
    ("cutoff_hz", "said"), [(3.0, True), (5.0, True), (12.0, False), (20.0, False)]
)
def test_a_remark_where_coulomb_friction_comes_out_too_small(cutoff_hz, said):
    found, facts = swing(cutoff_hz)
    notices = smoothed_friction(found, facts, [parameter()])
    assert [notice.code for notice in notices] == ["coulomb-smoothed"] * said
    assert (bias(found) > 0.05) == said
    for notice in notices:
        assert notice.joint == "a"
        assert f"a filter of {cutoff_hz:g} Hz" in notice.message


@pytest.mark.parametrize(
    "parameters",
    [
        [],
        [parameter(name="a.viscous")],
        [parameter(value=0.0)],
        [parameter(value=0.01, std=0.01)],
        [parameter(name="b.coulomb")],
    ],
)
def test_no_remark_without_coulomb_friction(parameters):
    assert smoothed_friction(*swing(3.0), parameters) == []


def test_test_data_take_no_part():
    assert smoothed_friction(*swing(3.0, split="test"), [parameter()]) == []


def test_reach_of_a_filter_about_a_turning_point():
    qd = np.concatenate([np.full(100, -1.0), np.full(100, 1.0)])
    near = near_turns(qd, FilteredNoise(100.0, cutoff_hz=5.0, order=4))
    assert np.flatnonzero(near)[[0, -1]].tolist() == [80, 120]
    assert near.sum() == 41
    assert near_turns(qd, FilteredNoise(100.0)).sum() <= 2
    assert moving(np.array([1.0, 0.01, -1.0])).tolist() == [True, False, True]
