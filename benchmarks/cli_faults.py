"""Faults in whole runs of the command line: kills, signals, broken disks, neighbours, damage.

    python benchmarks/cli_faults.py [--kills 300] [--points 320] [--quick]

After every fault a checker that does not know robotid looks at each visible entry of the cache, the
exit code must be a documented one, and nothing may be half delivered. The next run must end with 0
and deliver the very bytes of a clean run.
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from faults import injected, kills
from faults.scene import Scene


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--points", type=int, default=320)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    root = Path(tempfile.mkdtemp(prefix="robotid-cli-faults-"))
    began = time.monotonic()
    scene = Scene(root)
    counts: Counter[str] = Counter()
    found = injected.injected(scene, options.points, chance, counts)
    shutil.rmtree(root)
    for label, what in found:
        print(f"  {label}: {what}")
    print(counts, len(found), time.monotonic() - began)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
