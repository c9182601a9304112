"""A fault at every system call of a commit, one after another: kill -9 and errors of the disk.

    python benchmarks/store_faults.py [--faults SIGKILL ENOSPC EIO ESTALE EDQUOT EMFILE]

A child process finds or makes a result, commits it and reads it back; at its k-th open, mkdir,
rename, link, chmod, utime or fsync it is killed, or the call fails. Then every visible entry is
checked by code that does not know robotid, nothing half-done may be left behind by a call that
failed, and the next run must be right without anybody's help. k grows until the child gets through.
"""

import argparse
import errno
import mmap
import os
import resource
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from check_store import check
from store_kills import get_or_make, in_child

from robotid.errors import RobotidError
from robotid.store.store import EntryDamagedError

FAULTS = ("SIGKILL", "ENOSPC", "EIO", "ESTALE", "EDQUOT", "EMFILE")
_EVENTS = ("open", "os.mkdir", "os.rename", "os.link", "os.chmod", "os.utime")
_FILES = {"a.json": b"{}", "b.bin": bytes(range(256)) * 200, "deep/c.txt": b"deep" * 100}
_met = mmap.mmap(-1, 1)  # shared with the children: whether the fault was met
_FAILED, _WRONG = 7, 8  # exit codes of a child: an error that is known of, or wrong bytes


def inject(fault: str, at: int, root: Path) -> None:
    """Let the `at`-th call below a folder fail or kill this process; for the rest of its life."""
    seen, cleaning = 0, False
    fsync, rmtree = os.fsync, shutil.rmtree

    def count() -> None:
        nonlocal seen
        seen += 1
        _met[0] |= seen == at
        if seen == at and fault == "SIGKILL":
            os.kill(os.getpid(), signal.SIGKILL)
        elif seen == at:
            number = getattr(errno, fault)
            raise OSError(number, os.strerror(number))

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event in _EVENTS and not cleaning and str(arguments[0]).startswith(str(root)):
            count()

    def counted_fsync(fd: int) -> None:
        count()
        fsync(fd)

    def uncounted_rmtree(*arguments: object, **options: object) -> None:
        nonlocal cleaning
        cleaning = fault != "SIGKILL"
        rmtree(*arguments, **options)
        cleaning = False

    os.fsync, shutil.rmtree = counted_fsync, uncounted_rmtree
    sys.addaudithook(hook)


def attempt(root: Path, before: Callable[[], None]) -> int:
    """A run with a fault in a child process; its exit code, negative if it was killed."""

    def child() -> None:
        before()
        code = 0
        try:
            code = 0 if get_or_make(root, 1, _FILES) == _FILES else _WRONG
        except (OSError, RobotidError, EntryDamagedError):
            code = _FAILED
        os._exit(code)

    return os.waitstatus_to_exitcode(in_child(child, None))


def trial(root: Path, before: Callable[[], None]) -> tuple[int, list[str]]:
    """One fault and what came of it: the child's exit code and all that is wrong."""
    _met[0] = False
    code = attempt(root, before)
    wrong = list(check(root)[1])
    if code not in (0, _FAILED, -signal.SIGKILL):
        wrong.append(f"the child ended with {code}")
    if code >= 0 and any((root / "tmp").glob("*")):
        wrong.append("a workspace is left")
    if attempt(root, lambda: None) != 0:
        wrong.append("the next run is not right")
    shutil.rmtree(root, ignore_errors=True)
    return code, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faults", nargs="*", default=FAULTS, choices=FAULTS)
    options = parser.parse_args()
    root = Path(tempfile.mkdtemp(prefix="robotid-faults-")) / "cache"
    root.parent.chmod(0o700)
    points, wrong = Counter(), []
    for fault in options.faults:
        for at in range(1, 1000):
            _, found = trial(root, partial(inject, fault, at, root))
            wrong += [f"{fault} at call {at}: {what}" for what in found]
            if not _met[0]:
                break
            points[fault] += 1
    for size in (0, 100, 4096, 51_199):  # ulimit -f: EFBIG in the middle of a write
        limit = (size, resource.RLIM_INFINITY)
        code, found = trial(root, partial(resource.setrlimit, resource.RLIMIT_FSIZE, limit))
        wrong += [f"EFBIG beyond {size} bytes: {what}" for what in found]
        points["EFBIG"] += code == _FAILED
    shutil.rmtree(root.parent)
    for what in wrong:
        print(what)
    counts = ", ".join(f"{count} {fault}" for fault, count in points.items())
    print(f"store faults: {points.total()} ({counts}), {len(wrong)} wrong")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
