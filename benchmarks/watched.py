"""A command with what it takes: time, time of processors, memory, bytes read."""

import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from long_log import held_by

_EVERY_S = 0.05


class Watched(NamedTuple):
    """What a command took.

    Args:
        seconds: from beginning to end.
        cpu_s: of all processors, by it and all that it started and waited for.
        peak_mb: held at most by all its processes (Pss: shared pages count once).
        read_bytes: asked for by read calls of all its processes, from disk or memory; watching
            adds some megabytes a minute.
    """

    seconds: float
    cpu_s: float
    peak_mb: float
    read_bytes: int


def watched(
    command: Sequence[str | Path], folder: Path, settings: Mapping[str, str], codes: Sequence[int]
) -> Watched:
    """Run a command in a folder; anything but one of these exit codes is an error."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    peak, read = 0.0, _read()
    with (
        tempfile.TemporaryFile("w+") as said,
        subprocess.Popen(
            [str(word) for word in command],
            cwd=folder,
            env={**os.environ, **settings},
            stdout=subprocess.DEVNULL,
            stderr=said,
        ) as running,
    ):
        while running.poll() is None:
            peak = max(peak, held_by(running.pid))
            time.sleep(_EVERY_S)
        if running.returncode not in codes:
            said.seek(0)
            msg = f"{command[0]} ended with {running.returncode}\n{said.read()}"
            raise RuntimeError(msg)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Watched(time.perf_counter() - began, cpu_s, peak, _read() - read)


def _read() -> int:
    """By this process and all that were waited for: Linux adds what a child has read to that."""
    return int(Path("/proc/self/io").read_text().split()[1])


def size_of(folder: Path) -> int:
    """Bytes of the files in a folder, each counted once however many links it has."""
    files = {}
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            facts = path.stat()
            files[facts.st_dev, facts.st_ino] = facts.st_size
    return sum(files.values())
