"""Logs of a simulated arm, against the loop over MuJoCo's steps that one writes for it."""

import itertools
from pathlib import Path

import mujoco
import numpy as np

from peers.comparison import Right, Task, Way
from robotid.robot.catalog import shipped_path
from robotid.stages.contract import Source
from robotid.stages.simulate import SimulateConfig, run

HZ, SECONDS = 1000.0, 10.0
SPRING, DAMPER, VISCOUS, ROTOR = 400.0, 40.0, 0.5, 0.1
NOISE = 1e-4
ABOUT = """Both have MuJoCo for accelerations and steps of 1 ms, follow slow Fourier series by
springs at the joints with gravity made up for, against friction and rotors, and write positions,
speeds and torques with noise as CSV. The loop is MuJoCo's own Euler, one acceleration a step;
robotid's Runge-Kutta takes four and steps all recordings side by side. It has dry friction as well,
draws links that differ from the file, and writes the truth beside the logs, noise-free signals
included."""


def tasks(folder: Path, *, quick: bool) -> list[Task]:
    """The task for one recording and for ten."""
    return [
        _task(folder / str(recordings), recordings, 0.5 if quick else SECONDS)
        for recordings in ((1,) if quick else (1, 10))
    ]


def _task(folder: Path, recordings: int, seconds: float) -> Task:
    robot, count = shipped_path("panda"), itertools.count()
    config = SimulateConfig(
        recordings=recordings, duration_s=seconds, rate_hz=HZ, control_hz=HZ, perturb=0.1
    )

    def made(way) -> Path:
        out = folder / str(next(count))
        out.mkdir(parents=True)
        way(out)
        return out

    def ours(out: Path) -> None:
        run(config, {"robot": [Source("", robot, "")]}, out)

    def theirs(out: Path) -> None:
        for number in range(recordings):
            looped(robot, seconds, np.random.default_rng(number), out / f"run{number}.csv")

    def right(out: Path) -> Right:
        """Recordings that are not as long as they should be, or stand still."""
        logs = [np.loadtxt(path, delimiter=",", skiprows=1) for path in sorted(out.glob("*.csv"))]
        ranges = [np.ptp(log[:, 1:8], axis=0) for log in logs if len(log) >= seconds * HZ]
        good = sum(own.min() > 1e-3 for own in ranges)
        said = f"{good} logs, joints move by {np.median(ranges):.2g} rad (median)"
        return Right(said, float(recordings - good))

    ways = {
        "robotid simulate": Way(lambda: made(ours), right, ("robotid", "mujoco")),
        "a loop over mujoco.mj_step, numpy.savetxt": Way(
            lambda: made(theirs), right, ("mujoco", "numpy")
        ),
    }
    name = "A simulated log" if recordings == 1 else f"{recordings} simulated logs"
    return Task(name, f"panda, {seconds:g} s each, at 1 kHz", ways, 0.0, ABOUT)


def looped(robot: Path, seconds: float, random: np.random.Generator, out: Path) -> None:
    """Simulate and write a log."""
    model = mujoco.MjModel.from_xml_path(str(robot))
    model.opt.timestep = 1 / HZ
    model.dof_damping[:], model.dof_armature[:] = VISCOUS, ROTOR
    data, n = mujoco.MjData(model), model.nv
    t = np.arange(int(seconds * HZ)) / HZ
    middle, room = model.jnt_range.mean(axis=1), np.ptp(model.jnt_range, axis=1)
    sizes, phases = random.uniform(0.0, 0.06, (3, n)) * room, random.uniform(0, 6, (3, n))
    turns = 0.628 * np.arange(1, 4)[:, None, None] * t[:, None] + phases[:, None]
    wanted = middle + (sizes[:, None] * np.sin(turns)).sum(0)
    speed = np.gradient(wanted, 1 / HZ, axis=0)
    data.qpos[:] = wanted[0]
    rows = np.empty((t.size, 1 + 3 * n))
    for k in range(t.size):
        mujoco.mj_step1(model, data)
        springs = SPRING * (wanted[k] - data.qpos) + DAMPER * (speed[k] - data.qvel)
        data.qfrc_applied[:] = data.qfrc_bias + springs
        rows[k] = np.concatenate([[t[k]], data.qpos, data.qvel, data.qfrc_applied])
        mujoco.mj_step2(model, data)
    rows[:, 1:] += random.normal(size=rows[:, 1:].shape) * NOISE
    names = ",".join(["t", *(f"{s}.{j}" for s in ("q", "qd", "tau") for j in range(n))])
    np.savetxt(out, rows, fmt="%.9g", delimiter=",", header=names, comments="")
