"""Runs on a dask cluster: the same bytes, whoever is killed; how fast, and what a task costs more.

    python benchmarks/cluster.py [--kills 20] [--small]

A scheduler and workers are processes of their own, each worker with one thread. Every other cluster
sees neither the logs nor the cache of the run, where the system can hide them, as if it were of
other machines: files are then brought and fetched. Each run has a fresh cache. Killed is one of two
workers, at a moment drawn evenly from the time that a run takes; a new one joins. A run that was
over by then does not count and is made again.
"""

import argparse
import hashlib
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from dask_processes import PROJECT, DaskProcesses, can_hide, no_loopback

MOST_TIME = 0.6  # of two workers, over one
PENDULUM = """
[stages.ingest]
inputs.logs = "*.csv"
inputs.robot = "pendulum"
test = ["run3"]

[stages.filter]
inputs.dataset = "@ingest"
cutoff_hz = 10.0

[stages.fit]
inputs.dataset = "@filter"
inputs.robot = "pendulum"
"""
# 3 tasks to ingest, 12 to filter, 12 for factors, 12 fits and a report.
SWEEP = (
    PENDULUM
    + """
[stages.report]
inputs.fits = "@fit"
gathers = ["cutoff", "model"]

[sweep.axes.cutoff]
keys = ["filter.cutoff_hz"]
values = [4.0, 6.0, 8.0, 10.0]

[sweep.axes.model]
keys = ["fit.model"]
values = ["ols", "wls", "sdp"]
"""
)
TASKS = 40
SEEDS, EPOCHS, REPEAT = 8, 500, 3
TRAININGS = (
    PENDULUM
    + """
model = "delan"
epochs = {epochs}
patience = {epochs}

[sweep.axes.seed]
keys = ["fit.seed"]
values = [{seeds}]
"""
)


class Run(NamedTuple):
    """What a run of `robotid` came to."""

    code: int
    seconds: float
    digest: str
    said: str


