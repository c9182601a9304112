"""How long robotid takes when there is nothing to do.

    python benchmarks/startup.py [--repeat 15]

All commands of a group run in turn, several times, so that a busy machine slows them alike; the
ratios are those of the medians.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
# What a warm run cannot do without: the command line, the configuration classes, TOML, the runner.
IMPORTS = (
    "import typer, pydantic, json, hashlib, tomllib, importlib.metadata, selectors, subprocess; "
    "import robotid.cli.run, robotid.cli.session, robotid.cli.answer, robotid.runner.pipeline; "
    "from robotid.stages.catalog import CATALOG, stage_named; [stage_named(n) for n in CATALOG]"
)


def medians(commands: dict[str, list[str]], repeat: int, env: dict[str, str]) -> dict[str, float]:
    """Median time [s] of each command, run in turn."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for round_number in range(repeat + 1):
        for name, command in commands.items():
            began = time.perf_counter()
            subprocess.run(command, env=env, check=True, capture_output=True)
            if round_number:  # the first round fills the disk caches
                times[name].append(time.perf_counter() - began)
    return {name: statistics.median(values) for name, values in times.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=15)
    options = parser.parse_args()
    robotid, python = str(BIN / "robotid"), sys.executable
    with tempfile.TemporaryDirectory(prefix="robotid-startup-") as cache:
        env = {**os.environ, "ROBOTID_CACHE_DIR": str(Path(cache) / "cache")}
        run = [robotid, "run", str(PROJECT / "pipelines" / "arm.toml")]
        subprocess.run(run, env=env, check=True, capture_output=True)
        found = medians(
            {
                "python -c 'import typer, rich'": [python, "-c", "import typer, rich"],
                "robotid --version": [robotid, "--version"],
                "robotid --help": [robotid, "--help"],
                "robotid fit --help": [robotid, "fit", "--help"],
                "robotid run --help": [robotid, "run", "--help"],
                "robotid cache gc --help": [robotid, "cache", "gc", "--help"],
                "interpreter + imports": [python, "-c", IMPORTS],
                "warm run of 4 stages": run,
            },
            options.repeat,
            env,
        )
    names = list(found)
    failed = False
    for name in names[1:6]:
        ratio = found[name] / found[names[0]]
        failed |= ratio > 2.0
        print(f"{name}: {1000 * found[name]:.0f} ms, {ratio:.2f} x {names[0]} (at most 2)")
    ratio = found[names[7]] / found[names[6]]
    failed |= ratio > 1.5
    print(f"{names[7]}: {1000 * found[names[7]]:.0f} ms, {ratio:.2f} x {names[6]} (at most 1.5)")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
