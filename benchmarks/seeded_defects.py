"""Do the tests bite? Plants one defect at a time in a copy of the package and runs tests on it.

    python benchmarks/seeded_defects.py [--only NAME...]

`defects.py` lists the defects. The tests it names for one must pass on the copy as it is, and one
of them must fail once the defect is planted.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from defects import DEFECTS, Defect

PROJECT = Path(__file__).resolve().parent.parent
COPIED = ("robotid", "tests", "benchmarks", "pyproject.toml")
LINKED = ("docs", "pipelines", "sample_logs", "schemas", "README.md")
PASSED, FAILED = 0, 1  # exit codes of pytest; any other means that tests did not run


def copied(into: Path) -> Path:
    """A copy of what tests need, without compiled files."""
    into.mkdir()
    for name in COPIED:
        if (PROJECT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(PROJECT / name, into / name, ignore=ignored)
        else:
            shutil.copy(PROJECT / name, into / name)
    for name in LINKED:
        (into / name).symlink_to(PROJECT / name)
    return into


def tested(copy: Path, tests: list[str]) -> subprocess.CompletedProcess[str]:
    """Run tests of a copy on the package beside them, until one fails."""
    command = [sys.executable, "-B", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    variables = {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        command, cwd=copy, env={**os.environ, **variables}, capture_output=True, text=True
    )


def planted(defect: Defect, copy: Path) -> str:
    """Plant a defect, run its tests, take it out again; what came of it."""
    path = copy / "robotid" / defect.file
    sound = path.read_bytes()
    path.write_text(sound.decode().replace(defect.old, defect.new), encoding="utf-8")
    try:
        done = tested(copy, list(defect.tests))
    finally:
        path.write_bytes(sound)
    if done.returncode == PASSED:
        return "MISSED"
    if done.returncode != FAILED:
        return f"BROKEN: {done.stdout[-1500:]}{done.stderr[-500:]}"
    noticed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return f"caught by {noticed[0].split()[1].partition('[')[0]}" if noticed else "caught"


def stale() -> list[str]:
    """Defects whose old text does not stand in its file exactly once."""
    return [
        defect.name
        for defect in DEFECTS
        if (PROJECT / "robotid" / defect.file).read_text(encoding="utf-8").count(defect.old) != 1
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", help="names of defects")
    options = parser.parse_args()
    wanted = [d for d in DEFECTS if options.only is None or d.name in options.only]
    if stale() or not wanted:
        print(f"not found: {stale() or options.only}")
        return 1
    root, missed = Path(tempfile.mkdtemp(prefix="robotid-defects-")), 0
    try:
        copy = copied(root / "copy")
        sound: set[str] = set()
        for defect in wanted:
            control = [test for test in defect.tests if test not in sound]
            done = tested(copy, control) if control else None
            if done is not None and done.returncode != PASSED:
                print(
                    f"{control} fail without any defect\n{done.stdout[-3000:]}{done.stderr[-1000:]}"
                )
                return 1
            sound.update(control)
            began = time.perf_counter()
            outcome = planted(defect, copy)
            missed += not outcome.startswith("caught")
            seconds = time.perf_counter() - began
            print(f"{defect.name:45s} {outcome} ({seconds:.0f} s)", flush=True)
    finally:
        shutil.rmtree(root)
    print(f"\n{len(wanted)} defects, {len(wanted) - missed} caught, {missed} missed")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
