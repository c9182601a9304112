"""Springs between motors and links ring at the frequency they should."""

import numpy as np
import pytest

from robotid.simulation.elastic import Elasticity, springs
from robotid.simulation.engine import make_engine
from robotid.simulation.friction import Friction
from robotid.simulation.plant import Plant
from tests.simulation.conftest import slider

MASS, STIFFNESS = 2.0, 8000.0


def ringing(rotor, damping=0.0):
    """Positions of a link that was plucked, and the time step."""
    elasticity = Elasticity(np.array([STIFFNESS]), np.array([damping]))
    engine = make_engine("mujoco", slider(MASS), np.zeros(1))
    plant = Plant(engine, Friction("none", *np.zeros((7, 1))), np.array([rotor]), elasticity)
    y, tau, h = plant.at_rest(*np.zeros((2, 1, 1))), np.zeros((1, 1)), 2e-4
    y[0] = 0.01
    seen = []
    for _ in range(5000):
        seen.append(y[0, 0, 0] - y[2, 0, 0])
        k1 = plant.derivative(y, tau)
        k2 = plant.derivative(y + h / 2 * k1, tau)
        k3 = plant.derivative(y + h / 2 * k2, tau)
        y = y + h / 6 * (k1 + 2 * (k2 + k3) + plant.derivative(y + h * k3, tau))
    return np.array(seen), h


@pytest.mark.parametrize("rotor", [1e9, 2.0, 0.1])
def test_resonance_is_that_of_two_masses_on_a_spring(rotor):
    """ω² = K (1/m + 1/J); a rotor of 1e9 kg is a locked motor. Exact up to Runge-Kutta's error."""
    bend, h = ringing(rotor)
    omega = np.sqrt(STIFFNESS * (1 / MASS + 1 / rotor))
    expected = 0.01 * np.cos(omega * h * np.arange(bend.size))
    # Phase error of a step: (ω h)⁵/120; of 5000 steps at most 2e-4 for the lightest rotor.
    np.testing.assert_allclose(bend, expected, atol=2e-4 * 0.01 + 1e-9)


def test_damping_is_that_asked_for():
    """A locked motor: the envelope falls as exp(−ζ ω t)."""
    frequency, ratio = 10.0, 0.05
    made = springs(frequency, ratio, np.array([MASS]))
    omega = 2 * np.pi * frequency
    assert made.stiffness == pytest.approx(MASS * omega**2)
    omega = np.sqrt(STIFFNESS / MASS)
    bend, h = ringing(1e9, damping=2 * ratio * omega * MASS)
    peaks = [i for i in range(1, 4999) if bend[i - 1] < bend[i] > bend[i + 1]]
    fall = np.diff(np.log(bend[peaks])) / np.diff(peaks) / h
    np.testing.assert_allclose(fall, -ratio * omega, rtol=0.02)  # peaks lie between samples


def test_motor_and_link_differ_by_what_bends_the_spring(panda, run):
    done = run(panda, elastic_hz=25.0, recordings=1, duration_s=1.0)
    motion = done.motion
    stiffness = np.array([joint.stiffness for joint in done.truth.joints])
    damping = np.array([joint.damping for joint in done.truth.joints])
    spring = stiffness * (motion.theta - motion.q) + damping * (motion.thetad - motion.qd)
    np.testing.assert_allclose(spring, motion.tau_link, atol=1e-9)
    assert np.abs(motion.theta - motion.q).max() > 1e-4
    # It starts in balance: springs carry the weight, up to what its bending of the arm changes.
    assert np.abs(motion.qdd[0]).max() < 0.1
    assert not motion.qd[0].any()
    log = done.logs["run1"]
    assert (log.q == motion.theta[:, 0]).all()
    link = run(panda, elastic_hz=25.0, recordings=1, duration_s=1.0, position_sensor="link")
    assert (link.logs["run1"].q == motion.q[:, 0]).all()
