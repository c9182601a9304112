"""Are results the same bytes whatever surrounds a run, and the same numbers on other processors?

    python benchmarks/determinism.py [--robot panda] [--until STAGE] [--only NAME...]

A pipeline with every stage is run with a fresh cache in each of many surroundings: each artefact
must have the SHA-256 it has in the first run. Then its logs are fitted with the kernels of other
processors. Bits may differ there; the largest difference of a base parameter, over its value in the
first run, may be 1e-9.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

LIMIT = 1e-9
FITS = ("ols", "sdp", "diffnea")
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "ROBOTID_CORES")
DESIGNED = """
[stages.excite]
inputs.robot = "{robot}"
harmonics = 3
period_s = 4.0
rate_hz = 250.0
acceleration = ["20"]
trajectories = 2
{effort}
[stages.simulate]
inputs.robot = "{robot}"
inputs.design = "@excite"
perturb = 0.2
rate_hz = 250.0
"""
FITTED = """
[stages.ingest]
inputs.logs = {logs}
inputs.robot = "{robot}"
test = ["t2"]

[stages.filter]
inputs.dataset = "@ingest"
cutoff_hz = 10.0

[stages.factors]
inputs.dataset = "@filter"
inputs.robot = "{robot}"
"""
FIT = """
[stages.{model}]
stage = "fit"
inputs.dataset = "@filter"
inputs.factors = "@factors"
inputs.robot = "{robot}"
model = "{model}"
"""
USED = """
[stages.report]
inputs.fits = ["@ols", "@sdp", "@diffnea"]

[stages.predict]
inputs.fit = "@sdp"
inputs.dataset = "@filter"

