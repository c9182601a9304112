"""Verified copies for users: never links into the cache, never half a folder.

A delivered folder carries the manifest of its result, so that robotid recognises it as its own,
notices later damage to it, and can say how it came about.
"""

import ctypes
import errno
import os
import stat
from pathlib import Path

from robotid.errors import TemporaryError, UnsafePathError, UsageError, raise_trouble
from robotid.store.files import (
    DamagedError,
    copy_verified,
    folders_of,
    hash_file,
    list_files,
    replace_file,
    sync_folder,
    write_synced,
)
from robotid.store.manifest import MANIFEST, Manifest, read_manifest
from robotid.store.store import Entry, EntryDamagedError, Store
from robotid.store.workspaces import HIDDEN, sweep, workspace

_TRIES = 10
_ANOTHER_WAS_FASTER = (errno.EEXIST, errno.ENOTEMPTY, errno.ENOENT)


def check_target(target: Path) -> None:
    """Refuse, before any work is done, an output folder that robotid must not or cannot write."""
    if os.path.lexists(target):
        mode = target.lstat().st_mode
        if stat.S_ISLNK(mode):
            raise UnsafePathError(
                "output-unsafe", "the output is a symbolic link", file=str(target), hint="remove it"
            )
        if not stat.S_ISDIR(mode):
            raise UsageError("output-in-the-way", "the output is not a folder", file=str(target))
        foreign = _foreign_files(target)
        if foreign:
            within = (Path(name).parent for name in foreign if Path(name).name == MANIFEST)
            results = [str(folder) for folder in within if _is_result(target / folder)]
            what = "other results" if results else "files robotid did not write"
            raise UsageError(
                "output-in-the-way",
                f"the folder holds {what}: {', '.join((results or foreign)[:5])}",
                file=str(target),
                hint="move them away, or choose another --out",
            )
    for above in target.absolute().parents:
        if _is_result(above):
            raise UsageError(
                "output-in-the-way",
                "the output would lie in the folder of another result",
                file=str(above),
                hint="move that away, or choose another --out",
            )
    parent = next(folder for folder in target.absolute().parents if os.path.lexists(folder))
    try:
        with workspace(parent, HIDDEN):
            pass
    except OSError as error:
        raise_trouble(error, "trying the output", parent)
        said = f"cannot write here: {error.strerror}"
        raise UnsafePathError("output-not-writable", said, file=str(parent)) from error


def deliver(store: Store, entry: Entry, target: Path, *, force: bool = False) -> None:
    """Copy an entry to a user's folder, verified, in one step.

    Files that already have the same bytes are left untouched; another result is replaced with
    `force` and refused without.
    """
    check_target(target)
    if _is_there(target, entry.manifest, force=force):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    sweep(target.parent, HIDDEN)
    with workspace(target.parent, HIDDEN) as space:
        copy = space / "copy"
        _copy(store, entry, copy)
        for _ in range(_TRIES):
            try:
                _put(copy, target)
            except OSError as error:
                if error.errno not in _ANOTHER_WAS_FASTER:
                    raise
            else:
                sync_folder(target.parent)
                return
            if _is_there(target, entry.manifest, force=force):
                return
    raise TemporaryError(
        "output-busy",
        "another run writes to the same folder",
        file=str(target),
        hint="wait for it, or choose another --out",
    )


def _is_there(target: Path, manifest: Manifest, *, force: bool) -> bool:
    """Whether the result is there already; another one is refused, unless it may be replaced."""
    if not target.is_dir() or not os.listdir(target):
        return False
    if _holds(target, manifest):
        _bring_manifest_up_to_date(target, manifest)
        return True
    if not force:
        raise UsageError(
            "output-differs",
            "the folder holds another result",
            file=str(target),
            hint="--force replaces it, or choose another --out",
        )
    return False


def _put(copy: Path, target: Path) -> None:
    """Make a finished copy the output, in place of what may be there."""
    if target.is_dir() and os.listdir(target):
        _exchange(copy, target)
    else:
        copy.rename(target)


def _copy(store: Store, entry: Entry, copy: Path) -> None:
    copy.mkdir()
    try:
        for name, fact in entry.manifest.files.items():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            copy_verified(entry.path / name, copy / name, fact)
    except DamagedError as error:
        store.discard(entry, str(error))
        raise EntryDamagedError(entry.manifest.stage, entry.key) from error
    write_synced(copy / MANIFEST, entry.manifest.to_bytes())
    for folder in folders_of(copy, entry.manifest.files):
        sync_folder(folder)


def _holds(target: Path, manifest: Manifest) -> bool:
    """Whether a folder holds exactly these files."""
    try:
        return set(list_files(target)) == {*manifest.files, MANIFEST} and all(
            hash_file(target / name) == fact for name, fact in manifest.files.items()
        )
    except OSError as error:
        raise_trouble(error, "looking at the output", target)
        return False


def _bring_manifest_up_to_date(target: Path, manifest: Manifest) -> None:
    """The same bytes may have come about in another way, say with a newer library."""
    if (target / MANIFEST).read_bytes() != manifest.to_bytes():
        replace_file(target / MANIFEST, manifest.to_bytes())


def _is_result(folder: Path) -> bool:
    try:
        read_manifest(folder)
    except (DamagedError, OSError):  # somebody else's, or none
        return False
    return True


def _foreign_files(target: Path) -> list[str]:
    """Files in a folder that no manifest of robotid accounts for."""
    try:
        own = {*read_manifest(target).files, MANIFEST}
    except FileNotFoundError:
        own = set()
    except (DamagedError, OSError) as error:
        raise_trouble(error, "looking at the output", target)
        own = {MANIFEST}
    try:
        return sorted(set(list_files(target)) - own)
    except OSError as error:  # a link, a socket, a folder that may not be read
        raise_trouble(error, "looking at the output", target)
        return [os.path.relpath(error.filename or target, target)]


def _exchange(copy: Path, target: Path) -> None:
    """Swap two folders; in one step where the system can, so that one of them is always there."""
    at_here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    renameat2 = getattr(ctypes.CDLL(None), "renameat2", None)
    if renameat2 is not None:
        done = renameat2(at_here, os.fsencode(copy), at_here, os.fsencode(target), exchange)
        if done == 0:
            return
    aside = copy.with_name("old")
    target.rename(aside)
    try:
        copy.rename(target)
    except OSError:
        aside.rename(target)
        raise
