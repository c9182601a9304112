"""What changes a cache key and what does not, shown on the command line.

    python benchmarks/cache_keys.py [--every N]

A small pipeline is run once. Then each change is made on its own in a fresh copy, and
`robotid run --dry-run` says which tasks would be hits. A change that matters must make the stage
it concerns miss; one that does not must leave everything a hit.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import robotid

PROJECT = Path(robotid.__file__).parent.parent
PIPELINE = """\
[stages.ingest]
inputs.logs = "logs/*.csv"
val = ["run2"]
test = ["run3"]

[stages.filter]
inputs.dataset = "@ingest"
cutoff_hz = 10.0

[stages.fit]
inputs.dataset = "@filter"
inputs.robot = "pendulum"

[stages.report]
inputs.fits = "@fit"
"""


class Bench:
    """A working folder: pipeline, logs, a copy of the package, and the shared cache."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder, self.cache = folder, cache
        self.pipeline = folder / "pipeline.toml"
        self.logs = folder / "logs"
        self.package = folder / "code" / "robotid"
        self.fake = folder / "fake"
        self.arguments: list[str] = []
        self.env: dict[str, str] = {}
        self.cwd = folder

    @classmethod
    def fresh(cls, parent: Path, cache: Path, name: str) -> "Bench":
        bench = cls(parent / name, cache)
        bench.logs.mkdir(parents=True)
        for log in (PROJECT / "sample_logs" / "pendulum").glob("*.csv"):
            lines = log.read_text().splitlines(keepends=True)[:1200]
            (bench.logs / log.name).write_text("".join(lines))
        bench.pipeline.write_text(PIPELINE)
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PROJECT / "robotid", bench.package, ignore=ignore)
        return bench

    def robotid(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-P", "-m", "robotid", "run", str(self.pipeline), *arguments]
        paths = os.pathsep.join([str(self.fake), str(self.package.parent)])
        env = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", **self.env}
        command += ["--cache-dir", str(self.cache), "--json", *self.arguments]
        return subprocess.run(command, env=env, cwd=self.cwd, capture_output=True, text=True)

    def missing(self) -> set[str]:
        """Stages that would not be served from the cache."""
        answer = self.robotid("--dry-run")
        if answer.returncode:
            raise SystemExit(f"{self.folder.name}: {answer.stderr}")
        tasks = json.loads(answer.stdout)["tasks"]
        return {task["stage"] for task in tasks if task["state"] != "hit"}

    # The changes a case is made of.

    def replace(self, old: str, new: str) -> None:
        text = self.pipeline.read_text()
        assert old in text, old
        self.pipeline.write_text(text.replace(old, new))

    def set(self, setting: str) -> None:
        self.arguments += ["--set", setting]

    def edit_code(self, module: str) -> None:
        path = self.package / module
        comment = "{# edited #}\n" if path.suffix == ".j2" else "# edited\n"
        path.write_text(path.read_text() + comment)

    def default(self, module: str, old: str, new: str) -> None:
        path = self.package / module
        text = path.read_text()
        assert old in text, old
        path.write_text(text.replace(old, new))

    def version(self, distribution: str) -> None:
        folder = self.fake / f"{distribution}-99.0.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(f"Name: {distribution}\nVersion: 99.0\n")

    def edit_log(self, name: str, change: Callable[[bytes], bytes]) -> None:
        path = self.logs / name
        path.write_bytes(change(path.read_bytes()))


def _move_pipeline(bench: Bench) -> None:
    """The same pipeline and logs under another path."""
    elsewhere = bench.folder / "some where else" / "ärger"
    elsewhere.mkdir(parents=True)
    shutil.move(bench.logs, elsewhere / "logs")
    bench.pipeline = Path(shutil.move(bench.pipeline, elsewhere / "other name.toml"))


def _move_cache(bench: Bench) -> None:
    target = bench.folder / "cache copy"
    shutil.copytree(bench.cache, target)
    target.chmod(0o700)
    bench.cache = target


def _symlink_logs(bench: Bench) -> None:
    real = bench.folder / "real"
    shutil.move(bench.logs, real)
    bench.logs.symlink_to(real)


def _touch(bench: Bench) -> None:
    for path in [*bench.logs.iterdir(), *bench.package.rglob("*.py")]:
        os.utime(path, (1e9, 1e9))


def _chmod(bench: Bench) -> None:
    for path in bench.logs.iterdir():
        path.chmod(0o600)


def _bytecode(bench: Bench) -> None:
    compiled = bench.package / "signals" / "__pycache__"
    compiled.mkdir()
    (compiled / "x.cpython-311.pyc").write_bytes(b"anything")


def _env(**values: str) -> Callable[[Bench], None]:
    return lambda bench: bench.env.update(values)


def _same_size_same_time(bench: Bench) -> None:
    path = bench.logs / "run1.csv"
    times = path.stat()
    bench.edit_log("run1.csv", lambda data: data[:-2] + bytes([data[-2] ^ 1]) + data[-1:])
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def _swap_logs(bench: Bench) -> None:
    one, three = bench.logs / "run1.csv", bench.logs / "run3.csv"
    keep = one.read_bytes()
    one.write_bytes(three.read_bytes())
    three.write_bytes(keep)


# name -> (stage that must miss, the change)
MATTER: dict[str, tuple[str, Callable[[Bench], None]]] = {
    "cutoff_hz": ("filter", lambda b: b.replace("10.0", "10.1")),
    "cutoff_hz, last bit": ("filter", lambda b: b.replace("10.0", "10.000000000000002")),
    "order": ("filter", lambda b: b.set("filter.order=5")),
    "test recording": ("ingest", lambda b: b.replace('["run3"]', '["run1"]')),
    "val recording": ("ingest", lambda b: b.replace('val = ["run2"]', "val = []")),
    "val and test swapped": (
        "ingest",
        lambda b: (
            b.replace('["run3"]', '["X"]'),
            b.replace('["run2"]', '["run3"]'),
            b.replace('["X"]', '["run2"]'),
        ),
    ),
    "flag instead of file": ("filter", lambda b: b.set("filter.cutoff_hz=9.5")),
    "one digit in a log": (
        "ingest",
        lambda b: b.edit_log("run1.csv", lambda d: d.replace(b"1", b"2", 1)),
    ),
    "same size, same time stamp": ("ingest", _same_size_same_time),
    "a line less": (
        "ingest",
        lambda b: b.edit_log("run2.csv", lambda d: d[: d.rindex(b"\n", 0, -1) + 1]),
    ),
    "a space more": (
        "ingest",
        lambda b: b.edit_log("run2.csv", lambda d: d.replace(b",", b", ", 1)),
    ),
    "a recording less": ("ingest", lambda b: (b.logs / "run1.csv").unlink()),
    "a recording more": (
        "ingest",
        lambda b: shutil.copy(PROJECT / "sample_logs/pendulum/run1.csv", b.logs / "run0.csv"),
    ),
    "a recording renamed": ("ingest", lambda b: (b.logs / "run1.csv").rename(b.logs / "run1b.csv")),
    "recordings swapped": ("ingest", _swap_logs),
    "other joint name": (
        "ingest",
        lambda b: [
            b.edit_log(f"run{i}.csv", lambda d: d.replace(b"hinge", b"elbow")) for i in (1, 2, 3)
        ],
    ),
    "default value of a key": (
        "filter",
        lambda b: b.default("signals/options.py", "default=4, ge=1", "default=3, ge=1"),
    ),
    "code of a reader": ("ingest", lambda b: b.edit_code("logs/delimited.py")),
    "code of a contract": ("ingest", lambda b: b.edit_code("contracts/recording.py")),
    "code of the index": ("filter", lambda b: b.edit_code("contracts/dataset.py")),
    "code of the filter": ("filter", lambda b: b.edit_code("signals/butterworth.py")),
    "code of the grid": ("filter", lambda b: b.edit_code("signals/grid.py")),
    "code of the splits": ("filter", lambda b: b.edit_code("signals/splits.py")),
    "code of the kernel": ("fit.factors", lambda b: b.edit_code("information/kernel.py")),
    "code of joint terms": ("fit.factors", lambda b: b.edit_code("dynamics/terms.py")),
    "code of the dynamics": ("fit", lambda b: b.edit_code("dynamics/rnea.py")),
    "code of the solver": ("fit", lambda b: b.edit_code("fitting/linear.py")),
    "code of the metrics": ("fit", lambda b: b.edit_code("evaluation/metrics.py")),
    "the robot file": ("fit.factors", lambda b: b.edit_code("robot/files/pendulum.urdf")),
    "terms of joints": ("fit.factors", lambda b: b.set('fit.terms=["viscous"]')),
    "the model": ("fit", lambda b: b.set("fit.model=wls")),
    "code of the page": ("report", lambda b: b.edit_code("reporting/page.py")),
    "a report template": ("report", lambda b: b.edit_code("reporting/templates/page.html.j2")),
    "a new file in a package": (
        "fit",
        lambda b: (b.package / "fitting" / "more.json").write_text("{}"),
    ),
    "code of the stage": ("fit", lambda b: b.edit_code("stages/fit.py")),
    "code of the errors": ("ingest", lambda b: b.edit_code("errors.py")),
    "numpy version": ("ingest", lambda b: b.version("numpy")),
    "polars version": ("ingest", lambda b: b.version("polars")),
    "pyarrow version": ("filter", lambda b: b.version("pyarrow")),
    "numba version": ("filter", lambda b: b.version("numba")),
    "scipy version": ("fit", lambda b: b.version("scipy")),
    "jinja2 version": ("report", lambda b: b.version("jinja2")),
    "pydantic version": ("fit", lambda b: b.version("pydantic")),
    "store format": (
        "ingest",
        lambda b: b.default("store/manifest.py", "FORMAT = 1", "FORMAT = 2"),
    ),
}

# name -> (stages that may miss, the change)
DO_NOT_MATTER: dict[str, tuple[set[str], Callable[[Bench], None]]] = {
    "nothing": (set(), lambda b: None),
    "pipeline and logs elsewhere": (set(), _move_pipeline),
    "other working directory": (set(), lambda b: setattr(b, "cwd", Path("/"))),
    "cache elsewhere": (set(), _move_cache),
    "logs behind a symbolic link": (set(), _symlink_logs),
    "time stamps": (set(), _touch),
    "file modes": (set(), _chmod),
    "comments": (set(), lambda b: b.replace("cutoff_hz", "# why 10?\ncutoff_hz")),
    "description": (set(), lambda b: b.pipeline.write_text('description = "new"\n' + PIPELINE)),
    "order of tables": (
        set(),
        lambda b: b.pipeline.write_text("\n".join(reversed(PIPELINE.split("\n\n")))),
    ),
    "10.00 for 10.0": (set(), lambda b: b.replace("10.0", "10.00")),
    "1e1 for 10.0": (set(), lambda b: b.replace("10.0", "1e1")),
    "10 for 10.0": (set(), lambda b: b.replace("10.0", "10")),
    "a default written out": (set(), lambda b: b.set("filter.order=4")),
    "flag with the same value": (set(), lambda b: b.set("filter.cutoff_hz=10.0")),
    "logs as a list, in another order": (
        set(),
        lambda b: b.replace('"logs/*.csv"', '["logs/run3.csv", "logs/run1.csv", "logs/run2.csv"]'),
    ),
    "number of jobs": (set(), lambda b: b.arguments.extend(["--jobs", "7"])),
    "threads": (set(), _env(OMP_NUM_THREADS="5", POLARS_MAX_THREADS="3")),
    "time zone": (set(), _env(TZ="Asia/Kathmandu")),
    "locale": (set(), _env(LC_ALL="tr_TR.ISO-8859-9", LANG="tr_TR")),
    "no locale": (set(), _env(LC_ALL="C")),
    "hash seed": (set(), _env(PYTHONHASHSEED="12345")),
    "home and user": (set(), _env(HOME="/nonexistent", USER="somebody")),
    "terminal": (set(), _env(TERM="dumb", NO_COLOR="1", CI="1")),
    "code of the command line": (set(), lambda b: b.edit_code("cli/run.py")),
    "code of the runner": (set(), lambda b: b.edit_code("runner/run.py")),
    "release number": ({"fit", "report"}, lambda b: b.edit_code("release.py")),
    "compiled files": (set(), _bytecode),
    "a template does not refit": (
        {"report"},
        lambda b: b.edit_code("reporting/templates/page.html.j2"),
    ),
    "the solver does not refilter": (
        {"fit", "report"},
        lambda b: b.edit_code("fitting/linear.py"),
    ),
    "another model has the same factors": ({"fit", "report"}, lambda b: b.set("fit.model=wls")),
    "the filter does not ingest again": (
        {"filter", "fit.factors", "fit", "report"},
        lambda b: b.edit_code("signals/grid.py"),
    ),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=1, help="take each so many-th change only")
    options = parser.parse_args()
    parent = Path(tempfile.mkdtemp(prefix="robotid-keys-"))
    cache = parent / "cache"
    base = Bench.fresh(parent, cache, "base")
    first = base.robotid()
    assert first.returncode in (0, 4), first.stderr

    def taken_wrongly(case) -> str | None:
        folder, name, change, must_miss, may_miss = case
        bench = Bench.fresh(parent, cache, folder)
        change(bench)
        missing = bench.missing()
        if must_miss is not None and must_miss not in missing:
            return f"{name}: {must_miss} would be served from the cache"
        if may_miss is not None and not missing <= may_miss:
            return f"{name}: {sorted(missing - may_miss)} would run again"
        return None

    cases = [
        (f"matter{number}", name, change, stage, None)
        for number, (name, (stage, change)) in enumerate(MATTER.items())
    ] + [
        (f"same{number}", name, change, None, allowed)
        for number, (name, (allowed, change)) in enumerate(DO_NOT_MATTER.items())
    ]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        cases = cases[:: options.every]
        failures = [failure for failure in pool.map(taken_wrongly, cases) if failure]
    shutil.rmtree(parent)
    for failure in failures:
        print(f"  {failure}")
    print(
        f"cache keys: {len(MATTER)} changes that matter, {len(DO_NOT_MATTER)} that do not, "
        f"{len(failures)} taken wrongly"
    )
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
