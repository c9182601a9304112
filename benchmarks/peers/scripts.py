"""A whole log to parameters, against what a user writes with scipy, Pinocchio and numpy.

Once in memory, and once as commands: from a CSV file to parameters in a file, imports and all.
"""

import itertools
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
from fit import NOISE, RATE_HZ, our_functions, panda_log, their_script
from robots import excitation

from peers.comparison import Right, Task, Way
from robotid.contracts.fit import read_fit
from robotid.information.layout import Layout
from robotid.information.regressor import Motion, row_columns
from robotid.robot.catalog import shipped_path
from robotid.signals.threads import Threads

HERE = Path(__file__).parent
EVERY = 20  # samples: what is left after a low-pass of 10 Hz
IN_MEMORY = f"""Functions in memory: filter, accelerations, least squares. A regressor for every
sample is more than a low-pass of 10 Hz leaves to see; the second script takes every {EVERY}th, as
an experienced user does. robotid passes over all of them."""
AS_COMMANDS = """Processes, from starting Python to a file with parameters. The script takes every
20th sample after the filter, and knows robot, rates and columns. robotid checks the log against
the robot file, fits links that can exist, with uncertainty, held-out errors, baselines and a
verdict, and keeps every stage in an empty cache."""
PIPELINE = """
[stages.ingest]
inputs.logs = "{log}"
inputs.robot = "panda"
[stages.filter]
inputs.dataset = "@ingest"
cutoff_hz = 10.0
[stages.fit]
inputs.dataset = "@filter"
inputs.robot = "panda"
"""


def tasks(folder: Path, *, quick: bool) -> list[Task]:
    """Both tasks; what is right are torques of another motion without noise."""
    samples = int((6.0 if quick else 120.0) * RATE_HZ)
    layout, (q, qd, _), tau = panda_log(samples, NOISE)
    rng = np.random.default_rng(2)
    log = {
        "q": q + 1e-5 * rng.normal(size=q.shape),
        "qd": qd + 1e-3 * rng.normal(size=q.shape),
        "tau": tau,
    }
    columns = {"t": np.arange(len(q)) * (10**9 // int(RATE_HZ))}
    for name, values in log.items():
        for j, joint in enumerate(layout.robot.joint_names):
            columns[f"{name}.{joint}"] = np.ascontiguousarray(values[:, j])
    right, size = judge_of(layout), f"{samples / RATE_HZ:.0f} s of 7 joints at 1 kHz"
    return [in_memory(layout, log, columns, right, size), as_commands(folder, columns, right, size)]


def judge_of(layout: Layout):
    """Judges parameters of all links and joints by torques."""
    other = Motion(*excitation(layout.robot, 2000, 100.0, seed=7))
    W = row_columns(layout, other)
    truth = np.concatenate([layout.robot.phi.ravel(), np.tile([0.8, 0.5, 0.0, 0.1], 7)])

    def torques(phi: np.ndarray) -> np.ndarray:
        return np.column_stack([w @ phi[c] for w, c in zip(W, layout.columns, strict=True)])

    def right(phi: np.ndarray) -> Right:
        error = float(np.sqrt(np.mean((torques(phi) - torques(truth)) ** 2)))
        return Right(f"torques of another motion within {error:.2g} N m", error)

    return right


def in_memory(layout, log, columns, right, size: str) -> Task:
    with Threads() as threads:
        _, trim = our_functions(layout, columns, threads)

    def ours() -> np.ndarray:
        with Threads() as threads:
            found, _ = our_functions(layout, columns, threads)
        return found.around(np.zeros(layout.parameters))

    packages = ("scipy", "pin", "numpy")
    ways = {
        "robotid filter, factors, least squares": Way(ours, right, ("robotid",)),
        "scipy, a Pinocchio loop, numpy.linalg.lstsq": Way(
            lambda: their_script(layout, log, trim), right, packages
        ),
        f"the same with every {EVERY}th sample": Way(
            lambda: their_script(layout, log, trim, EVERY), right, packages
        ),
    }
    return Task("A log to base parameters", size, ways, 0.1, IN_MEMORY)


def as_commands(folder: Path, columns, right, size: str) -> Task:
    log, pipeline, robot = folder / "log.csv", folder / "p.toml", shipped_path("panda")
    pl.DataFrame({**columns, "t": columns["t"] / 1e9}).write_csv(log)
    pipeline.write_text(PIPELINE.format(log=log))
    count = itertools.count()

    def ours() -> np.ndarray:
        own = folder / f"run{next(count)}"
        command = [Path(sys.executable).parent / "robotid", "run", pipeline, "--out", own]
        done = subprocess.run(
            [*command, "--cache-dir", own.with_suffix(".cache"), "--quiet"], capture_output=True
        )
        if done.returncode not in (0, 4):
            raise RuntimeError(done.stderr.decode())
        return np.array([one.value for one in read_fit(own / "fit").parameters], dtype=float)

    def theirs() -> np.ndarray:
        out = folder / "script.json"
        subprocess.run([sys.executable, HERE / "usual_script.py", log, robot, out], check=True)
        return np.array(json.loads(out.read_text()))

    ways = {
        "robotid run": Way(ours, right, ("robotid",)),
        "a script with pandas, scipy, Pinocchio": Way(
            theirs, right, ("pandas", "scipy", "pin", "numpy")
        ),
    }
    return Task("From a CSV file to parameters", size, ways, 0.2, AS_COMMANDS)
