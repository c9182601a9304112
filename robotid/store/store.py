"""The content-addressed store: find, check out, commit, quarantine.

    root/entries/<stage>/<ab>/<key>/   manifest.json and the files of one result, never changed
    root/tmp/<host>-<pid>-<id>/        what a process is writing right now
    root/checkpoints/<stage>/<key>/    what a long task has so far, to go on with if it is killed
    root/quarantine/                   damaged entries, kept as evidence
    root/trash/                        entries on their way out

An entry appears by one `rename` of a complete, synced folder, so it is whole or absent. The first
writer wins; nobody waits for a lock. Bytes are checked against their SHA-256 when they are checked
out, before any parser sees them. A damaged entry is moved aside and counts as absent, so that it
costs time and nothing else.
"""

import errno
import os
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TypeVar
from uuid import uuid4

from robotid.errors import Notice, StorageError, UnsafePathError
from robotid.store import workspaces
from robotid.store.files import (
    NOT_THE_FILE,
    DamagedError,
    FileFact,
    folders_of,
    hash_file,
    link_or_copy,
    list_files,
    seal,
    sync_folder,
    write_synced,
)
from robotid.store.manifest import MANIFEST, Manifest, read_manifest

_TRIES = 5
_SHARED_MODE = 0o2775

Found = TypeVar("Found")


class EntryDamagedError(Exception):
    """An entry turned out to be damaged or gone; it must be computed again."""

    def __init__(self, stage: str, key: str) -> None:
        super().__init__(f"{stage} {key[:12]}")
        self.stage, self.key = stage, key


@dataclass(frozen=True, slots=True)
class Entry:
    """A committed result: where it is and what it holds."""

    path: Path
    manifest: Manifest

    @property
    def key(self) -> str:
        """SHA-256 of the record that led to this result."""
        return self.path.name


