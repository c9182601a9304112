"""How well does a robot follow with fits in its controller, and what does it take to find out?

    python benchmarks/tracking.py [--motions 5] [--duration-s 2] [--engine mujoco]

The sample logs of panda, a robot that differs from its file by 20 %: fitted with and without
friction, then moves of the very robot that the logs are from, at three gains.

    rmse      mean of all joints and moves [deg]; a dash where a move was unstable
    feedback  what feedback adds to the torque, over the torque (rms)
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"

sys.path.insert(0, str(Path(__file__).parent.parent))
from robotid.contracts.tracking import Tracking, read_tracking

PROJECT = Path(__file__).parent.parent
LOGS = PROJECT / "sample_logs" / "panda"
FITS = {"sdp": (), "without-friction": ("--terms", "rotor")}


def robotid(folder: Path, *words: object) -> None:
    """The command as a user calls it, with a cache of its own."""
    here = {**os.environ, "ROBOTID_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": str(PROJECT)}
    command = [sys.executable, "-m", "robotid", *map(str, words), "--quiet"]
    subprocess.run(command, env=here, check=True, capture_output=True)


def fitted(folder: Path) -> list[Path]:
    """Both fits, from the logs."""
    robot = ("--robot", "panda")
    robotid(folder, "ingest", *sorted(LOGS.glob("*.csv")), *robot, "--out", folder / "data")
    robotid(folder, "filter", folder / "data", "--cutoff-hz", 10, "--out", folder / "filtered")
    for name, more in FITS.items():
        words = ("fit", folder / "filtered", *robot, "--model", "sdp", *more)
        robotid(folder, *words, "--out", folder / name)
    return [folder / name for name in FITS]


def table(found: Tracking) -> list[str]:
    """A line for each model."""
    gains = list(found.gains)
    lines = [f"{'rmse [deg]':18}" + "".join(f"{gain:>10}" for gain in gains) + "  feedback, last"]
    for name, model in found.models.items():
        scores = [None if own.rmse is None else own.rmse.mean.mean for own in model.outcomes]
        cells = "".join(f"{'-' if score is None else f'{score:.3g}':>10}" for score in scores)
        share = model.outcomes[-1].feedback_share
        lines.append(f"{name:18}{cells}" + ("" if share is None else f"{share.mean:12.2%}"))
    return lines


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--motions", type=int, default=5)
    parser.add_argument("--duration-s", type=float, default=2.0)
    parser.add_argument("--engine", default="mujoco")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        fits = fitted(folder)
        words = ("--motions", asked.motions, "--durations-s", asked.duration_s)
        words = ("--truth", LOGS, "--engine", asked.engine, *words, "--out", folder / "tracked")
        begin = time.perf_counter()
        robotid(folder, "track", *fits, "--robot", "panda", *words)
        taken = time.perf_counter() - begin
        found = read_tracking(folder / "tracked")
    print(*table(found), sep="\n")
    robots = len(found.models) * len(found.gains) * found.motions
    print(f"{robots} robots for {asked.duration_s:g} s each: {taken:.1f} s, all included")
    best = {one.best for one in found.ranked}
    print(f"followed best at every gain: {', '.join(map(str, sorted(map(str, best))))}")
    return int(best != {"sdp"})


if __name__ == "__main__":
    sys.exit(main())
