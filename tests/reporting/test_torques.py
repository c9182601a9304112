"""Torques over time: bounded, broken at gaps, on held-out data."""

import numpy as np
import pytest

from robotid.contracts.residuals import Excerpt, write_residuals
from robotid.errors import BadDataError
from robotid.reporting.page import render
from robotid.reporting.sections import torques
from robotid.reporting.sections.torques import error_chart, stretch, torque_chart
from robotid.reporting.view import FitView
from tests.reporting.results import changed, view
from tests.reporting.signals import window, with_excerpt


def test_gaps_break_the_line_and_peaks_stay():
    parts = [window(samples=2000), window(samples=3000, start_s=30.0)]
    for series in torque_chart(parts, 0, "shoulder", "N m").series:
        (gap,) = np.flatnonzero(~np.isfinite(series.y))
        assert series.x[gap - 1] == parts[0].t[-1]
        assert series.x[gap + 1] == parts[1].t[0]
        assert series.x.size <= 2500
        assert np.nanmax(series.y) == max(part.tau[:, 0].max() for part in parts)


def test_a_page_draws_two_strokes_for_two_windows(tmp_path):
    fit = with_excerpt(view(tmp_path / "fit"), window(), window(start_s=9.0))
    drawing = torques.section(fit).joints[0].torque
    assert [shape.path.count("M") for shape in drawing.shapes] == [2, 2]


def test_errors_are_measured_minus_predicted_on_two_deviations_of_noise():
    band, errors = error_chart([window(error=0.25)], 1, "elbow", "N m", 0.1).series
    np.testing.assert_allclose(errors.y, 0.25, atol=1e-15)
    np.testing.assert_allclose([band.y, band.low], [[0.2, 0.2], [-0.2, -0.2]])
    assert len(error_chart([window()], 1, "elbow", "N m", None).series) == 1


@pytest.mark.parametrize("longest", [1.0, 4.5, 100.0])
def test_a_stretch_is_of_one_recording_and_no_longer(longest):
    parts = [window(), window(start_s=9.0), window("run9")]
    found = stretch(parts, longest)
    assert {part.recording for part in found} == {"run2"}
    seconds = sum(part.t[-1] - part.t[0] for part in found)
    assert seconds == pytest.approx(min(longest, 2 * 3.99), abs=0.011)
    for part in found:
        assert len(part.q) == len(part.tau) == part.t.size


def test_held_out_data_are_shown_and_training_only_without_any(tmp_path):
    fit = with_excerpt(view(tmp_path / "a"), window("run1", "train"), window("run2", "test"))
    assert torques.section(fit).recording == "run2"
    alone = with_excerpt(view(tmp_path / "b", metrics={}), window("run1", "train"))
    assert torques.section(alone).recording == "run1"
    assert "nothing was held out" in render([alone])
    assert torques.section(view(tmp_path / "c")) is None


def test_a_long_recording_makes_no_long_page(tmp_path):
    short = len(render([view(tmp_path / "short")]))
    fit = with_excerpt(view(tmp_path / "fit"), window(samples=40_000))
    assert len(render([fit])) - short < 600_000  # two joints
    assert torques.section(fit).end_s <= 20.0


def test_the_same_excerpt_gives_the_same_bytes(tmp_path):
    fit = with_excerpt(view(tmp_path / "fit"), window("run1", "train"), window(error=0.1))
    assert render([fit]) == render([FitView.read(fit.name, fit.folder)])


def test_a_signal_that_is_no_torque_is_said(tmp_path):
    fit = with_excerpt(view(tmp_path / "fit"), window())
    for torque, words in (("current", "currents times their gains"), ("tau_cmd", "commanded")):
        assert words in render([changed(fit, torque=torque)])
        assert words not in render([fit])


def test_residuals_of_another_robot_are_refused(tmp_path):
    fit = view(tmp_path / "fit")
    write_residuals(fit.folder, Excerpt(("a", "b"), (window(),)))
    with pytest.raises(BadDataError, match="residuals are of joints"):
        render([fit])


def test_a_joint_without_samples_and_noise_has_no_chart(tmp_path):
    some = window()
    nothing = np.where([True, False], np.nan, some.tau)
    broken = some._replace(tau=nothing, predicted=nothing)
    fit = with_excerpt(changed(view(tmp_path / "fit"), noise={"elbow": 0.1}), broken)
    first, second = torques.section(fit).joints
    assert (first.torque, first.error) == (None, None)
    assert second.torque is not None
    assert "Measured and predicted torques" in render([fit])
