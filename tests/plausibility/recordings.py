"""Recordings of shipped robots with known truth, and what the checks say of them."""

from functools import lru_cache

import numpy as np

from robotid.contracts.recording import Joint
from robotid.plausibility.plausibility import Plausibility
from robotid.robot.load import load_robot
from robotid.simulation.options import SimulationOptions
from robotid.simulation.scenario import simulate

RATE = 250


@lru_cache(maxsize=16)
def simulated(name, **options):
    """Robot, times [s], and q, qd, tau of shape (samples, n) with noise and friction."""
    robot = load_robot(name).tree
    chosen = SimulationOptions(
        **{
            "recordings": 1,
            "rate_hz": RATE,
            "duration_s": 12.0,
            "period_s": 5.0,
            "perturb": 0.1,
            "seed": 3,
            **options,
        }
    )
    done = simulate(robot, robot, chosen)
    log = done.logs["run1"]
    return robot, done.t, log.q, log.qd, log.tau


def recording(name, **options):
    """Columns that may be changed, joints, robot."""
    robot, t, q, qd, tau = simulated(name, **options)
    columns = {
        "t": np.round(t * 1e9).astype(np.int64),
        "segment": np.zeros(len(t), np.int64),
    }
    signals = {"q": q, "qd": qd, "tau": tau}
    for signal, values in signals.items():
        if values is None:
            continue
        for index, joint in enumerate(robot.driven):
            columns[f"{signal}.{joint.name}"] = values[:, index].copy()
    return columns, joints_of(robot), robot


def joints_of(robot):
    kinds = {"continuous": "revolute"}
    return [Joint(name=j.name, kind=kinds.get(j.kind, j.kind)) for j in robot.driven]


def checked(columns, joints, robot, batch=None, **options):
    """The checks after all rows went through them, in batches."""
    names = [name for name in columns if name not in ("t", "segment")]
    checks = Plausibility(names, joints, robot, file="log.csv", **options)
    rows = len(columns["t"])
    for start in range(0, rows, batch or rows):
        part = slice(start, start + (batch or rows))
        checks.push({name: values[part] for name, values in columns.items()})
    return checks


def found(columns, joints, robot, **options):
    """Codes with joints: of what is refused, and of the rest."""
    findings = checked(columns, joints, robot, **options).findings()
    refused = {(f.notice.code, f.notice.joint) for f in findings if f.refused}
    others = {(f.notice.code, f.notice.joint) for f in findings if not f.refused}
    return refused, others
