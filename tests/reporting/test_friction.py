"""Friction over velocity: points from torques, curve from the model, both from the same terms."""

import numpy as np
import pytest

from robotid.contracts.fit import Parameter
from robotid.models.from_fit import read_fitted
from robotid.reporting.page import render
from robotid.reporting.sections import friction
from robotid.reporting.sections.friction import (
    friction_chart,
    friction_curve,
    friction_points,
    friction_terms,
    said,
)
from robotid.reporting.view import FitView
from tests.exporting.fits import write_fit
from tests.reporting.results import view
from tests.reporting.signals import motion, torques_of, window, with_excerpt

EVERY = (
    "viscous-asymmetric", "coulomb-asymmetric(0.05)", "stribeck(0.1)", "load", "offset", "rotor",
)  # fmt: skip


def own(folder, motor=0):
    return friction_terms(read_fitted(folder).model)[motor]


@pytest.mark.parametrize("terms", [("viscous", "coulomb", "offset", "rotor"), EVERY])
@pytest.mark.parametrize("joint", [0, 1])
def test_points_of_a_perfect_fit_lie_on_the_curve(tmp_path, terms, joint):
    folder = write_fit(tmp_path, "double_pendulum", terms=terms)
    speed, torque = friction_points(own(folder, joint), [torques_of(folder)])
    ((x, y),) = friction_curve(own(folder, joint), speed.min(), speed.max())
    fast = np.abs(speed) > 0.2  # the curve is drawn with chords where it bends
    np.testing.assert_allclose(torque[fast], np.interp(speed[fast], x, y), atol=1e-3)
    assert (np.diff(x) > 0).all()
    assert x[[0, -1]].tolist() == [speed.min(), speed.max()]


def test_points_are_the_friction_that_was_there(tmp_path):
    """Torques made with more friction than the fit has show that friction, not the fitted one."""
    folder = write_fit(tmp_path, "double_pendulum", terms=("viscous", "coulomb"))
    _, _, qd, _ = motion()
    good = torques_of(folder)
    fitted = {p.name: p.value for p in read_fitted(folder).fit.parameters}
    more = good._replace(tau=good.tau + 0.5 * np.sign(qd) + 0.25 * qd)
    speed, torque = friction_points(own(folder, 1), [more])
    fast = np.abs(speed) > 0.05
    coulomb, viscous = fitted["elbow.coulomb"] + 0.5, fitted["elbow.viscous"] + 0.25
    wanted = coulomb * np.sign(speed) + viscous * speed
    np.testing.assert_allclose(torque[fast], wanted[fast], atol=1e-12)


def test_medians_do_not_follow_outliers(tmp_path):
    folder = write_fit(tmp_path, "double_pendulum", terms=("viscous",))
    good = torques_of(folder, samples=4000)
    tau = good.tau.copy()
    tau[np.random.default_rng(0).random(4000) < 0.05] += 1000.0
    chart = friction_chart(own(folder), [good._replace(tau=tau)])
    median = next(series for series in chart.series if series.name == "median")
    slope = read_fitted(folder).model.own[0]
    np.testing.assert_allclose(median.y, slope * median.x, atol=0.2 * slope)
    assert chart.upward.high < 100 * slope


def test_friction_that_remembers_has_two_branches(tmp_path):
    folder = write_fit(tmp_path, "double_pendulum", terms=("coulomb-held(0.1)",))
    size = read_fitted(folder).model.own[0]
    rising, falling = friction_curve(own(folder), -1.0, 1.0)
    for x, y, wanted in ((*rising, -size), (*falling, size)):
        slow = np.abs(x) < 0.09
        np.testing.assert_allclose(y[slow], wanted)


