"""Memory: an estimate before much of it is taken, so that a run ends in words and not in a kill."""

import os
import resource
from contextlib import suppress
from pathlib import Path

from robotid.errors import TemporaryError

_SMALL = 1 << 28  # bytes for which nobody is asked
_GROUPS = Path("/sys/fs/cgroup")


def must_fit(needed: float, what: str, hint: str) -> None:
    """Refuse what would take more memory than there is.

    Args:
        needed: bytes, estimated.
        what: would take them.
        hint: how to do with less.
    """
    if needed < _SMALL or needed <= (free := available()):
        return
    said = f"{what} would take {needed / 1e9:.3g} GB of memory, {free / 1e9:.3g} GB are free"
    raise TemporaryError("out-of-memory", said, hint=hint)


def available() -> float:
    """Bytes this process may still take: of the machine, of its control group, by its limit."""
    found = [float("inf")]
    with suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text().splitlines()
        line = next(line for line in lines if line.startswith("MemAvailable:"))
        found.append(int(line.split()[1]) * 1024)
    with suppress(OSError, ValueError):
        own = Path("/proc/self/cgroup").read_text().strip().rpartition(":")[2]
        group = _GROUPS / own.lstrip("/")
        limit = int((group / "memory.max").read_text())
        found.append(limit - int((group / "memory.current").read_text()))
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY:
        with suppress(OSError, ValueError):
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            found.append(limit - pages * os.sysconf("SC_PAGE_SIZE"))
    return max(0.0, min(found))