[stages.export]
inputs.fit = "@sdp"
format = ["urdf", "json", "csv", "python", "c"]
"""
# More than 6 s of work, or a search would never be spread over processes.
EFFORT = {"panda": "restarts = 12\niterations = 60\n"}
LITTLE = "restarts = 2\niterations = 10\n"


class Surroundings(NamedTuple):
    """What differs from the first run: variables, flags, cores, folders."""

    name: str
    variables: Mapping[str, str] = MappingProxyType({})
    flags: tuple[str, ...] = ()
    cores: int = 0  # 0 for all
    elsewhere: bool = False


def threads(count: int) -> dict[str, str]:
    return dict.fromkeys((*THREADS, "POLARS_MAX_THREADS"), str(count))


SAME_BYTES = (
    Surroundings("run again"),
    *(Surroundings(f"{count} threads", threads(count)) for count in (1, 2, 4)),
    *(Surroundings(f"hash seed {seed}", {"PYTHONHASHSEED": seed}) for seed in ("1", "random")),
    Surroundings("TZ Asia/Kathmandu", {"TZ": "Asia/Kathmandu"}),
    Surroundings("TZ America/New_York", {"TZ": "America/New_York"}),
    Surroundings("locale C", {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0"}),
    Surroundings("locale C.UTF-8", {"LC_ALL": "C.UTF-8", "LANG": "C.UTF-8"}),
    *(Surroundings(f"{jobs} jobs", flags=("--jobs", jobs)) for jobs in ("1", "2")),
    Surroundings("told to use 1 core", {"ROBOTID_CORES": "1"}),
    Surroundings("told to use 2 cores", {"ROBOTID_CORES": "2"}),
    Surroundings("one core", cores=1),
    Surroundings("other folders, nothing compiled", elsewhere=True),
    Surroundings("SOURCE_DATE_EPOCH", {"SOURCE_DATE_EPOCH": "0"}),
    Surroundings(
        "much at once",
        {**threads(4), "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C", "LANG": "C"},
        flags=("--jobs", "1"),
        cores=1,
    ),
)
SAME_NUMBERS = (
    *(
        Surroundings(f"OpenBLAS {name}", {"OPENBLAS_CORETYPE": name})
        for name in ("Haswell", "Sandybridge", "Nehalem", "Prescott", "Zen", "SkylakeX")
    ),
    Surroundings("MKL SSE4.2", {"MKL_ENABLE_INSTRUCTIONS": "SSE4_2"}),
    Surroundings("torch without AVX", {"ATEN_CPU_CAPABILITY": "default"}),
    Surroundings("numba for any x86-64", {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}),
    Surroundings(
        "all of them old",
        {
            "OPENBLAS_CORETYPE": "Prescott",
            "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
            "ATEN_CPU_CAPABILITY": "default",
            "NUMBA_CPU_NAME": "generic",
            "NUMBA_CPU_FEATURES": "",
        },
    ),
)


def pipeline(robot: str, logs: str | None = None) -> str:
    """A pipeline with every stage, or one that starts from logs there are."""
    begin = DESIGNED.format(robot=robot, effort=EFFORT.get(robot, LITTLE)) if logs is None else ""
    fits = "".join(FIT.format(model=model, robot=robot) for model in FITS)
    fitted = FITTED.format(robot=robot, logs='"@simulate"' if logs is None else json.dumps(logs))
    return begin + fitted + fits + USED


def run(surroundings: Surroundings, text: str, folder: Path) -> Path:
    """Run a pipeline with a fresh cache; the folder with its results."""
    folder.mkdir(parents=True)
    (folder / "pipeline.toml").write_text(text, encoding="utf-8")
    own = {"ROBOTID_CACHE_DIR": str(folder / "cache"), **surroundings.variables}
    package, start = Path(__file__).resolve().parent.parent, Path.cwd()
    if surroundings.elsewhere:
        # A copy of the sources has no compiled code beside it, nor among the user's caches.
        start, copy = folder / "where else", folder / "copy"
        start.mkdir()
        (folder / "user").mkdir()
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(package / "robotid", copy / "robotid", ignore=ignored)
        package = copy
        own["XDG_CACHE_HOME"] = str(folder / "user" / "caches")
    command = [sys.executable, "-P", "-m", "robotid", "run", str(folder / "pipeline.toml")]
    command += ["--out", str(folder / "out"), "--json", *surroundings.flags]
    cores = set(sorted(os.sched_getaffinity(0))[: surroundings.cores or None])
    done = subprocess.run(
        command,
        cwd=start,
        env={**os.environ, "PYTHONPATH": str(package), **own},
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
        capture_output=True,
    )
    if done.returncode not in (0, 4):  # a fit need not be good to be the same
        raise SystemExit(f"{surroundings.name}: exit {done.returncode}\n{done.stderr.decode()}")
    return folder / "out"


def digests(out: Path) -> dict[str, str]:
    """SHA-256 of each artefact."""
    return {
        path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(out.rglob("*"))
        if path.is_file()
    }


def base_parameters(out: Path, model: str) -> dict[str, float]:
    """Name -> value of what torques can show, as a fit found it."""
    fit = json.loads((out / model / "fit.json").read_text(encoding="utf-8"))
    return {item["name"]: item["value"] for item in fit["base_parameters"]}


def largest_difference(here: dict[str, float], there: dict[str, float]) -> float:
    """Of a parameter, over its own value here."""
    assert here.keys() == there.keys() and here
    return max(abs(there[name] - value) / abs(value) for name, value in here.items())


def same_bytes(first: Path, text: str, root: Path, cases: list[Surroundings]) -> int:
    """Runs in which any artefact has other bytes."""
    expected, failed = digests(first), 0
    stages = sorted({name.partition("/")[0] for name in expected})
    print(f"{len(expected)} artefacts of {', '.join(stages)}\n", flush=True)
    for number, case in enumerate(cases):
        began = time.perf_counter()
        found = digests(run(case, text, root / f"bytes{number}"))
        other = sorted(n for n in expected.keys() | found if expected.get(n) != found.get(n))
        failed += bool(other)
        shown = ", ".join(other[:6]) + (f" and {len(other) - 6} more" if len(other) > 6 else "")
        seconds = time.perf_counter() - began
        said = f"{len(found)} the same" if not other else f"{len(other)} DIFFER: {shown}"
        print(f"{case.name:34s} {said} ({seconds:.0f} s)", flush=True)
        shutil.rmtree(root / f"bytes{number}")
    return failed


def same_numbers(first: Path, robot: str, root: Path, cases: list[Surroundings]) -> int:
    """Runs with other kernels in which a base parameter differs by more than the limit."""
    text, failed = pipeline(robot, str(first / "simulate" / "*.csv")), 0
    here = run(Surroundings("first"), text, root / "numbers")
    print(f"\n{'largest difference over value':34s} {'  '.join(f'{m:>8s}' for m in FITS)}  limit")
    for number, case in enumerate(cases):
        out = run(case, text, root / f"numbers{number}")
        worst = [
            largest_difference(base_parameters(here, model), base_parameters(out, model))
            for model in FITS
        ]
        failed += max(worst) > LIMIT
        figures = "  ".join(f"{figure:8.1e}" for figure in worst)
        print(f"{case.name:34s} {figures}  {LIMIT:.0e}", flush=True)
        shutil.rmtree(root / f"numbers{number}")
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robot", default="panda")
    parser.add_argument("--until", help="the last stage; without fits, processors are left out")
    parser.add_argument("--only", nargs="*", help="names of surroundings, in any order")
    options = parser.parse_args()

    until = ("--until", options.until) if options.until else ()

    def wanted(cases: tuple[Surroundings, ...]) -> list[Surroundings]:
        chosen = [case for case in cases if options.only is None or case.name in options.only]
        return [case._replace(flags=(*case.flags, *until)) for case in chosen]

    numbers = [] if until else wanted(SAME_NUMBERS)
    root = Path(tempfile.mkdtemp(prefix="robotid-determinism-"))
    try:
        text = pipeline(options.robot)
        first = run(Surroundings("first", flags=until), text, root / "first")
        failed = same_bytes(first, text, root, wanted(SAME_BYTES))
        if numbers:
            failed += same_numbers(first, options.robot, root, numbers)
    finally:
        shutil.rmtree(root)
    count = len(wanted(SAME_BYTES)) + len(numbers)
    print(f"\n{count} surroundings, {failed} with other results")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
