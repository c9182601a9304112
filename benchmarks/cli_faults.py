"""Faults in whole runs of the command line: kills, signals, broken disks, neighbours, damage.

    python benchmarks/cli_faults.py [--kills 300] [--points 320] [--quick]

After every fault a checker that does not know robotid looks at each visible entry of the cache, the
exit code must be a documented one, and nothing may be half delivered. The next run must end with 0
and deliver the very bytes of a clean run.
"""

import argparse
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from faults.injected import injected
from faults.kills import kills, polite_signals
from faults.scene import Scene
from faults.situations import situations

PARTS = ("kills", "signals", "points", "situations")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=300, help="kill -9 of the process group")
    parser.add_argument("--signals", type=int, default=90, help="SIGINT, SIGTERM, SIGHUP")
    parser.add_argument("--points", type=int, default=320, help="system calls that fail or kill")
    parser.add_argument("--situations", type=int, default=10, help="how often each is made")
    parser.add_argument("--quick", action="store_true", help="one of each, to see that it works")
    parser.add_argument("--minutes", type=float, default=1e6, help="stop each part after that")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job hands down "ignore"
    wanted = {part: 1 if options.quick else getattr(options, part) for part in PARTS}
    chance, began = random.Random(options.seed), time.monotonic()
    root = Path(tempfile.mkdtemp(prefix="robotid-cli-faults-"))
    counts: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    try:
        scene = Scene(root)
        for part, harness in zip(PARTS, (kills, polite_signals, injected, situations), strict=True):
            for trial in harness(scene, wanted[part], chance):
                counts[trial.label] += trial.met
                wrong[trial.label] += bool(trial.wrong)
                for what in trial.wrong:
                    print(f"{trial.label}: {what}", file=sys.stderr, flush=True)
                if time.monotonic() - began > 60 * options.minutes:
                    break
    finally:
        shutil.rmtree(root)
    for label, count in counts.items():
        print(f"  {label:<24} {count:5d} faults, {wrong[label]} wrong")
    print(
        f"faults in whole runs: {counts.total()} in {time.monotonic() - began:.0f} s, "
        f"{wrong.total()} wrong"
    )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
