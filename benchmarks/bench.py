"""Each stage against what a user would run instead, how costs grow, and how long nothing takes.

    python benchmarks/bench.py [--quick] [--only PART...] [--out FOLDER]

Writes benchmarks.json, benchmarks.md, scale.md and images/growth.svg to FOLDER (docs). Parts are
`peers`, `growth` and `startup`; what was found of the others last stays. --quick takes sizes that
say nothing of speed: it shows that everything runs. Comparisons have one thread for everybody;
growth is of whole runs, with linear algebra on one thread as in workers.
"""

import argparse
import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Mapping
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any

from bench_document import document
from curves import drawn
from scale import scaled

HERE = Path(__file__).parent
PARTS = ("peers", "growth", "startup")
REPEAT = 5
# One thread, before numpy is loaded by anybody.
THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
ALONE = dict.fromkeys(("ROBOTID_CORES", "POLARS_MAX_THREADS", "NUMBA_NUM_THREADS"), "1")
# What a part is made by, besides robotid: facts of other sources are not those of today.
SOURCES = {
    "peers": (
        "peers/*.py", "fit.py", "sdp.py", "rnea.py", "filtering.py", "reading.py", "robots.py",
        "excitation_*.py",
    ),
    "growth": ("growth.py", "fleet.py", "watched.py", "long_log.py", "cluster.py"),
    "startup": ("startup.py",),
}  # fmt: skip
STAGES = (
    "reading",
    "filtering",
    "torques",
    "scripts",
    "consistent",
    "simulated",
    "designing",
    "simulating",
    "pages",
)


def of_peers(*, quick: bool) -> list[dict[str, Any]]:
    """Every comparison, those of a stage in a process of their own."""
    found = []
    for stage in STAGES:
        own = _in_process("--stage", stage, quick=quick, settings=ALONE)
        print(f"{stage}: {', '.join(one['task'] for one in own)}", flush=True)
        found += own
    return found


def of_growth(*, quick: bool) -> dict[str, Any]:
    """How costs grow, in a process of its own."""
    return _in_process("--stage", "growth", quick=quick)


def of_startup(*, quick: bool) -> list[str]:
    """What startup.py prints."""
    command = [sys.executable, HERE / "startup.py", *(("--repeat", "1") if quick else ())]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    lines = done.stdout.strip().splitlines()
    if done.returncode not in (0, 1) or not lines:  # 1 where a limit was not met
        msg = f"startup.py ended with {done.returncode}"
        raise RuntimeError(msg)
    return lines


def _in_process(*arguments: str, quick: bool, settings: Mapping[str, str] | None = None) -> Any:
    with tempfile.TemporaryDirectory(prefix="robotid-bench-") as folder:
        answer = Path(folder) / "answer.json"
        command = [sys.executable, "-W", "ignore", __file__, *arguments, "--answer", str(answer)]
        subprocess.run(
            [*command, *(["--quick"] if quick else [])],
            check=True,
            env={**os.environ, **THREADS, **(settings or {})},
        )
        return json.loads(answer.read_text())


def one_stage(name: str, answer: Path, *, quick: bool) -> None:
    """Measure one part here, and write what was found."""
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(HERE.parent))  # for what tests have
    with redirect_stdout(sys.stderr):  # some libraries tell how they get on
        if name == "growth":
            import growth

            found: Any = growth.measured(quick=quick)
        else:
            from peers.comparison import measured

            with tempfile.TemporaryDirectory(prefix="robotid-bench-") as folder:
                made = import_module(f"peers.{name}").tasks(Path(folder), quick=quick)
                found = [measured(task, 1 if quick else REPEAT) for task in made]
    answer.write_text(json.dumps(found))


def made_by(part: str) -> str:
    """Digest of the sources that a part is made by."""
    sources = sorted(path for pattern in SOURCES[part] for path in HERE.glob(pattern))
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()


def machine() -> dict[str, Any]:
    """Where it was measured."""
    names = [
        line for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line
    ]
    return {
        "cores": os.cpu_count(),
        "processor": names[0].partition(": ")[2] if names else platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=PARTS)
    parser.add_argument("--out", type=Path, default=HERE.parent / "docs")
    parser.add_argument("--stage", help=argparse.SUPPRESS)
    parser.add_argument("--answer", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.stage:
        one_stage(given.stage, given.answer, quick=given.quick)
        return 0
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / "benchmarks.json"
    facts: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    trials = set(facts.get("quick", ())) - set(given.only) | set(given.only if given.quick else ())
    facts["quick"] = sorted(trials)
    for part in given.only:
        found = {"peers": of_peers, "growth": of_growth, "startup": of_startup}[part]
        facts[part] = found(quick=given.quick)
        facts[f"{part}_of"] = {"made_by": made_by(part), "machine": machine()}
        path.write_text(json.dumps(facts, indent=1) + "\n")
        print(f"{part}: done", flush=True)
    write(facts, given.out)
    print(given.out / "benchmarks.md")
    return 0


def write(facts: dict[str, Any], out: Path) -> None:
    """The documents, from what was found."""
    text, panels = document(facts)
    (out / "benchmarks.md").write_text(text)
    if panels:
        (out / "images").mkdir(exist_ok=True)
        (out / "images" / "growth.svg").write_text(drawn(panels))
        (out / "scale.md").write_text(scaled(facts))


if __name__ == "__main__":
    sys.exit(main())
