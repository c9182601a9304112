"""Searches: the same seed the same bits, whatever the number of processes; time is kept."""

import time

import numpy as np
import pytest

from robotid.cores import CORES
from robotid.excitation import search
from robotid.excitation.design import design
from robotid.excitation.options import ExcitationOptions
from robotid.excitation.search import Searches
from robotid.information.layout import TERMS, Layout
from robotid.robot.load import load_robot
from tests.excitation.settings import DOUBLE, made_setting

SMALL = {"harmonics": 3, "restarts": 3, "iterations": 40, "noise": (0.1,), **DOUBLE}


def designed(**more):
    robot = load_robot("double_pendulum").tree
    return design(robot, Layout(robot, TERMS), ExcitationOptions(**SMALL | more)).design


def test_any_number_of_processes(monkeypatch):
    monkeypatch.setattr(search, "_WORTH_S", 0.0)
    monkeypatch.setenv(CORES, "1")
    one = designed(trajectories=2)
    started: list[int] = []
    begin = Searches._started
    monkeypatch.setattr(
        Searches, "_started", lambda self, count: started.append(count) or begin(self, count)
    )
    monkeypatch.setenv(CORES, "2")
    assert designed(trajectories=2).model_dump_json() == one.model_dump_json()
    assert started == [2]


def test_seeds(monkeypatch):
    monkeypatch.setenv(CORES, "1")
    first = designed()
    assert designed().model_dump_json() == first.model_dump_json()
    assert designed(seed=1).trajectories[0].series != first.trajectories[0].series


def test_more_starts_are_never_worse(monkeypatch):
    monkeypatch.setenv(CORES, "1")
    setting = made_setting("double_pendulum", **SMALL)
    values = []
    for restarts in (1, 4):
        options = setting.options.model_copy(update={"restarts": restarts})
        with Searches(setting.recipe, options) as searches:
            values.append([attempt.value for attempt in searches.attempts(setting.given, 0)])
    assert values[1][0] == values[0][0]
    assert min(values[1]) < values[0][0]


def test_each_trajectory_adds(monkeypatch):
    """What is known after each grows, and the second is not the first again."""
    monkeypatch.setenv(CORES, "1")
    found = designed(trajectories=3)
    stds = np.array([parameter.std_after for parameter in found.parameters])
    assert (np.diff(stds, axis=1) < 0).all()
    one, two, _ = (trajectory.series for trajectory in found.trajectories)
    assert one != two
    assert stds[:, -1].tolist() == [parameter.std for parameter in found.parameters]


@pytest.mark.parametrize("processes", ["1"])
def test_time_is_kept(monkeypatch, processes):
    monkeypatch.setenv(CORES, processes)
    setting = made_setting("double_pendulum", **SMALL | {"iterations": 100000, "restarts": 10000})
    options = setting.options.model_copy(update={"seconds": 0.5})
    with Searches(setting.recipe, options) as searches:
        began = time.monotonic()
        attempts = searches.attempts(setting.given, 0)
        spent = time.monotonic() - began
    assert 1 <= len(attempts) < 1000
    assert spent < 3.0  # one step of a search, on a busy machine
    assert attempts[0].number == 0
