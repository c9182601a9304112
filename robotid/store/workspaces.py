"""Folders that a process writes in, named so that others can tell when nobody does any more."""

import os
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from robotid.store.files import remove_tree

ORPHAN_AGE_S = 24 * 3600.0
HIDDEN = ".robotid-"  # in front of the name, in a folder that is the user's
_SIGN_OF_LIFE_S = 1800.0
_BEGAN = "began"  # a file in the workspace of a run, as old as the run
_HOST = "".join(c if c.isalnum() else "_" for c in socket.gethostname())
_NAME = re.compile(r"(?P<host>\w+)-(?P<pid>\d+)-[0-9a-f]{32}")


def workspace_name(prefix: str = "") -> str:
    """A name for a new workspace of this process: `<host>-<pid>-<id>`."""
    return f"{prefix}{_HOST}-{os.getpid()}-{uuid4().hex}"


@contextmanager
def workspace(parent: Path, prefix: str = "") -> Iterator[Path]:
    """A new folder, removed at the end of the block; while it lasts, its time stamp stays fresh.

    Other hosts cannot see whether this process lives. They go by the time stamp.
    """
    path = parent / workspace_name(prefix)
    over = threading.Event()

    def give_signs_of_life() -> None:
        while not over.wait(_SIGN_OF_LIFE_S):
            with suppress(OSError):
                os.utime(path)

    try:  # from the first moment: a signal may come between any two lines
        path.mkdir(mode=0o700)
        threading.Thread(target=give_signs_of_life, daemon=True).start()
        yield path
    finally:
        over.set()
        _remove(path)


def _remove(path: Path) -> None:
    """Remove a workspace, also where a signal comes in the middle of that."""
    try:
        remove_tree(path)
    except BaseException:
        remove_tree(path)
        raise


@contextmanager
def at_work(folder: Path) -> Iterator[None]:
    """Tell whoever collects garbage that a run goes on; where nothing can be written, do not."""
    with ExitStack() as stack:
        with suppress(OSError):
            space = stack.enter_context(workspace(folder))
            (space / _BEGAN).touch()
        yield


def oldest_run(folder: Path) -> float | None:
    """When the oldest of the runs began that go on, as a time stamp; None without any."""
    gone = set(orphans(folder, min_age_s=0.0))
    began = []
    for path, host, _ in _workspaces(folder, ""):
        with suppress(OSError):
            # Of another host only the time stamp tells that a process lives.
            fresh = time.time() - path.lstat().st_mtime < ORPHAN_AGE_S
            if path not in gone or (host != _HOST and fresh):
                began.append((path / _BEGAN).lstat().st_mtime)
    return min(began, default=None)


def orphans(folder: Path, prefix: str = "", min_age_s: float = ORPHAN_AGE_S) -> Iterator[Path]:
    """Workspaces in a folder whose process is gone: old enough, and dead or of another host."""
    now = time.time()
    for path, host, pid in _workspaces(folder, prefix):
        try:
            age_s = now - path.lstat().st_mtime
        except OSError:
            continue
        if age_s >= min_age_s and not (host == _HOST and _alive(pid)):
            yield path


def sweep(folder: Path, prefix: str = "", min_age_s: float = ORPHAN_AGE_S) -> int:
    """Remove the orphans in a folder; how many there were."""
    found = list(orphans(folder, prefix, min_age_s))
    for path in found:
        remove_tree(path)
    return len(found)


def remove_workspaces(folder: Path, pid: int) -> None:
    """Remove what a process of this host, known to be dead, was writing."""
    for path, host, owner in _workspaces(folder, ""):
        if (host, owner) == (_HOST, pid):
            remove_tree(path)


def _workspaces(folder: Path, prefix: str) -> Iterator[tuple[Path, str, int]]:
    """Path, host and process number of what has exactly the form of a workspace's name."""
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        match = _NAME.fullmatch(name.removeprefix(prefix))
        if match is not None and name.startswith(prefix):
            yield folder / name, match["host"], int(match["pid"])


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
