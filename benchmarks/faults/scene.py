"""One small pipeline, its clean results, and the judge of what a fault has done to a run of it.

A trial starts with a cache that holds the results of the first stages, as a night that was cut
short leaves it, and with an output folder that is empty or holds the results of another night.
After the fault the next run, which nobody helps, must end well and deliver the clean bytes.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from check_store import check

STAGES = ("ingest", "filter", "factors", "fit", "report")  # as they are done, by folders
LOGS = Path(__file__).parents[2] / "sample_logs" / "pendulum"
_LINES = 601  # of each log: a header and three seconds
_PIPELINE = """
[stages.ingest]
inputs.logs = "run*.csv"
inputs.robot = "pendulum"
test = ["run3"]

[stages.filter]
inputs.dataset = "@ingest"
cutoff_hz = 10.0

[stages.fit]
inputs.dataset = "@filter"
inputs.robot = "pendulum"
model = "ols"

[stages.report]
inputs.fits = "@fit"
"""
_START = """
import sys
sys.executable, sys.argv = sys.argv[1], ["robotid", *sys.argv[2:]]
from robotid.__main__ import main
sys.exit(main())
"""
_MOST_SECONDS = 300.0
_GRACE_SECONDS = 20.0  # a worker may be in the middle of a call that cannot be interrupted


class Outcome(NamedTuple):
    """How a run ended: exit code (negative: by a signal) and what it said."""

    code: int
    said: str


class Trial(NamedTuple):
    """One fault: what it was, whether it came in time to be met, and all that is wrong after it."""

    label: str
    met: bool
    wrong: list[str]


class Scene:
    """The folders of all trials and what a clean run delivers."""

    def __init__(self, root: Path) -> None:
        self.root, self.inputs = root, root / "inputs"
        self.cache, self.out = root / "trial" / "cache", root / "trial" / "out"
        self._took: dict[int, float] = {}
        self.inputs.mkdir()
        for name in ("run1.csv", "run3.csv"):
            lines = (LOGS / name).read_text().splitlines(keepends=True)
            (self.inputs / name).write_text("".join(lines[:_LINES]))
        (self.inputs / "pipeline.toml").write_text(_PIPELINE)
        began = time.monotonic()
        self.prepare(0, occupied=False)
        self._keep("clean")
        self._took[0] = time.monotonic() - began
        self.prepare(1, occupied=False)
        self._keep("other", "--set", "filter.cutoff_hz=8.0")
        self.clean, self.other = files_in(root / "clean"), files_in(root / "other")

    def _keep(self, name: str, *more: str) -> None:
        """Run once without a fault; output and cache stay for all trials."""
        done = self.run(*more)
        assert done.code == 0, f"without a fault: {done}"
        self.out.rename(self.root / name)
        self.cache.rename(self.root / f"{name}-cache")

    def prepare(self, known: int, *, occupied: bool) -> None:
        """A new trial: `known` stages are cached; the output holds another result or nothing."""
        shutil.rmtree(self.root / "trial", ignore_errors=True)
        (self.root / "trial").mkdir(mode=0o700)
        for stage in STAGES[:known]:
            path = Path("entries", stage)
            # Links would do for a program that keeps its word; a copy does not depend on that.
            shutil.copytree(self.root / "clean-cache" / path, self.cache / path)
        if known:
            self.cache.chmod(0o700)
        if occupied:
            shutil.copytree(self.root / "other", self.out)

    def command(self, *more: str, worker: str = sys.executable) -> list[str]:
        """The command line of a run; `worker` is what its worker processes are started with."""
        given = [str(self.inputs / "pipeline.toml"), "--cache-dir", str(self.cache)]
        given += ["--out", str(self.out), "--force", "--quiet", "--jobs", "1", *more]
        return [sys.executable, "-P", "-c", _START, worker, "run", *given]

    def start(self, command: list[str], **options: object) -> "subprocess.Popen[str]":
        """Start a command in a process group of its own; standard output is a file."""
        with (self.root / "stdout").open("w") as stdout:
            return subprocess.Popen(
                command,
                stdout=stdout,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
                **options,
            )

    def run(self, *more: str) -> Outcome:
        """A run from beginning to end, without a fault of ours."""
        return ended(self.start(self.command(*more)))

    def usual_seconds(self, known: int) -> float:
        """How long a run takes with so many stages cached."""
        if known not in self._took:
            self.prepare(known, occupied=False)
            began = time.monotonic()
            self.run()
            self._took[known] = time.monotonic() - began
        return self._took[known]

    def judge(self, after: Outcome, allowed: tuple[int, ...]) -> list[str]:
        """All that is wrong after a fault, up to and with the next run."""
        wrong = [f"entry {fault}" for fault in check(self.cache)[1]]
        if after.code not in allowed:
            wrong.append(f"ended with {after.code}: {after.said[-300:]}")
        if "Traceback" in after.said:
            wrong.append(f"a traceback: {after.said[-600:]}")
        wrong += self._half_delivered()
        if after.code >= 0:
            wrong += [f"left behind: {path}" for path in self._workspaces()]
        again = self.run()
        if again.code != 0 or "Traceback" in again.said:
            wrong.append(f"the next run ended with {again.code}: {again.said[-600:]}")
        elif files_in(self.out) != self.clean:
            wrong.append("the next run delivered other bytes")
        return wrong + [f"after the next run: {fault}" for fault in check(self.cache)[1]]

    def _half_delivered(self) -> list[str]:
        """Output folders that hold neither all of the old result nor all of the new one."""
        now, wrong = files_in(self.out), []
        for stage in {name.split("/")[0] for name in now}:
            shown = _below(stage, now)
            if shown not in (_below(stage, self.clean), _below(stage, self.other)):
                wrong.append(f"half a folder in --out: {stage}")
        return wrong

    def _workspaces(self) -> list[str]:
        spaces = [*self.cache.glob("tmp/*"), *self.out.parent.glob(".robotid-*")]
        return [str(path) for path in [*spaces, *self.out.glob(".robotid-*")]]


def ended(process: "subprocess.Popen[str]") -> Outcome:
    """Wait for a run; one that does not end, or that a process of its own outlives, has failed."""
    try:
        said = process.communicate(timeout=_MOST_SECONDS)[1]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return Outcome(1, "it hung")
    limit = time.monotonic() + _GRACE_SECONDS
    while _is_left(process.pid):
        if time.monotonic() > limit:
            os.killpg(process.pid, signal.SIGKILL)
            return Outcome(1, f"a process outlived the run, which ended with {process.returncode}")
        time.sleep(0.02)
    return Outcome(process.returncode, said)


def _is_left(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def files_in(folder: Path) -> dict[str, bytes]:
    """Name and bytes of every file; what a killed process was writing is not looked at."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.relative_to(folder).parts[0].startswith(".robotid-")
    }


def _below(stage: str, files: dict[str, bytes]) -> dict[str, bytes]:
    return {name: data for name, data in files.items() if name.startswith(f"{stage}/")}