class Place:
    """A folder with logs and pipelines, where runs are made."""

    def __init__(self, folder: Path) -> None:
        self.logs, self.caches = folder / "logs", folder / "caches"
        self.logs.mkdir()
        self.caches.mkdir()
        self._folder, self._count, self.cache = folder, 0, self.caches
        for name in ("run1", "run3"):
            lines = (PROJECT / "sample_logs" / "pendulum" / f"{name}.csv").read_text().splitlines()
            (self.logs / f"{name}.csv").write_text("\n".join(lines[:1201]) + "\n")

    def pipeline(self, name: str, text: str) -> Path:
        """Write a pipeline file beside the logs."""
        path = self.logs / f"{name}.toml"
        path.write_text(text)
        return path

    def run(self, pipeline: Path, *more: str, cache: Path | None = None) -> Run:
        """Run a pipeline in a cache of its own, and say which bytes it delivers."""
        self._count += 1
        out, own = self._folder / f"out{self._count}", self.caches / str(self._count)
        self.cache = own  # of the last run
        if cache is not None:
            shutil.copytree(cache, own)
        command = [str(Path(sys.executable).parent / "robotid"), "run", str(pipeline), "--quiet"]
        began = time.perf_counter()
        done = subprocess.run(
            [*command, "--out", str(out), "--cache-dir", str(own), *more],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        seconds = time.perf_counter() - began
        found = Run(done.returncode, seconds, _digest(out), done.stderr)
        shutil.rmtree(out, ignore_errors=True)
        if cache is None:
            shutil.rmtree(own, ignore_errors=True)
        return found

    @contextmanager
    def cluster(self, workers: int, *, far: bool = False) -> Iterator[DaskProcesses]:
        """A cluster; one that is far away sees neither logs nor caches."""
        folder = Path(tempfile.mkdtemp(prefix="robotid-dask-"))
        try:
            with DaskProcesses(folder) as processes:
                hidden = (self.logs, self.caches) if far else ()
                processes.workers += [processes.worker(hidden=hidden) for _ in range(workers)]
                yield processes
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _digest(folder: Path) -> str:
    """Of the names and bytes of all files in a folder."""
    sha = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        sha.update(f"{path.relative_to(folder)}\0{path.stat().st_size}\0".encode())
        sha.update(path.read_bytes())
    return sha.hexdigest()


def on(cluster: DaskProcesses) -> tuple[str, ...]:
    """Arguments that send a run to a cluster."""
    return "--executor", "dask", "--scheduler", cluster.address


class Compared(NamedTuple):
    """A run here, how many on clusters were not the same, and how long the quickest took [s]."""

    here: Run
    wrong: int
    seconds: float


def identical(place: Place, name: str, pipeline: Path, *, hides: bool) -> Compared:
    """Whether a run gives the same bytes here, on a cluster of this machine and on one far away."""
    here, wrong = place.run(pipeline), 0
    wrong += here.code != 0
    ways = [(place.run(pipeline, "--executor", "dask", "--jobs", "2"), "started by the run")]
    for far in (False, True) if hides else (False,):
        with place.cluster(2, far=far) as cluster:
            where = "without common files" if far else "with common files"
            ways.append((place.run(pipeline, *on(cluster)), where))
    for found, where in ways:
        same = found.code == here.code and found.digest == here.digest
        wrong += not same
        print(
            f"{name}, 2 workers {where}: {'same' if same else 'OTHER'} bytes as local, "
            f"{found.seconds:.1f} s against {here.seconds:.1f} s"
            f"{'' if same else found.said}"
        )
    return Compared(here, wrong, min(found.seconds for found, _ in ways[1:]))


class Blow:
    """Kills a worker and has another one join."""

    def __init__(self, cluster: DaskProcesses, worker: int, hidden: tuple[Path, ...]) -> None:
        self._cluster, self._worker, self._hidden, self.struck = cluster, worker, hidden, False

    def __call__(self) -> None:
        """Do it."""
        os.killpg(self._cluster.workers[self._worker].pid, signal.SIGKILL)
        self.struck = True
        self._cluster.worker(hidden=self._hidden)


def killed(place: Place, pipeline: Path, compared: Compared, kills: int, *, hides: bool) -> int:
    """Runs in which one of two workers is killed; how many of them were wrong."""
    here, chance, wrong, runs, struck = compared.here, random.Random(0), 0, 0, 0
    while struck < kills:
        runs += 1
        hidden = (place.logs, place.caches) if hides and struck % 2 == 1 else ()
        with place.cluster(2, far=bool(hidden)) as cluster:
            blow = Blow(cluster, chance.randrange(2), hidden)
            timer = threading.Timer(chance.uniform(0, compared.seconds), blow)
            timer.start()
            found = place.run(pipeline, *on(cluster))
            timer.cancel()
            timer.join()
        struck += blow.struck
        if found.code != here.code or found.digest != here.digest:
            wrong += 1
            print(f"run {runs}: exit code {found.code}, other bytes\n{found.said}")
    print(f"a worker killed in {struck} of {runs} runs: {wrong} with other bytes or exit codes")
    return wrong


def trained(place: Place, workers: Sequence[int], *, small: bool = False) -> dict[int, list[float]]:
    """Times of trainings that do not depend on each other, on so many workers; same bytes each."""
    seeds, epochs, repeat = (2, 2, 1) if small else (SEEDS, EPOCHS, REPEAT)
    text = TRAININGS.format(epochs=epochs, seeds=", ".join(map(str, range(seeds))))
    pipeline = place.pipeline("trainings", text)
    empty = place.caches / "empty"
    empty.mkdir(mode=0o700)
    ready = place.run(pipeline, "--until", "filter", cache=empty)
    prepared, found = place.cache, {(ready.code, "")}
    times: dict[int, list[float]] = {count: [] for count in workers}
    for _ in range(repeat):
        for count in workers:
            with place.cluster(count) as cluster:
                done = place.run(pipeline, *on(cluster), cache=prepared)
            times[count].append(done.seconds)
            found.add((done.code, done.digest))
    if len(found) != 2 or ready.code != 0:
        msg = f"{len(found) - 1} different results of one run: {found}"
        raise RuntimeError(msg)
    return times


def scaled(place: Place) -> bool:
    """Whether two workers are as fast as they should be."""
    one, two = map(statistics.median, trained(place, (1, 2)).values())
    print(
        f"{SEEDS} trainings: {one:.1f} s on 1 worker, {two:.1f} s on 2: {two / one:.2f} x "
        f"(limit {MOST_TIME}), the same bytes"
    )
    return two <= MOST_TIME * one


def overhead(place: Place, sweep: Path) -> None:
    """What short tasks take more on a worker of a cluster than in a process here."""
    times: dict[str, list[float]] = {"cluster": [], "here": []}
    for _ in range(REPEAT):
        with place.cluster(1) as cluster:
            times["cluster"].append(place.run(sweep, *on(cluster)).seconds)
        times["here"].append(place.run(sweep, "--jobs", "1").seconds)
    alone, one = (statistics.median(own) for own in times.values())
    more_ms = 1e3 * (alone - one) / TASKS
    print(
        f"{TASKS} short tasks: {alone:.1f} s on 1 worker of a cluster, {one:.1f} s in 1 process "
        f"here: {more_ms:.0f} ms more for each"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--small", action="store_true", help="a size for tests, without times")
    given = parser.parse_args()
    reason = no_loopback()
    if reason is not None:
        print(reason, file=sys.stderr)
        return 1
    hides = can_hide() and not given.small
    with tempfile.TemporaryDirectory(prefix="robotid-cluster-") as name:
        place = Place(Path(name))
        wrong = 0
        if not given.small:
            quick = PROJECT / "pipelines" / "quickstart.toml"
            wrong += identical(place, "quick start", quick, hides=hides).wrong
        sweep = place.pipeline("sweep", PENDULUM if given.small else SWEEP)
        compared = identical(place, f"sweep of {TASKS} tasks", sweep, hides=hides)
        wrong += compared.wrong + killed(place, sweep, compared, given.kills, hides=hides)
        good = given.small or scaled(place)
        if not given.small:
            overhead(place, sweep)
    return int(wrong > 0 or not good)


if __name__ == "__main__":
    sys.exit(main())
