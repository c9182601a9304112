"""Faults in whole runs of the command line: kills, signals, broken disks, neighbours, damage.

    python benchmarks/cli_faults.py [kills] [points] [signals] [situations] [--kills 300] [--quick]

After every fault a checker that does not know robotid looks at each visible entry of the cache, the
exit code must be a documented one, and nothing may be half delivered. The next run must end with 0
and deliver the very bytes of a clean run. Each part is shared out to processes, which work in
folders of their own.
"""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from faults.injected import injected
from faults.kills import kills, polite_signals
from faults.scene import Scene
from faults.situations import situations

PARTS = {"kills": kills, "points": injected, "signals": polite_signals, "situations": situations}
PARTS_HELP = f"of {', '.join(PARTS)}; all, if none is named"
Counts = tuple[Counter[str], Counter[str]]  # faults, and those after which something was wrong


def tried(part: str, count: int, seed: int, minutes: float) -> Counts:
    """One part; what is wrong is said at once."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job hands down "ignore"
    root = Path(tempfile.mkdtemp(prefix="robotid-cli-faults-"))
    counts: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    end = time.monotonic() + 60 * minutes
    try:
        scene = Scene(root)
        for trial in PARTS[part](scene, count, random.Random(seed)):
            counts[trial.label] += trial.met
            wrong[trial.label] += bool(trial.wrong)
            for what in trial.wrong:
                print(f"{trial.label}: {what}", file=sys.stderr, flush=True)
            if time.monotonic() > end:
                break
    finally:
        shutil.rmtree(root)
    return counts, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=PARTS_HELP)
    parser.add_argument("--kills", type=int, default=300, help="kill -9 of the process group")
    parser.add_argument("--signals", type=int, default=90, help="SIGINT, SIGTERM, SIGHUP")
    parser.add_argument("--points", type=int, default=320, help="system calls that fail or kill")
    parser.add_argument("--situations", type=int, default=10, help="how often each is made")
    parser.add_argument("--quick", action="store_true", help="one of each, to see that it works")
    parser.add_argument("--minutes", type=float, default=1e6, help="stop each part after that")
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    began = time.monotonic()
    counts: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    jobs = []
    with ProcessPoolExecutor(options.processes) as pool:
        for number, part in enumerate(PARTS):
            if part in (options.parts or PARTS):
                total = 1 if options.quick else getattr(options, part)
                for place, count in enumerate(shares(total, options.processes)):
                    seed = options.seed + 1000 * place + number
                    jobs.append(pool.submit(tried, part, count, seed, options.minutes))
        for job in jobs:
            for total_of, more in zip((counts, wrong), job.result(), strict=True):
                total_of.update(more)
    for label, count in counts.items():
        print(f"  {label:<24} {count:5d} faults, {wrong[label]} wrong")
    print(
        f"faults in whole runs: {counts.total()} in {time.monotonic() - began:.0f} s, "
        f"{wrong.total()} wrong"
    )
    return int(wrong.total() > 0)


def shares(count: int, processes: int) -> list[int]:
    """So many, as even as can be."""
    each = [(count + place) // processes for place in range(processes)]
    return [share for share in each if share]


if __name__ == "__main__":
    sys.exit(main())
