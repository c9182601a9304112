"""Inputs where a stage can read them: the user's own paths, or verified links into a workspace."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

from robotid import cores
from robotid.runner.task import Piece
from robotid.stages.contract import Source
from robotid.store.store import Entry, EntryDamagedError, Store
from robotid.store.transport import take_file


class Shelf:
    """Puts the inputs of one task in place; some files only when they are about to be read."""

    def __init__(self, store: Store) -> None:
        self._store, self._lock = store, threading.Lock()
        self._later: dict[Path, Callable[[], None]] = {}

    def place(self, piece: Piece, folder: Path, on_demand: str = "") -> Source:
        """Put an input in place, but for files that fit the pattern `on_demand`.

        Raises `EntryDamagedError` when a stored input is gone or damaged; `provide` does so later.
        """
        if piece.path is not None and piece.given is None:
            return Source(piece.name, Path(piece.place), piece.digest)
        folder.mkdir(parents=True)
        names: Iterable[str]
        if piece.given is not None:
            given, names = piece.given, piece.given
            puts = {n: partial(take_file, self._store, given[n], folder / n) for n in names}
        else:
            entry = stored_entry(piece, self._store)
            names = entry.manifest.files if piece.files is None else piece.files
            puts = {n: partial(self._store.check_out, entry, folder, [n]) for n in names}
        now = []
        for name, put in puts.items():
            if on_demand and not piece.single and fnmatch(name, on_demand):
                self._later[folder / name] = put
            else:
                now.append(put)
        with ThreadPoolExecutor(cores.available()) as threads:  # to hash is most of the work
            for done in [threads.submit(put) for put in now]:
                done.result()
        first = folder / next(iter(names)) if piece.single else folder
        return Source(piece.name, first, piece.digest, proven=piece.path is None)

    def provide(self, path: Path) -> None:
        """Put a file in place that is about to be read, if it is one that waits for that."""
        with self._lock:
            put = self._later.pop(path, None)
            if put is not None:
                put()


def stored_entry(piece: Piece, store: Store) -> Entry:
    """The stored result that an input is, or is part of."""
    entry = store.find(piece.stage, piece.key)
    if entry is None:
        raise EntryDamagedError(piece.stage, piece.key)
    return entry
