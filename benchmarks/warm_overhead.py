"""What safety costs a run that finds everything in the cache.

    python benchmarks/warm_overhead.py [--repeat 9] [--megabytes 100]

Before a warm run serves a result it reads every byte of it and compares SHA-256 and manifest. Time
inside those functions is added up and compared with the whole run, from the start of the
interpreter to its end. The limit is for a whole pipeline of logs as long as the samples (an arm,
four stages). A log of 100 MB is told beside it: there a run does little else than read.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from store_overhead import Timed, write_log

PROJECT = Path(__file__).parent.parent
LIMIT = 0.05
LONG = """
[stages.ingest]
inputs.logs = "log.csv"
[stages.filter]
inputs.dataset = "@ingest"
"""


def one_run(pipeline: str) -> float:
    """A warm run in this process; seconds spent on verifying."""
    from robotid.cli.main import main
    from robotid.store import store

    store.hash_file = checked = Timed(store.hash_file)
    store.read_manifest = manifests = Timed(store.read_manifest)
    code = main(["run", pipeline, "--json", "--quiet"])
    assert code in (0, 3), code
    return checked.seconds + manifests.seconds


def measured(pipeline: Path, repeat: int) -> tuple[float, float]:
    """Medians of the whole warm run and of verifying in it [s]."""
    cold = [sys.executable, "-m", "robotid", "run", pipeline, "--quiet"]
    subprocess.run(cold, check=True, capture_output=True)
    whole, safety = [], []
    for _ in range(repeat + 1):
        began = time.perf_counter()
        command = [sys.executable, __file__, "--one", str(pipeline)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        whole.append(time.perf_counter() - began)
        answer, seconds = done.stdout.strip().splitlines()
        assert all(stage["cached"] for stage in json.loads(answer)["stages"])
        safety.append(float(seconds))
    return statistics.median(whole[1:]), statistics.median(safety[1:])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(one_run(options.one))
        return 0
    folder = Path(tempfile.mkdtemp(prefix="robotid-warm-"))
    os.environ["ROBOTID_CACHE_DIR"] = str(folder / "cache")
    try:
        whole, safety = measured(PROJECT / "pipelines" / "arm.toml", options.repeat)
        good = safety <= LIMIT * whole
        print(
            f"warm run of the arm's pipeline: {1000 * whole:.0f} ms, {1000 * safety:.1f} ms of it "
            f"for verifying: {100 * safety / whole:.1f} % (at most {100 * LIMIT:.0f} %)"
        )
        write_log(folder / "log.csv", options.megabytes)
        (folder / "long.toml").write_text(LONG)
        whole, safety = measured(folder / "long.toml", options.repeat)
        print(
            f"warm run of ingest and filter of a log of {options.megabytes} MB: "
            f"{1000 * whole:.0f} ms, {1000 * safety:.0f} ms for verifying what they wrote: "
            f"{100 * safety / whole:.0f} %"
        )
    finally:
        shutil.rmtree(folder)
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