@dataclass(slots=True)
class Store:
    """A cache folder.

    Args:
        root: the folder.
        behind: another store to look into when something is not found.
        shared: a group works with it: folders are group-writable, entries of others are read.
        readonly: nothing in it is changed, damaged entries are only not used.
        lasting: it will still be there when this process has ended.
    """

    root: Path
    behind: "Store | None" = None
    shared: bool = False
    readonly: bool = False
    lasting: bool = True
    notices: list[Notice] = field(default_factory=list)
    _refused: set[Path] = field(default_factory=set)

    def __post_init__(self) -> None:
        if self.behind is not None:
            self.behind.notices = self.notices

    @property
    def remembers(self) -> bool:
        """Whether it may keep what was found out of files; in a shared one nobody's word counts."""
        return self.lasting and not self.readonly and not self.shared

    def to_json(self) -> dict[str, Any]:
        """What another process needs to open the same store."""
        return {
            "root": str(self.root),
            "behind": self.behind.to_json() if self.behind is not None else None,
            "shared": self.shared,
            "readonly": self.readonly,
        }

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Store":
        """The store that `to_json` described, with no findings yet."""
        behind = cls.from_json(fields["behind"]) if fields["behind"] else None
        return cls(**{**fields, "root": Path(fields["root"]), "behind": behind})

    def place(self, stage: str, key: str) -> Path:
        """Where the entry of a key belongs."""
        return self.root / "entries" / stage / key[:2] / key

    def find(self, stage: str, key: str, *, touch: bool = True) -> Entry | None:
        """The entry of a key, with a manifest that checks out; its files are not read yet.

        `touch` notes the use: the time stamp of an entry's folder is the time of its last use.
        """
        path = self.place(stage, key)

        def look() -> Manifest | None:
            if path in self._refused or not self._is_safe(path):
                return None
            manifest = read_manifest(path)
            if manifest.key != key:
                raise DamagedError("entry lies under a foreign key")
            return manifest

        manifest = self._reading(path, look)
        if manifest is not None:
            if touch and not self.readonly:
                with suppress(OSError):
                    os.utime(path)
            return Entry(path, manifest)
        behind = self.behind.find(stage, key, touch=touch) if self.behind is not None else None
        return behind if behind is not None and behind.path not in self._refused else None

    def check_out(self, entry: Entry, into: Path, names: Iterable[str] | None = None) -> None:
        """Link the files of an entry into a folder of one's own and verify every byte there.

        The links keep the bytes alive whatever a concurrent gc does. `names` limits what is
        taken. Raises `EntryDamagedError` after moving a damaged entry to quarantine.
        """

        def take() -> bool:
            for name in entry.manifest.files if names is None else names:
                target = into / name
                target.parent.mkdir(parents=True, exist_ok=True)
                link_or_copy(entry.path / name, target)
                _check(entry, name, target)
            return True

        if self._reading(entry.path, take) is None:
            raise EntryDamagedError(entry.manifest.stage, entry.key)

    def adopt(self, entry: Entry, name: str, target: Path, *, verify: bool) -> FileFact | None:
        """Pass a file of an entry on to a new result by a link, unread unless `verify` says so.

        Its digest stays what it was, so whoever reads it later notices damage. Returns the facts
        it keeps, or None where a link is not possible: then it is a verified copy like any new
        file.
        """

        def take() -> bool:
            linked = link_or_copy(entry.path / name, target)
            if verify or not linked:
                _check(entry, name, target)
            return linked

        linked = self._reading(entry.path, take)
        if linked is None:
            raise EntryDamagedError(entry.manifest.stage, entry.key)
        return entry.manifest.files[name] if linked else None

    def verify(self, entry: Entry, names: Iterable[str] | None = None) -> bool:
        """Whether every byte of an entry is in place; a damaged one goes to quarantine.

        `names` limits what is looked at.
        """

        def look() -> bool:
            for name in entry.manifest.files if names is None else names:
                _check(entry, name, entry.path / name)
            return True

        return self._reading(entry.path, look) is not None

    def discard(self, entry: Entry, why: str) -> None:
        """Never use an entry again; it goes to quarantine if it still is where it was."""
        if os.path.lexists(entry.path):
            self._quarantine(entry.path, why)

    def keeps(self, entry: Entry) -> bool:
        """Whether an entry will still be there when this process has ended."""
        return self.lasting or not entry.path.is_relative_to(self.root)

    def checkpoint(self, stage: str, key: str) -> Path:
        """Where a task keeps what it has so far, until its result is there."""
        return self.root / "checkpoints" / stage / key

    @contextmanager
    def workspace(self) -> Iterator[Path]:
        """A private folder on the store's file system, removed at the end of the block."""
        with workspaces.workspace(self.folder("tmp")) as path:
            yield path

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Keep what is used from now on from being collected, until the end of the block."""
        if self.readonly:
            yield
            return
        with workspaces.at_work(self.folder("tmp")):
            yield

    def scratch_file(self) -> IO[bytes]:
        """A file without a name, for what a process says; gone when it is closed."""
        return tempfile.TemporaryFile(dir=self.folder("tmp"))

    def seal(
        self,
        record: dict[str, Any],
        result: Path,
        notices: Sequence[Notice] = (),
        adopted: Mapping[str, FileFact] | None = None,
    ) -> Manifest:
        """Make a finished folder inside a workspace durable and complete, ready to be committed.

        `adopted` are the files that `adopt` linked there: durable already, and not read again.
        """
        names = list_files(result)
        if MANIFEST in names:
            msg = f"a stage may not write a file called {MANIFEST}"
            raise ValueError(msg)
        known = adopted or {}
        manifest = Manifest(
            record=record,
            files={name: known.get(name) or seal(result / name) for name in names},
            notices=tuple(notices),
        )
        write_synced(result / MANIFEST, manifest.to_bytes(), mode=0o444)
        for folder in folders_of(result, names):
            if self.shared:
                folder.chmod(_SHARED_MODE)
            sync_folder(folder)
        return manifest

    def commit(self, manifest: Manifest, result: Path, *, replace: bool = False) -> Entry:
        """Make a sealed folder the entry of its key.

        Should another process have been faster, its entry is the one that counts, if its bytes
        are sound; with `replace` an entry that differs is moved to quarantine first.
        """
        place = self.place(manifest.stage, manifest.key)
        for _ in range(_TRIES):
            self._make_folders(place.parent)
            try:
                result.rename(place)
            except OSError as error:
                if error.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
                    raise
            else:
                sync_folder(place.parent)
                return Entry(place, manifest)
            winner = self.find(manifest.stage, place.name)
            if winner is None or winner.path != place or not self.verify(winner):
                continue
            if winner.manifest.content != manifest.content:
                self._warn_not_reproducible(winner, manifest)
                if replace:
                    self._quarantine(place, "replaced by --recompute", quiet=True)
                    continue
            return winner
        raise StorageError(
            "cache-stuck",
            "a damaged entry of the cache can neither be used nor moved away",
            file=str(place),
            hint="remove it, or use another --cache-dir",
        )

    def folder(self, name: str) -> Path:
        """A folder of the store, made if it is missing."""
        path = self.root / name
        self._make_folders(path)
        return path

    def warn(self, code: str, message: str, path: Path, hint: str | None = None) -> None:
        """Add a finding about the cache itself; each is said once."""
        notice = Notice(code=code, message=message, file=str(path), hint=hint)
        if notice not in self.notices:
            self.notices.append(notice)

    def _is_safe(self, path: Path) -> bool:
        """Whether an entry is there and neither a link nor a stranger's folder is on the way."""
        for folder in (path.parents[1], path.parents[0], path):
            try:
                facts = os.lstat(folder)
            except FileNotFoundError:
                return False
            if not stat.S_ISDIR(facts.st_mode):
                if folder == path:
                    raise DamagedError("entry is not a folder")
                raise UnsafePathError(
                    "cache-unsafe",
                    "a folder of the cache is a link or a file",
                    file=str(folder),
                    hint="remove it, or choose another --cache-dir",
                )
            if not self.shared and facts.st_uid not in (os.geteuid(), 0):
                raise DamagedError(f"entry belongs to user {facts.st_uid}")
        return True

    def _reading(self, path: Path, read: Callable[[], Found]) -> Found | None:
        """Read an entry; one that cannot be read is quarantined, or at least not used: None."""
        try:
            return read()
        except PermissionError as error:
            self._refused.add(path)
            said = f"cached result not used: {error.strerror}"
            self.warn("cache-unreadable", said, path, "check owner and mode")
        except (DamagedError, OSError) as error:
            if isinstance(error, OSError) and error.errno in NOT_THE_FILE:
                raise
            self._quarantine(path, str(error))
        return None

    def _quarantine(self, path: Path, why: str, *, quiet: bool = False) -> None:
        """Move an entry aside; where that is impossible it is only not used any more."""
        target = self.root / "quarantine" / f"{path.parent.parent.name}-{path.name}-{uuid4().hex}"
        try:
            if self.readonly or not path.is_relative_to(self.root):
                raise OSError(errno.EROFS, "this cache is only read")
            self._make_folders(target.parent)
            path.rename(target)
            kept = f"kept as {target}"
        except FileNotFoundError:
            return  # another process has moved it: nothing left to warn about
        except OSError as error:
            self._refused.add(path)
            kept = f"left in place: {error.strerror}"
        if not quiet:
            self.warn("cache-damaged", f"cached result not used: {why}", path, kept)

    def _make_folders(self, path: Path) -> None:
        """Create missing folders below the root with the store's own mode."""
        missing = [folder for folder in (path, *path.parents) if not folder.exists()]
        for folder in reversed(missing):
            folder.mkdir(mode=0o700, exist_ok=True)
            if self.shared:
                folder.chmod(_SHARED_MODE)

    def _warn_not_reproducible(self, winner: Entry, mine: Manifest) -> None:
        self.warn(
            "not-reproducible",
            f"stage {mine.stage} gave other bytes than the cached result of the same key "
            f"({mine.content[:12]}, cached {winner.manifest.content[:12]})",
            winner.path,
            "a stage must not depend on anything outside its configuration and inputs",
        )


def _check(entry: Entry, name: str, path: Path) -> None:
    if hash_file(path) != entry.manifest.files[name]:
        raise DamagedError(f"{name} is not what was committed")
