"""`trajectory = "swing-up"`: a free pendulum on a driven joint, up within the limits."""

from dataclasses import replace

import numpy as np
import pytest

from robotid.errors import ConfigError
from robotid.robot.load import load_robot
from robotid.simulation.driven_pendulum import driven_pendulum
from robotid.simulation.options import SimulationOptions
from robotid.simulation.scenario import simulate

UPRIGHT = np.radians(20.0)


def with_joint(robot, place, **changes):
    joints = list(robot.joints)
    joints[place] = joints[place]._replace(**changes)
    return replace(robot, joints=tuple(joints))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", ["cartpole", "furuta"])
def test_it_comes_up_inside_the_limits(name, seed):
    robot = load_robot(name).tree
    pendulum = driven_pendulum(robot)
    options = SimulationOptions(
        trajectory="swing-up", recordings=1, duration_s=8.0, rate_hz=200.0, seed=seed
    )
    done = simulate(robot, robot, options)
    motion, drive = done.motion, pendulum.drive
    away = np.abs(pendulum.from_upright(motion.q[:, 0]))
    assert away[0] > np.pi - 0.11
    assert not motion.qd[0].any()
    assert away.min() < UPRIGHT
    limits = robot.driven[drive].limits
    assert (motion.q[..., drive] > limits.lower).all()
    assert (motion.q[..., drive] < limits.upper).all()
    assert (np.abs(motion.tau[..., drive]) <= limits.effort).all()
    assert not motion.tau[..., pendulum.pivot].any()
    assert done.notices == []
    assert done.truth.recordings["run1"].reference == {}


def test_it_balances_and_falls_again():
    robot = load_robot("cartpole").tree
    options = SimulationOptions(
        trajectory="swing-up", recordings=1, duration_s=8.0, friction="viscous", noise_q=0.01
    )
    away = np.abs(driven_pendulum(robot).from_upright(simulate(robot, robot, options).motion.q))
    up = away[:, 0] < UPRIGHT
    first = int(np.argmax(up))
    assert up[first : first + 2000].mean() > 0.3  # of the four seconds after it came up
    assert (away[first:, 0] > np.pi / 2).any()


def test_where_a_pendulum_hangs_is_found():
    robot = load_robot("cartpole").tree
    pendulum = driven_pendulum(robot)
    assert pendulum.weight == pytest.approx(0.127 * 9.81 * 0.1778)
    assert pendulum.inertia == pytest.approx(1.19837e-3 + 0.127 * 0.1778**2)
    upside_down = driven_pendulum(replace(robot, gravity=-robot.gravity))
    assert abs(upside_down.hanging) == pytest.approx(np.pi)
    still = np.array([0.1, pendulum.hanging]), np.zeros(2)
    assert pendulum.energy(*still) == pytest.approx(-1.0)


def test_robots_it_cannot_work_on():
    cartpole = load_robot("cartpole").tree
    limits = cartpole.driven[1].limits
    for robot, why in (
        (load_robot("panda").tree, "7 joints with a motor and 0 without"),
        (load_robot("double_pendulum").tree, "2 joints with a motor"),
        (with_joint(cartpole, 1, kind="prismatic"), "slides"),
        (with_joint(cartpole, 1, limits=limits._replace(lower=-1.0, upper=1.0)), "limits"),
        (with_joint(cartpole, 1, axis=(0.0, 0.0, 1.0)), "pulls to no side"),
        (with_joint(cartpole, 0, axis=(0.0, 0.0, 1.0)), "does not move joint"),
        (with_joint(cartpole, 0, axis=(0.0, 1.0, 0.0), kind="revolute"), "hang alike"),
    ):
        with pytest.raises(ConfigError, match=why):
            driven_pendulum(robot)


def test_an_unlimited_motor_gets_a_limit():
    robot = load_robot("cartpole").tree
    limits = robot.driven[0].limits._replace(effort=np.inf)
    robot = with_joint(robot, 0, limits=limits)
    options = SimulationOptions(trajectory="swing-up", recordings=1, duration_s=3.0)
    done = simulate(robot, robot, options)
    assert np.isfinite(done.motion.tau).all()
    assert np.isfinite(done.truth.joints[0].torque_scale)


def test_the_command(robotid, tmp_path):
    words = ("--robot", "furuta", "--trajectory", "swing-up", "--duration-s", "1")
    effects = ("--encoder-counts", "2048", "--delay-s", "0.002", "--noise-tau", "0.01")
    for name in ("one", "two"):
        cache = ("--cache-dir", tmp_path / f"cache-{name}")
        answer = robotid("simulate", *words, *effects, *cache, "--out", tmp_path / name)
        assert answer.code == 0, answer.err
    logs = sorted((tmp_path / "one").glob("*.csv"))
    assert len(logs) == 3
    assert len({log.read_bytes() for log in logs}) == 3
    for log in logs:
        assert log.read_bytes() == (tmp_path / "two" / log.name).read_bytes()
    answer = robotid("simulate", *words, "--speeds", "0.5")
    assert answer.code == 78
    assert "speeds" in answer.err
    answer = robotid("simulate", "--robot", "panda", "--trajectory", "swing-up")
    assert answer.code == 78
    assert "robot panda has 7 joints with a motor and 0 without" in answer.err
