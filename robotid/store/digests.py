"""Digests of a user's files, remembered while nobody touches the files.

The digest of a file is needed for every key, its content only by the stage that reads it. Hundreds
of recordings that were read before are therefore not read again: device, number, size, time of
change and time of the last change of any kind (which no program can set) are what they were. A file
that was changed shortly before it was read is not remembered, as another change might not show.

This decides only which result is looked for. Whoever computes from a file still proves that it held
what its digest says.
"""

import hashlib
import os
import socket
import time
from pathlib import Path

from robotid.store.files import FileFact, hash_file
from robotid.store.notes import Notes
from robotid.store.store import Store

# Coarse clocks of file systems; pages that were written in memory and not to disk yet.
_SETTLED_S = 60.0


class Digests:
    """What the files of users hold; without a store nothing is remembered."""

    def __init__(self, store: Store | None) -> None:
        self._folder = None
        if store is not None and store.lasting and not store.readonly:
            self._folder = store.root / "digests"
        self._notes: dict[Path, Notes] = {}

    def fact(self, path: Path) -> FileFact:
        """Size and SHA-256 of a file; it is read unless it is known."""
        if self._folder is None:
            return hash_file(path, follow=True)
        notes, before = self._notes_of(path.absolute().parent), _signature(path)
        known = notes.get(path.name)
        if known is not None and known[:-1] == before:
            return FileFact(before[2], known[-1])
        fact = hash_file(path, follow=True)
        changed_s = max(before[3:]) / 1e9
        if _signature(path) == before and time.time() - changed_s >= _SETTLED_S:
            notes.put(path.name, [*before, fact.sha256])
        return fact

    def save(self) -> None:
        """Keep what was found out for the next run."""
        for notes in self._notes.values():
            notes.save()

    def _notes_of(self, folder: Path) -> Notes:
        if folder not in self._notes:
            assert self._folder is not None
            # Machines that share a cache do not share what lies under a path.
            where = f"{socket.gethostname()}:{folder}".encode("utf-8", "surrogateescape")
            name = hashlib.sha256(where).hexdigest()[:32]
            self._notes[folder] = Notes(self._folder / f"{name}.json")
        return self._notes[folder]


def _signature(path: Path) -> list[int]:
    """What changes when a file does; it is opened, so that a network file system looks afresh."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        facts = os.fstat(fd)
    finally:
        os.close(fd)
    return [facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns]
