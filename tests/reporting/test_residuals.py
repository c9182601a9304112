"""Pictures of residuals: how they are spread, and what they go with."""

import numpy as np
import pytest

from robotid.contracts.fit import BlockErrors
from robotid.contracts.fit_data import Autocorrelation
from robotid.reporting.page import render
from robotid.reporting.residual_charts import (
    autocorrelation,
    distribution,
    over_blocks,
    over_signal,
)
from robotid.reporting.samples import binned, joined
from robotid.reporting.sections import residuals
from tests.reporting.results import JOINTS, changed, view
from tests.reporting.signals import window, with_excerpt

RNG = np.random.default_rng(0)


def area(series):
    return float(np.sum(series.y) * (series.x[1] - series.x[0]))


def titles(found):
    return [group.title for group in found]


def test_a_histogram_has_area_one_and_the_normal_curve_as_well():
    noise = RNG.normal(scale=0.1, size=20_000)
    bars, curve = distribution(noise, 0.1, "a", "N m").series
    assert area(bars) == pytest.approx(1.0, abs=2e-3)
    assert area(curve) == pytest.approx(1.0, abs=2e-3)
    there = np.interp(bars.x, curve.x, curve.y)
    np.testing.assert_allclose(bars.y, there, atol=0.05 * there.max())  # it is that noise


def test_a_single_error_among_zeros_is_drawn():
    (bars,) = distribution(np.r_[np.zeros(5000), 1.0], None, "a", "N m").series
    assert np.isfinite(bars.y).all()
    assert area(bars) == pytest.approx(1.0)


def test_outliers_are_left_out_of_the_picture_but_not_of_the_area():
    noise = RNG.normal(scale=0.1, size=10_000)
    noise[:5] = 1e6
    chart = distribution(noise, 0.1, "a", "N m")
    assert chart.across.high < 1.0
    assert area(chart.series[0]) == pytest.approx(1 - 5e-4, abs=1e-3)


def test_without_stated_noise_or_spread():
    assert len(distribution(RNG.normal(size=100), None, "a", "N m").series) == 1
    assert distribution(np.full(100, 0.3), 0.1, "a", "N m") is None
    assert distribution(np.full(3, np.nan), 0.1, "a", "N m") is None


def test_bins_hold_as_many_samples_each_and_their_medians():
    x = RNG.uniform(-2, 2, size=6400)
    y = 0.5 * x + RNG.uniform(-0.1, 0.1, size=6400)
    y[::40] = np.nan
    found = binned(x, y, 32)
    np.testing.assert_allclose(found.median, 0.5 * found.x, atol=0.05)
    np.testing.assert_allclose(found.high - found.low, 0.1, atol=0.06)
    assert (np.diff(found.x) > 0).all()
    assert binned(x[:3], y[1:4], 32).x.size == 1
    assert binned(x[:0], y[:0]).x.size == 0


def test_missing_friction_is_seen_over_velocity():
    part = window(error=0.3 * np.sign(window().qd))
    speed, left = joined([part], "qd", 0), joined([part], "residual", 0)
    chart = over_signal(speed, left, "shoulder", "velocity [rad/s]", "N m")
    median = next(series for series in chart.series if series.name == "median")
    moving = np.abs(median.x) > 0.2
    np.testing.assert_allclose(median.y[moving], 0.3 * np.sign(median.x[moving]), atol=1e-12)
    assert chart.across.low < speed.min() < speed.max() < chart.across.high


def test_temperature_shows_where_it_is_known(tmp_path):
    warm = np.column_stack([np.linspace(20, 40, 400), np.full(400, np.nan)])
    part = window(temperature=warm, error=0.01 * np.nan_to_num(warm))
    fit = with_excerpt(view(tmp_path / "fit"), part)
    groups = {group.title: group.drawings for group in residuals.section(fit)}
    assert [drawing.chart.title for drawing in groups["Over temperature"]] == ["shoulder"]
    (drawing,) = groups["Over temperature"]
    median = next(s for s in drawing.chart.series if s.name == "median")
    np.testing.assert_allclose(median.y, 0.01 * median.x, atol=1e-4)


def block(recording, split, start, rmse, mean):
    return BlockErrors(
        recording=recording, split=split, start_s=start, end_s=start + 10.0,
        rmse=dict.fromkeys(JOINTS, rmse), mean=dict.fromkeys(JOINTS, mean),
    )  # fmt: skip


def test_blocks_stand_one_after_another_and_recordings_apart():
    blocks = [
        block("run1", "train", 5.0, 0.4, 0.1),
        block("run1", "train", 15.0, 0.3, None),
        block("run2", "test", 100.0, 0.2, 0.0),
    ]
    chart = over_blocks(blocks, "elbow", "N m")
    lines = {series.name: series for series in chart.series}
    rmse = lines["rmse, training"]
    np.testing.assert_array_equal(rmse.x[:4], [0, 10, 10, 20])
    np.testing.assert_array_equal(rmse.y[:4], [0.4, 0.4, 0.3, 0.3])
    assert np.isnan(rmse.y[4])
    assert np.isnan(lines["mean, training"].y[2:]).all()
    np.testing.assert_array_equal(lines["rmse, held out"].x[:2], [20, 30])
    assert chart.marks == [20.0]
    assert lines["mean, training"].style == "dashed"
    assert over_blocks(blocks[:1], "elbow", "N m") is None


def test_autocorrelation_lies_on_its_band():
    given = Autocorrelation(
        lag_s=[0.0, 0.1, 0.2],
        value=[1.0, 0.4, -0.1],
        expected=[1.0, 0.5, 0.0],
        band=[0.0, 0.2, 0.3],
    )
    band, noise, line = autocorrelation(given, "elbow").series
    np.testing.assert_array_equal(line.y, given.value)
    np.testing.assert_array_equal(noise.y, given.expected)
    np.testing.assert_array_equal(band.low, [1.0, 0.3, -0.3])
    np.testing.assert_array_equal(band.y, [1.0, 0.7, 0.3])
    older = given.model_copy(update={"expected": []})
    np.testing.assert_array_equal(autocorrelation(older, "elbow").series[0].low, [0.0, -0.2, -0.3])
    assert autocorrelation(Autocorrelation(lag_s=[], value=[], band=[]), "elbow") is None


def test_only_what_is_there_is_shown(tmp_path):
    plain = view(tmp_path / "fit")
    assert residuals.section(plain) is None
    blocks = [block("run1", "train", at, 0.1, 0.0) for at in (0.0, 10.0)]
    lags = {"elbow": Autocorrelation(lag_s=[0, 1], value=[1, 0], band=[0.1, 0.1])}
    some = changed(plain, blocks=blocks, autocorrelation=lags)
    assert titles(residuals.section(some)) == ["Over time", "Autocorrelation"]
    every = changed(with_excerpt(some, window(error=RNG.normal(size=(400, 2)))))
    assert titles(residuals.section(every)) == [
        "Distribution", "Over velocity", "Over time", "Autocorrelation",
    ]  # fmt: skip
    assert render([every]).count("95 % band") == 1  # one legend for all
