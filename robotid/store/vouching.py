"""Which files of a store were verified within the last day, so that vouching for them is cheap.

A dataset of hundreds of recordings consists of links to files that were hashed when they were
made. A run that adds one vouches for all of them, and would read them all. What was verified less
than a day ago, and shows no change since, is not read again for that: mode, size, time of change,
and the time of the last change of any kind, which moves only when links come or go.

Nothing is ever computed from or copied to a user on this word: whoever reads a file of a store, as
an input or for a copy, verifies every byte of it. What stays is damage by the disk itself, within a
day, to a result that nobody reads.
"""

import os
import time

from robotid.store.files import FileFact
from robotid.store.notes import Notes
from robotid.store.store import Entry, Store

_TRUSTED_S = 24 * 3600.0


class Vouching:
    """Remembers verified files by what they are, whatever their names."""

    def __init__(self, store: Store) -> None:
        self._store, self._now = store, time.time()
        notes = Notes(store.root / "digests" / "verified.json")
        self._notes = notes if store.remembers else None

    def sound(self, entry: Entry) -> bool:
        """Whether every byte of an entry is in place, or was a short time ago."""
        files = entry.manifest.files
        unsure = [name for name in files if not self._is_known(entry, name)]
        if not self._store.verify(entry, unsure):
            return False
        self.note(entry, unsure)
        return True

    def note(self, entry: Entry, names: list[str] | None = None) -> None:
        """Files have just been hashed; all of an entry where none are named."""
        if self._notes is None or not entry.path.is_relative_to(self._store.root):
            return
        for name in entry.manifest.files if names is None else names:
            identity = _identity(entry, name)
            if identity is not None:
                stamps, fact = identity[1], entry.manifest.files[name]
                self._notes.put(identity[0], [*stamps, fact.sha256, self._now])

    def save(self) -> None:
        """Keep what was found out for the next run, but nothing that is too old to be of use."""
        if self._notes is not None:
            self._notes.keep(lambda value: 0 <= self._now - value[-1] <= _TRUSTED_S)
            self._notes.save()

    def _is_known(self, entry: Entry, name: str) -> bool:
        identity = _identity(entry, name)
        if self._notes is None or identity is None:
            return False
        key, stamps = identity
        fact: FileFact = entry.manifest.files[name]
        known = self._notes.get(key)
        if known is None:
            return False
        *before, links, changed_ns, sha256, verified_s = known
        touched = links == stamps[-2] and changed_ns != stamps[-1]
        if touched or before != stamps[:-2] or sha256 != fact.sha256:
            return False
        return bool(0 <= self._now - verified_s <= _TRUSTED_S)


def _identity(entry: Entry, name: str) -> tuple[str, list[int]] | None:
    """Which file it is, and what shows a change of it: of content, of links, of anything."""
    try:
        facts = os.lstat(entry.path / name)
    except OSError:
        return None
    stamps = [facts.st_mode, facts.st_size, facts.st_mtime_ns, facts.st_nlink, facts.st_ctime_ns]
    return f"{facts.st_dev}:{facts.st_ino}", stamps
