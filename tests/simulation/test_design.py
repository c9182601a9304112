"""Plays of a design, simulated: one recording each, as long as it takes, on its trajectory."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from robotid.contracts.excitation import write_excitation
from robotid.contracts.truth import read_truth
from robotid.errors import ConfigError
from robotid.signals.fourier import series
from robotid.signals.planned import motions
from robotid.simulation.options import SimulationOptions
from robotid.simulation.scenario import simulate
from tests.excitation.designs import small_design

EXACT = {"noise_q": 0.0, "noise_qd": 0.0, "noise_tau": 0.0, "friction": "none"}


@pytest.fixture(scope="module")
def design():
    return small_design("double_pendulum", period_s=2.0, ramp_s=0.3, speeds=(0.2, 0.4))


@pytest.fixture(scope="module")
def folder(design, tmp_path_factory):
    path = tmp_path_factory.mktemp("design")
    write_excitation(path, design)
    return path


def options(**given):
    return SimulationOptions(**{"rate_hz": 200.0, "bandwidth_hz": 20.0, **EXACT, **given})


@pytest.fixture(scope="module")
def done(design, double_pendulum):
    return simulate(double_pendulum, double_pendulum, options(), design, "digest")


def test_each_play_is_a_recording_of_its_own_length(design, done):
    assert list(done.logs) == ["t1_20", "t1_40"]
    for name, (play, _) in motions(design).items():
        log = done.logs[name]
        assert len(log.t) == len(log.q) == len(log.tau)
        assert log.t[-2] < play.duration_s <= log.t[-1] + 1e-9
    assert len(done.logs["t1_20"].t) == 2 * len(done.logs["t1_40"].t) - 1


def test_the_robot_follows_and_ends_at_rest(design, done):
    """The nominal model is exact: what is left is that torques are held for a millisecond."""
    for name, (_, motion) in motions(design).items():
        log = done.logs[name]
        wanted = motion.at(log.t)
        assert np.abs(log.q - wanted.q).max() < 2e-3
        assert np.abs(log.qd[-1]).max() < 2e-2
        assert np.abs(log.qd).max() > 0.5


def test_truth_states_the_series_as_it_was_run(design, done):
    assert done.truth.design_sha256 == "digest"
    for name, (play, motion) in motions(design).items():
        told = done.truth.recordings[name]
        assert told.play.trajectory == "t1"
        assert (told.speed, told.play.slower) == (play.speed, play.slower)
        t = np.linspace(told.play.begins_s, told.play.ends_s, 200)
        for place, joint in enumerate(design.joints):
            one = told.reference[joint]
            w = one.omega * np.arange(1.0, len(one.a) + 1)[None]
            arrays = (np.array([one.a]), np.array([one.b]), w, t - told.play.begins_s)
            q, qd, _ = series(*arrays)
            np.testing.assert_allclose(one.centre + q[:, 0], motion.at(t).q[:, place], atol=1e-12)
            np.testing.assert_allclose(qd[1:-1, 0], motion.at(t).qd[1:-1, place], atol=1e-12)


def test_random_ones_are_as_they_were(double_pendulum, tmp_path):
    """Nothing of designs in their truth."""
    from robotid.contracts.truth import write_truth

    made = simulate(double_pendulum, double_pendulum, options(duration_s=0.2, recordings=1))
    write_truth(tmp_path, made.truth)
    text = json.loads((tmp_path / "truth.json").read_text())
    assert "design_sha256" not in text
    assert "play" not in text["recordings"]["run1"]
    assert read_truth(tmp_path) == made.truth


def test_a_design_of_other_joints_is_refused(panda, design):
    with pytest.raises(ConfigError, match=r"double_pendulum.*panda has not") as error:
        simulate(panda, panda, options(), design)
    assert error.value.notice.code == "other-joints"


@pytest.mark.parametrize("key", [{"speeds": (0.3,)}, {"recordings": 2}, {"duration_s": 3.0}])
def test_what_a_design_decides_cannot_be_asked_for(double_pendulum, design, key):
    with pytest.raises(ConfigError, match=f"{next(iter(key))}: a design says"):
        simulate(double_pendulum, double_pendulum, options(**key), design)


def test_command(robotid, folder, design, tmp_path):
    words = ("--robot", "double_pendulum", "--design", folder, "--rate-hz", "100")
    answer = robotid("simulate", *words, "--out", tmp_path / "logs")
    assert answer.code == 0, answer.err
    assert sorted(path.name for path in (tmp_path / "logs").glob("*.csv")) == [
        "t1_20.csv",
        "t1_40.csv",
    ]
    for name in motions(design):
        log = np.loadtxt(tmp_path / "logs" / f"{name}.csv", delimiter=",", skiprows=1)
        true = pq.read_table(tmp_path / "logs" / "truth" / f"{name}.parquet")
        assert len(log) == true.num_rows
    assert len(read_truth(tmp_path / "logs").design_sha256) == 64


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("{}", 65, "not a design"),
        ('{"format": 2}', 65, "newer version"),
        (None, 66, "excitation.json"),
    ],
)
def test_what_is_no_design_is_said(robotid, tmp_path, text, code, says):
    if text is not None:
        (tmp_path / "excitation.json").write_text(text)
    answer = robotid("simulate", "--robot", "double_pendulum", "--design", tmp_path)
    assert answer.code == code, answer.err
    assert says in answer.err
