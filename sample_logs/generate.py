"""Make the sample logs again, byte for byte.

python sample_logs/generate.py                  all of them, in place
python sample_logs/generate.py --check          compare with what is there, change nothing
python sample_logs/generate.py panda broken     only some folders
python sample_logs/generate.py --into FOLDER    somewhere else
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from making.broken import make_broken
from making.other_formats import OTHER_FORMATS
from making.pendulum import make_pendulum
from making.signals import read_csv
from making.simulated import simulate

HERE = Path(__file__).parent
# What is written by hand and not made here.
SOURCES = ("simulate.toml", ".map.toml", ".urdf")


def _robot(name: str, robot: str | None = None) -> Callable[[Path], None]:
    """Makes the folder of a robot."""

    def make(folder: Path) -> None:
        simulate(robot or name, HERE / name / "simulate.toml", folder)
        if name in OTHER_FORMATS:
            for path, data in OTHER_FORMATS[name](read_csv(folder / "run1.csv")).items():
                (folder / path).parent.mkdir(exist_ok=True)
                (folder / path).write_bytes(data)

    return make


FOLDERS: dict[str, Callable[[Path], None]] = {
    "pendulum": make_pendulum,
    "arm": _robot("arm", str(HERE / "arm" / "arm.urdf")),
    "double_pendulum": _robot("double_pendulum"),
    "cartpole": _robot("cartpole"),
    "furuta": _robot("furuta"),
    "panda": _robot("panda"),
    "ur10": _robot("ur10"),
    "broken": make_broken,
}


def files_in(folder: Path) -> dict[str, bytes]:
    """The made files of a folder by their paths in it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(SOURCES)
    }


def differences(names: list[str]) -> list[str]:
    """What is not as it would be made, a line each."""
    found = []
    for name in names:
        with tempfile.TemporaryDirectory() as place:
            FOLDERS[name](Path(place))
            made, kept = files_in(Path(place)), files_in(HERE / name)
        found += [f"{name}/{path}: missing" for path in made if path not in kept]
        found += [f"{name}/{path}: not made by this script" for path in kept if path not in made]
        found += [
            f"{name}/{path}: differs" for path in made if kept.get(path, made[path]) != made[path]
        ]
    return found


def main() -> int:
    """Make or compare."""
    parser = argparse.ArgumentParser(description="Make the sample logs again, byte for byte.")
    parser.add_argument("folder", nargs="*", help=f"which ones: {', '.join(FOLDERS)}")
    parser.add_argument("--check", action="store_true", help="compare, change nothing")
    parser.add_argument("--into", type=Path, default=HERE, help="where to write")
    given = parser.parse_args()
    names = given.folder or list(FOLDERS)
    unknown = [name for name in names if name not in FOLDERS]
    if unknown:
        parser.error(f"{unknown[0]!r} is none of {', '.join(FOLDERS)}")
    if given.check:
        found = differences(names)
        print("\n".join(found) or "all as made")
        return 1 if found else 0
    for name in names:
        folder = given.into / name
        folder.mkdir(parents=True, exist_ok=True)
        FOLDERS[name](folder)
        print(f"{folder}: {len(files_in(folder))} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
