"""Digests of a user's files, remembered while nobody can have changed the files.

The digest of a file is needed for every key, its content only by the stage that reads it. Hundreds
of recordings that were read before are therefore not read again. What is remembered of a file is
its device and number, its size and two times: of the last change of content, which programs set as
they like (`cp -p`, rsync), and of the last change of any kind (ctime), which the kernel alone sets.
Every change shows in ctime where all of this holds; elsewhere a file is read every time:

- It lies on a disk of this machine, with a file system of `_LOCAL`. Over a network the server keeps
  ctime, with a clock of its own and behind the caches of this and other machines; sshfs and FAT
  have no such time at all, and writes through a memory map of tmpfs do not show in it.
- Nobody had it open for writing when it was read; the kernel grants a lease to those who read only
  then. A write takes its time when it begins, one through a memory map when it first meets a page:
  whoever was already at it could go on unseen.
- Its ctime was then further back than the coarsest clock of these file systems ticks, so that a
  later change has a later time. (The rule of git for files that are "racily clean".)
- The clock has not been set since, neither forward nor back: the time of day minus the time since
  the start of the machine is what it was.
- The machine has not been started since: a crash may lose times that were not on disk yet.

This decides only which result is looked for. Whoever computes from a file still proves that it held
what its digest says.
"""

import fcntl
import hashlib
import os
import signal
import time
from pathlib import Path

from robotid.store.files import FileFact, hash_file
from robotid.store.notes import Notes
from robotid.store.store import Store

_LOCAL = {"ext2", "ext3", "ext4", "xfs", "f2fs"}
_SETTLED_S = 5.0  # clocks of these file systems tick every second or more often
_STEP_S = 1.0  # of the clock; what is smaller comes from reading two clocks one after the other
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_MOUNTS = Path("/proc/self/mountinfo")


class Digests:
    """What the files of users hold; without a store, or not on Linux, nothing is remembered."""

    def __init__(self, store: Store | None) -> None:
        self._folder = None
        self._notes: dict[Path, Notes] = {}
        self._boot, self._devices = _boot(), _local_devices()
        if store is not None and store.remembers and self._boot:
            self._folder = store.root / "digests"

    def fact(self, path: Path) -> FileFact:
        """Size and SHA-256 of a file; it is read unless it is known."""
        if self._folder is None:
            return hash_file(path, follow=True)
        notes, clock_s = self._notes_of(path.absolute().parent), _clock()
        before, quiet = _signature(path)
        known = notes.get(path.name)
        if known is not None and known[:5] == before and abs(known[5] - clock_s) < _STEP_S:
            return FileFact(before[2], known[6])
        fact = hash_file(path, follow=True)
        settled = time.time() - before[4] / 1e9 >= _SETTLED_S
        if quiet and settled and before[0] in self._devices and _signature(path)[0] == before:
            notes.put(path.name, [*before, clock_s, fact.sha256])
        return fact

    def save(self) -> None:
        """Keep what was found out for the next run."""
        for notes in self._notes.values():
            notes.save()

    def _notes_of(self, folder: Path) -> Notes:
        if folder not in self._notes:
            assert self._folder is not None
            # Machines that share a cache do not share what lies under a path.
            where = f"{self._boot}:{folder}".encode("utf-8", "surrogateescape")
            name = hashlib.sha256(where).hexdigest()[:32]
            self._notes[folder] = Notes(self._folder / f"{name}.json")
        return self._notes[folder]


def _signature(path: Path) -> tuple[list[int], bool]:
    """Device, number, size, mtime and ctime [ns] of a file, and whether nobody is writing to it."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        quiet = _nobody_writes(fd)
        facts = os.fstat(fd)
    finally:
        os.close(fd)
    stamps = [facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns]
    return stamps, quiet


def _nobody_writes(fd: int) -> bool:
    """Whether no process has a file open for writing; False where the kernel does not say.

    A lease is for the owner of the file, and given back at once: whoever opens the file to write to
    it in between is held up for that long, and the signal that says so is one that is ignored.
    """
    try:
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except (OSError, AttributeError):
        return False
    return True


def _clock() -> float:
    """Time of day when the machine started, by the clock of now [s]: moves when that is set."""
    return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)


def _boot() -> str:
    """What this start of this machine is known by; empty where nobody says."""
    try:
        return _BOOT.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""


def _local_devices() -> set[int]:
    """Numbers of devices with a file system of `_LOCAL`."""
    found: set[int] = set()
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return found
    for line in lines:
        fields, _, rest = line.partition(" - ")
        if rest.split(" ", 1)[0] in _LOCAL:
            major, _, minor = fields.split(" ")[2].partition(":")
            found.add(os.makedev(int(major), int(minor)))
    return found
