"""Friction takes energy, and stick-slip remembers."""

import numpy as np
import pytest

from robotid.simulation.friction import LAWS, Friction


def friction(kind, **changes):
    values = {
        "viscous": 0.4, "coulomb": 2.0, "static": 3.0, "width": 0.02,
        "stribeck_velocity": 0.05, "bristle_stiffness": 1500.0, "bristle_damping": 30.0,
    }  # fmt: skip
    return Friction(kind, *(np.array([x]) for x in {**values, **changes}.values()))


def slid(law, velocity, dt):
    """Torques along a given velocity, shape (samples,), and the bristles' states; midpoint rule."""
    z, torques, states = np.zeros(1), [], []
    for v in velocity:
        f, zd = law.torque(np.array([v]), z)
        torques.append(f[0])
        states.append(z[0])
        middle = z + zd * dt / 2
        z = z + law.torque(np.array([v]), middle)[1] * dt
    return np.array(torques), np.array(states)


@pytest.mark.parametrize("kind", [kind for kind in LAWS if kind != "stick-slip"])
def test_power_of_friction_is_never_positive(kind):
    """As a torque it acts against the motion: what it feeds into the joint, -f q̇, is ≤ 0."""
    qd = np.random.default_rng(0).normal(size=(1000, 1)) * np.logspace(-4, 1, 1000)[:, None]
    f, zd = friction(kind).torque(qd, np.zeros_like(qd))
    assert (-f * qd <= 0).all()
    assert not zd.any()
    assert (f != 0).any() == (kind != "none")


@pytest.mark.parametrize("damping", [0.0, 30.0, 3000.0])
def test_stick_slip_gives_back_only_what_it_stored(damping):
    """Energy put in so far is never below that of the bent bristles, σ0 z²/2 (passivity)."""
    law, dt = friction("stick-slip", bristle_damping=damping), 2e-5
    t = np.arange(20000) * dt
    velocity = 0.3 * np.sin(9 * t) + 0.2 * np.sin(61 * t) - 0.02
    f, z = slid(law, velocity, dt)
    put_in = np.cumsum(f * velocity) * dt
    stored = 0.5 * 1500.0 * z**2
    # The sum's own error: half a step of the largest power, 3.2 N m · 0.5 rad/s · 2e-5 s.
    assert (put_in - stored > -4e-5).all()
    assert put_in[-1] > 0.1


def test_levels_are_those_asked_for():
    """Slow and fast slip: breakaway and Coulomb levels, on top of the viscous part."""
    for kind in ("stribeck", "stick-slip"):
        law = friction(kind)
        for speed, level in ((0.01 if kind == "stick-slip" else 0.021, None), (1.0, 2.0)):
            expected = level or 2.0 + np.exp(-((speed / 0.05) ** 2))
            f, _ = slid(law, np.full(8000, speed), 5e-4)
            assert f[-1] == pytest.approx(expected + 0.4 * speed, rel=1e-3)


def test_stick_slip_remembers_where_it_came_from():
    """Rocked about a point without slipping, torque depends on the way there: a hysteresis loop."""
    dt = 1e-4
    t = np.arange(20000) * dt
    velocity = 4e-3 * np.cos(4 * np.pi * t)  # ± 0.3 mrad, bristles give 2 mrad
    position = np.cumsum(velocity) * dt
    f, _ = slid(friction("stick-slip"), velocity, dt)
    loop = slice(15000, 20000)  # one period, after the start is forgotten
    work = np.sum(f[loop] * velocity[loop]) * dt
    there = (np.abs(position) < 1e-6) & (t > 1.5)
    up, down = f[there & (velocity > 0)].mean(), f[there & (velocity < 0)].mean()
    assert up - down > 0.05
    assert work > 1e-5
    # Without memory the torque is a function of velocity alone, and no spring holds the joint.
    stuck, _ = friction("stick-slip").torque(np.zeros(1), np.array([1e-3]))
    assert stuck[0] == pytest.approx(1500.0 * 1e-3)
    assert friction("stribeck").torque(np.zeros(1), np.array([1e-3]))[0] == 0.0
