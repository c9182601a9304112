"""Generated and planted inputs at full count: damaged files, numerical traps, hostile fixtures.

    python benchmarks/soak.py [--each 1000] [--clean 200] [--only damaged traps hostile network]

Runs the tests that make these inputs with larger counts than `make test` does, and says how many
there were. One of them that ends in anything but what it must fails here, too.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
# What is damaged, the tests that do it, and how many files each case of them makes per count.
DAMAGED = {
    "logs": ("tests/logs/test_damage.py", "test_only_errors_of_robotid_escape", 1),
    "tables of any dialect": ("tests/logs/test_text_grammar.py", "test_", 3),
    "recordings with a planted defect": ("tests/ingestion/test_planted.py", "test_", 1),
    "URDF": ("tests/robot/test_urdf_errors.py", "test_mutated_files_are_read_or_refused", 3),
    "URDF with values exchanged": ("tests/robot/test_urdf_errors.py", "test_shuffled_", 2),
    "MJCF": ("tests/robot/test_mjcf.py", "test_mutated_files_are_read_or_refused", 1),
    "pipelines and maps": ("tests/runner/test_damaged_toml.py", "test_only_errors_of_", 1),
}
HOSTILE_ROW = re.compile(r"test_(?:[a-z]\d\d_)*s\d\d")


def cases(
    arguments: list[str], before: tuple[str, ...] = (), **variables: str
) -> list[tuple[str, bool]]:
    """Run tests, as `before` wants it; name and success of each that was not skipped."""
    with tempfile.TemporaryDirectory(prefix="robotid-soak-") as folder:
        told = Path(folder) / "told.xml"
        command = [*before, sys.executable, "-m", "pytest", f"--junitxml={told}", *arguments]
        environment = {**os.environ, **variables}
        done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True)
        found = [
            (
                f"{case.get('classname')}::{case.get('name')}",
                not any(c.tag != "skipped" for c in case),
            )
            for case in ET.parse(told).iter("testcase")
            if case.find("skipped") is None
        ]
    if done.returncode != 0:
        print(done.stdout[-3000:], file=sys.stderr)
    return found


def damaged(options: argparse.Namespace) -> bool:
    """Damaged logs, robot files, pipelines and maps."""
    total, failed, told = 0, 0, []
    for what, (file, test, times) in DAMAGED.items():
        found = cases([file, "-k", test], ROBOTID_MUTATIONS=str(options.each))
        made = times * options.each * len(found)
        total, failed = total + made, failed + sum(not good for _, good in found)
        told.append(f"{made:,} {what}")
    print(
        f"damaged inputs: {total:,} ({', '.join(told)}), {failed} kinds of them with an error that "
        "is not robotid's own"
    )
    return not failed


def traps(options: argparse.Namespace) -> bool:
    """Numerical traps, one by one, and sound logs."""
    found = cases(["tests/traps"], ROBOTID_CLEAN_RUNS=str(options.clean))
    planted = [good for name, good in found if "test_planted_traps_are_named" in name]
    (quiet,) = (good for name, good in found if "test_sound_logs_are_quiet" in name)
    print(
        f"numerical traps: {len(planted)} planted, {sum(planted)} named by their code; "
        f"{options.clean} sound logs, {'at most' if quiet else 'MORE than'} 2 % of them blamed"
    )
    return all(planted) and quiet


def hostile(_: argparse.Namespace) -> bool:
    """Every test of a row S of docs/reliability.md, each with a fixture of its own."""
    rows = " or ".join(f"s{row:02d}" for row in range(1, 33))
    found = [(name, good) for name, good in cases(["-k", rows]) if HOSTILE_ROW.search(name)]
    print(
        f"hostile fixtures: {len(found)}, "
        f"{sum(not good for _, good in found)} executed, written outside or injected anything"
    )
    return all(good for _, good in found)


def network(_: argparse.Namespace) -> bool:
    """All tests in a name space that has no network, not even to this machine itself."""
    found = cases(["-n", "2", "--dist", "loadfile"], before=("unshare", "--net"))
    failed = [name for name, good in found if not good]
    print(f"without a network: {len(found)} tests, {len(failed)} failed {', '.join(failed[:3])}")
    return not failed


PARTS = {"damaged": damaged, "traps": traps, "hostile": hostile, "network": network}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--each", type=int, default=1000, help="damaged files of each kind")
    parser.add_argument("--clean", type=int, default=200, help="sound logs")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    began = time.perf_counter()
    good = [PARTS[part](options) for part in options.only]
    print(f"{time.perf_counter() - began:.0f} s")
    return int(not all(good))


if __name__ == "__main__":
    sys.exit(main())
