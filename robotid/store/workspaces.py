"""Folders that a process writes in, named so that others can tell when nobody does any more."""

import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

from robotid.store.files import remove_tree

ORPHAN_AGE_S = 24 * 3600.0
HIDDEN = ".robotid-"  # in front of the name, in a folder that is the user's
_HOST = "".join(c if c.isalnum() else "_" for c in socket.gethostname())


def workspace_name(prefix: str = "") -> str:
    """A name for a new workspace of this process: `<host>-<pid>-<id>`."""
    return f"{prefix}{_HOST}-{os.getpid()}-{uuid4().hex}"


def orphans(folder: Path, prefix: str = "", min_age_s: float = ORPHAN_AGE_S) -> Iterator[Path]:
    """Workspaces in a folder whose process is gone: old enough, and dead or of another host."""
    now = time.time()
    for path in _named(folder, prefix):
        host, _, pid = path.name.removeprefix(prefix).rpartition("-")[0].rpartition("-")
        try:
            age_s = now - path.stat().st_mtime
        except OSError:
            continue
        if age_s >= min_age_s and not (host == _HOST and pid.isdigit() and _alive(int(pid))):
            yield path


def sweep(folder: Path, prefix: str = "", min_age_s: float = ORPHAN_AGE_S) -> int:
    """Remove the orphans in a folder; how many there were."""
    found = list(orphans(folder, prefix, min_age_s))
    for path in found:
        remove_tree(path)
    return len(found)


def remove_workspaces(folder: Path, pid: int) -> None:
    """Remove what a process of this host, known to be dead, was writing."""
    for path in _named(folder, f"{_HOST}-{pid}-"):
        remove_tree(path)


def _named(folder: Path, prefix: str) -> list[Path]:
    try:
        return [folder / name for name in os.listdir(folder) if name.startswith(prefix)]
    except OSError:
        return []


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
