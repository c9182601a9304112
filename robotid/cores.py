"""How many cores the work at hand may use: all there are, or its share of them beside other tasks.

Who divides work among threads or processes asks; who runs several tasks at a time tells each of
them. No result depends on it.
"""

import os

CORES = "ROBOTID_CORES"  # variable of the environment, for users and for child processes


def available() -> int:
    """Cores to divide work among: as told, else those that this process may run on."""
    told = os.environ.get(CORES, "")
    if told.isdigit() and int(told) > 0:
        return int(told)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def allow(count: int) -> None:
    """From now on, work in this process and in those it starts uses so many."""
    os.environ[CORES] = str(count)