def test_a_motor_of_two_joints_has_its_own_curve(tmp_path):
    folder = write_fit(tmp_path, "double_pendulum", terms=("offset",), coupled=("shoulder-elbow",))
    (terms,) = friction_terms(read_fitted(folder).model)  # offsets alone are no friction
    assert terms.motor.name == "shoulder-elbow"
    good = torques_of(folder)
    speed, torque = friction_points(terms, [good])
    np.testing.assert_allclose(speed, good.qd[:, 0] - good.qd[:, 1])
    ((x, y),) = friction_curve(terms, speed.min(), speed.max())
    np.testing.assert_allclose(torque, np.interp(speed, x, y), atol=1e-3)
    push = good._replace(tau=good.tau + np.array([0.3, -0.3]))
    np.testing.assert_allclose(friction_points(terms, [push])[1] - torque, 0.3)


def test_values_stand_below_and_load_is_said(tmp_path):
    folder = write_fit(tmp_path, "double_pendulum", terms=EVERY, metrics={})
    fit = with_excerpt(FitView.read("fit", folder), torques_of(folder, split="train"))
    for found in friction.section(fit):
        assert found.loaded
        names = [value.split()[0] for value in found.values]
        assert names == [
            "viscous+", "viscous-", "coulomb+", "coulomb-", "stribeck", "load", "offset",
        ]  # fmt: skip
        assert found.drawing is not None


def test_a_link_of_the_same_name_is_not_its_motor(tmp_path):
    folder = write_fit(tmp_path, "double_pendulum", terms=("viscous",), metrics={})
    fit = FitView.read("fit", folder).fit
    links = {p.owner for p in fit.parameters} - {"shoulder", "elbow"}
    named = [
        p.model_copy(update={"owner": "shoulder"}) if p.owner in links else p
        for p in fit.parameters
    ]
    same = FitView("fit", folder, fit.model_copy(update={"parameters": named}))
    found = friction.section(with_excerpt(same, torques_of(folder, split="train")))
    assert [[v.split()[0] for v in motor.values] for motor in found] == [["viscous"]] * 2


def test_nothing_without_friction_or_samples(tmp_path):
    assert friction.section(view(tmp_path / "a")) is None
    folder = write_fit(tmp_path / "b", "double_pendulum", terms=("rotor",), metrics={})
    fit = with_excerpt(FitView.read("fit", folder), window())
    assert friction.section(fit) is None
    assert "Friction over velocity" not in render([fit])


def test_a_joint_that_slides_has_other_units(tmp_path):
    folder = write_fit(tmp_path, "cartpole", terms=("viscous",))
    labels = [
        friction_chart(terms, [window()]).across.label
        for terms in friction_terms(read_fitted(folder).model)
    ]
    assert labels == ["velocity [m/s]", "velocity [rad/s]"]


@pytest.mark.parametrize(
    ("value", "std", "words"),
    [
        (0.4739, 0.01236, "viscous 0.474 ± 0.012 kg"),
        (2e-10, 0.022, "viscous 0.000 ± 0.022 kg"),
        (0.123456, None, "viscous 0.123 kg"),
        (1.64e-41, None, "viscous 0 kg"),
        (1234.5, 120.0, "viscous 1234 ± 120 kg"),
        (-1e-5, 0.002, "viscous 0.0000 ± 0.0020 kg"),
    ],
)
def test_values_have_digits_that_count(value, std, words):
    parameter = Parameter(
        name="j.1.viscous", owner="j.1", unit="kg", value=value, std=std, status="identified"
    )
    assert said("viscous", parameter) == words


def test_samples_that_are_not_finite_are_left_out(tmp_path):
    folder = write_fit(tmp_path, "double_pendulum", terms=("viscous",))
    good = torques_of(folder)
    some = good._replace(tau=np.where(np.arange(400)[:, None] % 3, good.tau, np.nan))
    chart = friction_chart(own(folder), [some])
    assert np.isfinite(chart.upward.high)
    assert chart.series[0].x.size == 266
    none = good._replace(tau=np.full_like(good.tau, np.inf))
    assert friction_chart(own(folder), [none]) is None
