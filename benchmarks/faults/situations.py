"""What a lab server does to a run: neighbours, full and read-only disks, clocks, missing memory."""

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from faults.scene import STAGES, Scene, Trial, ended, files_in

_YEARS = 10 * 365 * 86400.0


def situations(scene: Scene, rounds: int, chance: random.Random) -> Iterator[Trial]:
    """Each situation so many times, unless this machine does not allow it."""
    for _ in range(rounds):
        for label, situation in SITUATIONS.items():
            wrong = situation(scene, chance)
            if wrong is not None:
                yield Trial(label, True, wrong)


def two_jobs(scene: Scene, chance: random.Random) -> list[str]:
    """Two runs on one cache, each with an output of its own: both end with 0 and the same bytes."""
    scene.prepare(chance.randrange(len(STAGES)), occupied=False)
    second = scene.out.with_name("out2")
    runs = [scene.start(scene.command()), scene.start(scene.command("--out", str(second)))]
    outcomes = [ended(run) for run in runs]
    wrong = [f"one of two ended with {done}" for done in outcomes if done.code != 0]
    if not wrong and files_in(second) != scene.clean:
        wrong.append("the second run delivered other bytes")
    return wrong + scene.judge(outcomes[0], (0,))


def gc_beside(scene: Scene, chance: random.Random) -> list[str]:
    """A gc that removes everything, again and again, beside a run."""
    scene.prepare(chance.randrange(1, len(STAGES) + 1), occupied=False)
    run, wrong = scene.start(scene.command()), []
    collect = ["cache", "gc", "--max-size", "0", "--min-age", "0s", "--cache-dir"]
    while run.poll() is None:
        command = [sys.executable, "-P", "-m", "robotid", *collect, str(scene.cache)]
        collected = subprocess.run(command, capture_output=True, text=True)
        if collected.returncode != 0:
            wrong.append(f"gc ended with {collected.returncode}: {collected.stderr}")
    return wrong + scene.judge(ended(run), (0,))


def worker_killed(scene: Scene, chance: random.Random) -> list[str]:
    """The kernel takes the worker, as when memory runs out: 75, and the next run goes on."""
    moment = chance.uniform(0.2, 1) * scene.usual_seconds(0)
    scene.prepare(0, occupied=False)
    run = scene.start(scene.command())
    time.sleep(moment)
    children = Path(f"/proc/{run.pid}/task/{run.pid}/children")
    workers: list[str] = []
    while run.poll() is None and not workers:  # the first may still be about to start
        workers = children.read_text().split()
    if workers:
        with suppress(ProcessLookupError):
            os.kill(int(workers[0]), signal.SIGKILL)
    return scene.judge(ended(run), (0, 75))


def full_disk(scene: Scene, chance: random.Random) -> list[str] | None:
    """A small file system holds the cache and fills up: 74, and nothing half-done is visible."""
    scene.prepare(0, occupied=False)
    scene.cache.mkdir(mode=0o700)
    size = f"size={chance.randrange(16, 400)}k,mode=700"
    if subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", scene.cache]).returncode != 0:
        return None
    try:
        done = scene.run()
        subprocess.run(["mount", "-o", "remount,size=64m", scene.cache], check=True)
        return scene.judge(done, (0, 74))
    finally:
        subprocess.run(["umount", "--lazy", scene.cache], check=True)


def file_limit(scene: Scene, chance: random.Random) -> list[str]:
    """`ulimit -f`: no file may be longer than some bytes."""
    scene.prepare(chance.randrange(len(STAGES)), occupied=chance.random() < 0.5)
    most = chance.randrange(1, 60_000)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))

    return scene.judge(ended(scene.start(scene.command(), preexec_fn=limit)), (0, 74))


def read_only(scene: Scene, chance: random.Random) -> list[str] | None:
    """A cache that can only be read serves its hits; the rest is computed, and all is delivered."""
    scene.prepare(chance.randrange(1, len(STAGES) + 1), occupied=chance.random() < 0.5)
    bind = ["mount", "--bind", scene.cache, scene.cache]
    if subprocess.run(bind).returncode != 0:
        return None
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", scene.cache], check=True)
        done = scene.run()
        wrong = [] if files_in(scene.out) == scene.clean else ["other bytes, or none"]
    finally:
        subprocess.run(["umount", "--lazy", scene.cache], check=True)
    return wrong + scene.judge(done, (0,))


def clock_jumps(scene: Scene, chance: random.Random) -> list[str]:
    """Time stamps of inputs, entries and outputs from ten years ago or ahead, and a gc."""
    scene.prepare(chance.randrange(1, len(STAGES) + 1), occupied=True)
    for path in [*scene.root.joinpath("trial").rglob("*"), *scene.inputs.iterdir()]:
        moment = time.time() + chance.uniform(-_YEARS, _YEARS)
        os.utime(path, (moment, moment))
    command = [sys.executable, "-P", "-m", "robotid", "cache", "gc", "--max-size", "100k"]
    done = ended(scene.start([*command, "--cache-dir", str(scene.cache)]))
    wrong = [] if done.code == 0 else [f"gc ended with {done}"]
    return wrong + scene.judge(scene.run(), (0,))


def cache_removed(scene: Scene, chance: random.Random) -> list[str]:
    """Somebody removes the cache while a run works in it."""
    moment = chance.uniform(0, 1) * scene.usual_seconds(0)
    scene.prepare(0, occupied=False)
    run = scene.start(scene.command())
    time.sleep(moment)
    shutil.rmtree(scene.cache, ignore_errors=True)
    return scene.judge(ended(run), (0, 74, 75))


SITUATIONS: dict[str, Callable[[Scene, random.Random], list[str] | None]] = {
    "two jobs at once": two_jobs,
    "gc beside a run": gc_beside,
    "worker killed": worker_killed,
    "full disk": full_disk,
    "file-size limit": file_limit,
    "read-only cache": read_only,
    "clock jumps": clock_jumps,
    "cache removed": cache_removed,
}
