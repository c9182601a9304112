"""Logs of an arm with two joints, taken through ingest, filter and fit in this process."""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from inline import run_inline

from robotid.errors import ConfigError, Notice
from robotid.information.layout import TERMS, Layout
from robotid.information.regressor import Motion
from robotid.robot.load import load_robot
from robotid.runner.pipeline import load_pipeline
from robotid.simulation.perturbation import perturbed
from robotid.store.store import Store
from tests.fitting.samples import torques
from tests.information.motions import harmonics

ROBOT = "double_pendulum"
RATE = 250.0
JOINTS = tuple(load_robot(ROBOT).tree.joint_names)
PIPELINE = f"""
[stages.ingest]
inputs.logs = "*.csv"
inputs.robot = "{ROBOT}"
test = ["last"]

[stages.filter]
inputs.dataset = "@ingest"
cutoff_hz = 10.0

[stages.fit]
inputs.dataset = "@filter"
inputs.robot = "{ROBOT}"
model = "ols"
"""

Log = dict[str, np.ndarray]  # t, and q, qd, tau of shape (samples, joints)


class Outcome(NamedTuple):
    """Findings of all stages, those that refused included, and the exit code."""

    notices: list[Notice]
    exit_code: int

    @property
    def codes(self) -> set[str]:
        return {notice.code for notice in self.notices}

    def said(self, code: str) -> Notice:
        return next(notice for notice in self.notices if notice.code == code)


@lru_cache
def _layout() -> Layout:
    return Layout(load_robot(ROBOT).tree, TERMS)


@lru_cache
def truth() -> np.ndarray:
    """Parameters of links other than those of the robot file, and of joints."""
    rng, layout = np.random.default_rng(7), _layout()
    links = perturbed(layout.robot, 0.3, rng).phi.ravel()
    terms = {"viscous": 0.2, "coulomb": 0.05, "offset": 0.1, "rotor": 0.05}
    return np.concatenate([links, [terms[term] for _ in JOINTS for term in layout.terms]])


def logs(seed=0, speed=0.6, samples=5000, noise=0.01) -> dict[str, Log]:
    """Two recordings, `first` for training and `last` for the test, that may be changed.

    Torques are those of the equation of motion, with white noise: a share of each joint's torque.
    """
    made = {}
    for place, name in enumerate(("first", "last")):
        motion = harmonics(_layout().robot, samples, speed, 2 * seed + place, RATE)
        made[name] = log_of(motion, noise, 2 * seed + place)
    return made


def log_of(motion: Motion, noise=0.01, seed=0) -> Log:
    """What is recorded of a motion."""
    rng = np.random.default_rng([seed, 1])
    tau = torques(_layout(), motion, truth())
    size = np.sqrt(np.mean(tau**2, axis=0))
    return {
        "t": np.arange(len(tau)) / RATE,
        "q": motion.q + 1e-5 * rng.normal(size=tau.shape),
        "qd": motion.qd + 1e-3 * rng.normal(size=tau.shape),
        "tau": tau + noise * size * rng.normal(size=tau.shape),
    }


def write(folder: Path, recordings: dict[str, Log]) -> None:
    for name, log in recordings.items():
        columns = {"t": log["t"]}
        for signal in ("q", "qd", "tau"):
            for index, joint in enumerate(JOINTS):
                if signal in log:
                    columns[f"{signal}.{joint}"] = log[signal][:, index]
        values = np.column_stack(list(columns.values()))
        head = ",".join(columns)
        np.savetxt(folder / f"{name}.csv", values, "%.12g", ",", header=head, comments="")


def outcome(folder: Path, recordings: dict[str, Log], *settings: str, until="fit") -> Outcome:
    """What a run says of recordings.

    Args:
        folder: an empty one.
        recordings: by name.
        settings: `stage.key=value`.
        until: the last stage that is run.
    """
    write(folder, recordings)
    (folder / "pipeline.toml").write_text(PIPELINE)
    try:
        graph = load_pipeline(folder / "pipeline.toml", settings).until(until)
    except ConfigError as error:  # before anything runs
        return Outcome([error.notice], int(error.exit_code))
    result, _ = run_inline(graph, Store(folder / "cache"))
    found = [notice for stage in result.stages for notice in stage.notices]
    found += [stage.error.notice for stage in result.stages if stage.error is not None]
    return Outcome(found, int(result.exit_code))
