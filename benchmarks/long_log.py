"""A long log from CSV to information factors: time and memory of all processes together.

python benchmarks/long_log.py [--millions 17.5]

Seven joints of a Panda at 1 kHz, positions, velocities and torques with noise and friction;
`robotid run` with ingest (all checks, against the robot), filter and factors. Memory is what all
its processes hold between them (Pss: shared pages count once).
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import torch

from robotid.dynamics.rnea import rnea
from robotid.robot.load import load_robot

MOST_MEMORY = 1000  # MB
RATE_HZ, PERIOD_S = 1000, 20
PIPELINE = """
[stages.ingest]
inputs.logs = "log.csv"
inputs.robot = "panda"

[stages.filter]
inputs.dataset = "@ingest"
cutoff_hz = 20.0

[stages.factors]
inputs.dataset = "@filter"
inputs.robot = "panda"
"""


@cache
def one_period() -> dict[str, np.ndarray]:
    """A motion that repeats itself, and what it takes."""
    robot = load_robot("panda").tree
    t = np.arange(PERIOD_S * RATE_HZ) / RATE_HZ
    middle = (robot.bound("lower") + robot.bound("upper")) / 2
    base = 2 * np.pi / PERIOD_S
    q, qd, qdd = (np.zeros((t.size, robot.n)) for _ in range(3))
    rng = np.random.default_rng(1)
    for harmonic in (2, 3, 5, 7):
        w = base * harmonic
        size, phase = 0.25 / harmonic * rng.uniform(0.5, 1.5, robot.n), rng.uniform(0, 6, robot.n)
        angle = w * t[:, None] + phase
        q += size * np.sin(angle)
        qd += size * w * np.cos(angle)
        qdd -= size * w**2 * np.sin(angle)
    q += middle
    with torch.no_grad():
        tau = rnea(robot, *(torch.from_numpy(x) for x in (q, qd, qdd))).numpy()
    tau += 0.8 * qd + 1.2 * np.tanh(qd / 0.01)
    names = robot.joint_names
    return {
        f"{signal}.{name}": values[:, i]
        for signal, values in (("q", q), ("qd", qd), ("tau", tau))
        for i, name in enumerate(names)
    }


def write_log(path: Path, samples: int, seed: int = 2) -> None:
    """The motion over and over, each time with other noise."""
    period, rng, done = one_period(), np.random.default_rng(seed), 0
    noise = {"q": 1e-5, "qd": 2e-3, "tau": 0.1}
    with path.open("wb") as file:
        while done < samples:
            rows = min(PERIOD_S * RATE_HZ, samples - done)
            columns = {"t": (done + np.arange(rows)) / RATE_HZ}
            for name, values in period.items():
                level = noise[name.partition(".")[0]]
                columns[name] = values[:rows] + level * rng.standard_normal(rows)
            frame = pl.DataFrame(columns)
            frame.write_csv(file, include_header=not done, float_precision=7)
            done += rows


def family(root: int) -> set[int]:
    """A process and all below it."""
    parents = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                stat = Path(entry.path, "stat").read_text()
            except OSError:
                continue
            parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    found = {root}
    while grown := {p for p, parent in parents.items() if parent in found} - found:
        found |= grown
    return found


def held_by(root: int) -> float:
    """Memory of a process and all below it [MB]."""
    total = 0
    for process in family(root):
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--millions", type=float, default=1.0)
    given = parser.parse_args()
    samples = int(given.millions * 1e6)
    with tempfile.TemporaryDirectory(prefix="robotid-long-") as name:
        folder = Path(name)
        write_log(folder / "log.csv", samples)
        (folder / "long.toml").write_text(PIPELINE)
        size = (folder / "log.csv").stat().st_size / 1e6
        command = [Path(sys.executable).parent / "robotid", "run", folder / "long.toml", "--quiet"]
        began, peak = time.perf_counter(), 0.0
        environment = {**os.environ, "ROBOTID_CACHE_DIR": str(folder / "cache")}
        with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as running:
            while running.poll() is None:
                peak = max(peak, held_by(running.pid))
                time.sleep(0.1)
        seconds = time.perf_counter() - began
        print(
            f"{given.millions:g} million samples of 7 joints, CSV of {size:.0f} MB, to factors: "
            f"{seconds:.0f} s, {peak:.0f} MB at most (limit {MOST_MEMORY}), "
            f"exit code {running.returncode}"
        )
        return int(running.returncode != 0 or peak > MOST_MEMORY)


if __name__ == "__main__":
    sys.exit(main())
