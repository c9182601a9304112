"""Starts that fail, that find gaps between samples, and workers that are killed."""

import os
import signal

import numpy as np
import pytest

from robotid.contracts.excitation import CertificateLine
from robotid.cores import CORES
from robotid.errors import ConfigError, ExitCode, TemporaryError
from robotid.excitation import attempts, search
from robotid.excitation.design import design
from robotid.excitation.expectation import can_be_faster
from robotid.excitation.options import ExcitationOptions
from robotid.excitation.ramps import State, ramp
from robotid.excitation.search import Searches
from robotid.information.layout import TERMS, Layout
from robotid.robot.load import load_robot
from tests.excitation.settings import DOUBLE, made_setting

SMALL = {"harmonics": 3, "restarts": 3, "iterations": 40, "noise": (0.1,), **DOUBLE}


@pytest.fixture(autouse=True)
def _one_process(monkeypatch):
    monkeypatch.setenv(CORES, "1")


def designed(robot="double_pendulum", **options):
    tree = load_robot(robot).tree
    return design(tree, Layout(tree, TERMS), ExcitationOptions(**options))


def failing(monkeypatch, which):
    """Starts of these numbers find nothing that is safe."""
    safe = attempts.Searcher._safe

    def sometimes(self, job):
        if job.start in which:
            raise ConfigError("not-safe", f"start {job.start} is no good")
        return safe(self, job)

    monkeypatch.setattr(attempts.Searcher, "_safe", sometimes)


def test_bad_starts_are_left_out(monkeypatch):
    (whole,) = designed(**SMALL).design.trajectories
    assert (whole.seed, None in whole.starts) == (0, False)
    failing(monkeypatch, {whole.start})
    (found,) = designed(**SMALL).design.trajectories
    expected = [None if k == whole.start else value for k, value in enumerate(whole.starts)]
    assert found.starts == expected
    assert found.start == int(np.argmin([np.inf if v is None else v for v in expected]))
    assert all(line.margin >= 0 for line in found.certificate)


def test_only_bad_starts_are_an_error(monkeypatch):
    failing(monkeypatch, {0, 1, 2})
    with pytest.raises(ConfigError, match=r"none of 3 starts.*start 0 is no good"):
        designed(**SMALL)


def test_gaps_between_samples_are_closed(monkeypatch):
    """With few samples torques between them break the limit: it goes on with more."""
    samples, searched = [], attempts.Searcher._searched

    def noted(self, job, problem, *others):
        samples.append(problem.recipe.samples)
        return searched(self, job, problem, *others)

    monkeypatch.setattr(attempts.Searcher, "_searched", noted)
    found = designed(**SMALL | {"samples": 9, "torque": ("2",), "restarts": 2}).design
    assert {9, 18, 36} <= set(samples)
    (trajectory,) = found.trajectories
    assert all(line.margin >= 0 for line in trajectory.certificate)
    assert any(line.quantity == "torque" for line in trajectory.certificate)


def test_a_weak_shoulder_is_no_obstacle():
    """Much less torque than the file gives; pulling back to the start would not help."""
    given = {"torque": ("panda_joint2=10",), "restarts": 1, "iterations": 60}
    (trajectory,) = designed("panda", **given).design.trajectories
    assert all(line.margin >= 0 for line in trajectory.certificate)


def test_a_worker_that_is_killed(monkeypatch):
    monkeypatch.setattr(search, "_WORTH_S", 0.0)
    monkeypatch.setenv(CORES, "2")
    begin = Searches._started

    def killed(self, count):
        pool = begin(self, count)
        os.kill(next(iter(pool._processes)), signal.SIGKILL)
        return pool

    monkeypatch.setattr(Searches, "_started", killed)
    setting = made_setting("double_pendulum", **SMALL)
    with pytest.raises(TemporaryError) as caught, Searches(setting.recipe, setting.options) as made:
        made.attempts(setting.given, 0)
    assert caught.value.notice.code == "worker-killed"
    assert caught.value.exit_code == ExitCode.TEMPORARY


def test_ramps_that_cannot_keep_their_share_are_named():
    """A series that begins with speed: its ramps are as fast as it is."""
    more = {"at_rest": False, "ramp_share": 0.01, "acceleration": ("60",), "restarts": 1}
    found = designed(**SMALL | more)
    assert "ramp-share" in [notice.code for notice in found.notices]
    assert "ramp-share" in [caution.code for caution in found.design.cautions]
    calm = designed(**SMALL | {"restarts": 1, "home": (0.1, 0.2)})
    assert "ramp-share" not in [notice.code for notice in calm.notices]


def test_advice_stays_within_limits():
    line = CertificateLine(
        quantity="torque", about="j", part="series", proof="at samples",
        limit=10.0, reached=4.0, margin=6.0, unit="N m",
    )  # fmt: skip
    slow = ExcitationOptions(speeds=(0.1, 0.6))
    assert can_be_faster(slow, [line])
    assert not can_be_faster(ExcitationOptions(), [line])
    assert not can_be_faster(slow, [line.model_copy(update={"reached": -5.0})])


def test_parameters_have_the_names_of_a_fit():
    found = designed(**SMALL | {"restarts": 1}).design
    setting = made_setting("double_pendulum", **SMALL)
    assert [p.base for p in found.parameters] == list(setting.unknowns.base.base_names)
    assert found.noise_hz == 100.0
    assert not any("faster" in p.advice for p in found.parameters)  # it is as fast as it may be
    assert [caution.code for caution in found.cautions][:1] == ["not-guarded"]


@pytest.mark.parametrize(("end_speed", "share"), [(0.0, 0.5), (1.0, 0.01)])
def test_ramps_take_as_long_as_torques_need(end_speed, share):
    """Whether or not a ramp can keep to its share of the limits."""
    limits = made_setting("double_pendulum", **SMALL).limits
    still, moving = np.zeros(2), np.full(2, end_speed)
    ends = State(limits.middle, still, still), State(limits.middle + 0.3, moving, still)
    least = ramp(*ends, limits, share, None).duration_s
    gentler = ramp(*ends, limits, share, None, lambda found: found.duration_s > 1.2 * least)
    assert gentler.share(limits) <= max(share, 1.0 if end_speed else 0.0)
    assert gentler.duration_s > 1.2 * least
