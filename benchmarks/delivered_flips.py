"""Flip bits and cut files in delivered folders; each command they are given to must notice.

    python benchmarks/delivered_flips.py [--flips 30] [--cuts 10]

Every kind of result is delivered with --out. Then one file at a time is damaged, and the folder (or
the file, where a command takes files) is given as an input: the command must refuse it with exit
code 65. Predictions, and exports other than robots, are no inputs of any command.
"""

import argparse
import contextlib
import io
import random
import shutil
import sys
import tempfile
from pathlib import Path

from bit_flips import damages

from robotid.cli.main import main as robotid

EVERYTHING = Path(__file__).parent / "faults" / "every_artefact.toml"
# what is damaged -> the command that takes it, `{}` being the results, `{file}` the damaged file
FOLDERS = {
    "ingest": "filter {}/ingest",
    "filter": "fit {}/filter --robot pendulum",
    "fit": "report {}/fit",
    "report": "report {}/fit --baseline {}/report",
    "excite": "simulate --robot pendulum --design {}/excite",
    "factors": "fit {}/filter --robot pendulum --factors {}/factors",
}
FILES = {
    "simulate/t1.csv": "ingest {file} --robot pendulum",
    "export/robot.urdf": "factors {}/filter --robot {file}",
    "report/report.json": "report {}/fit --baseline {file}",
}


def call(command: str, results: Path, file: Path, cache: Path) -> tuple[int, str]:
    """Exit code and messages of a command, in this process."""
    words = [word.format(results, file=file) for word in command.split()]
    said = io.TextIOWrapper(io.BytesIO(), write_through=True)
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        code = robotid([*words, "--cache-dir", str(cache), "--quiet", "--jobs", "1"])
    return code, said.buffer.getvalue().decode()


def sweep(
    label: str, command: str, results: Path, file: Path, options: argparse.Namespace
) -> tuple[int, int]:
    """Damage one file again and again; how often, and how often it was refused."""
    data, chance = file.read_bytes(), random.Random(label)
    control = call(command, results, file, results.parent / "cache")
    assert control[0] == 0, f"without damage: {control}"
    count = found = 0
    for bad in damages(data, options.flips, options.cuts, chance):
        file.write_bytes(bad)
        code, said = call(command, results, file, results.parent / "cache")
        count += 1
        found += code == 65 and "Traceback" not in said
    file.write_bytes(data)
    print(f"  {label}: {count} damages, {found} refused", flush=True)
    return count, found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flips", type=int, default=30)
    parser.add_argument("--cuts", type=int, default=10)
    parser.add_argument("--until", help="deliver only what this stage needs, and itself")
    options = parser.parse_args()
    root = Path(tempfile.mkdtemp(prefix="robotid-delivered-"))
    results, cache = root / "results", root / "cache"
    until = f" --until {options.until}" if options.until else ""
    made = call(f"run {EVERYTHING} --out {{}}{until}", results, results, cache)
    assert made[0] == 0, made
    total = refused = 0
    wanted = {
        file: command
        for name, command in FOLDERS.items()
        for file in sorted(results.glob(f"{name}/**/*.*"))
    }
    jobs = [(f"{file.relative_to(results)}", command, file) for file, command in wanted.items()]
    jobs += [(f"{name} alone", command, results / name) for name, command in FILES.items()]
    for label, command, file in jobs:
        if file.exists():
            count, found = sweep(label, command, results, file, options)
            total, refused = total + count, refused + found
    shutil.rmtree(root)
    print(f"damaged inputs: {total}, {total - refused} not refused")
    return int(refused < total)


if __name__ == "__main__":
    sys.exit(main())
