"""Status, verify and gc: keeping a cache small and sound while others use it."""

import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from robotid.store.files import remove_tree
from robotid.store.store import Store
from robotid.store.workspaces import oldest_run, orphans, sweep

MIN_AGE_S = 24 * 3600.0

Inode = tuple[int, int]  # device and number: what a file is, whatever its names


class Stored(NamedTuple):
    """One entry as a listing sees it: its files and their sizes, seconds since its last use."""

    path: Path
    stage: str
    files: dict[Inode, int]
    age_s: float


@dataclass(frozen=True, slots=True)
class Status:
    """What a cache holds; files that several entries share count once.

    `bytes_of` and `entries_of` are by stage; `quarantined` and `orphans` are numbers of folders.
    """

    entries_of: dict[str, int]
    bytes_of: dict[str, int]
    total_bytes: int
    quarantined: int
    quarantined_bytes: int
    orphans: int


@dataclass(frozen=True, slots=True)
class Collected:
    """What a gc removed (or would), and what is left; sizes in bytes."""

    removed: int
    freed: int
    kept: int
    size: int


def status(store: Store) -> Status:
    """Count entries and bytes per stage from the folder listing alone."""
    entries: Counter[str] = Counter()
    files: dict[str, dict[Inode, int]] = {}
    for item in stored(store):
        entries[item.stage] += 1
        files.setdefault(item.stage, {}).update(item.files)
    everything = {inode: size for sizes in files.values() for inode, size in sizes.items()}
    quarantine = list(_children(store.root / "quarantine"))
    return Status(
        entries_of=dict(entries),
        bytes_of={stage: sum(sizes.values()) for stage, sizes in files.items()},
        total_bytes=sum(everything.values()),
        quarantined=len(quarantine),
        quarantined_bytes=sum(sum(_files(path).values()) for path in quarantine),
        orphans=sum(1 for _ in orphans(store.root / "tmp", min_age_s=0.0)),
    )


def stored(store: Store, stage: str | None = None) -> Iterator[Stored]:
    """All entries (of a stage), in the order of their keys; what vanishes meanwhile is left out."""
    now = time.time()
    for name in _names(store.root / "entries") if stage is None else [stage]:
        for shard in _children(store.root / "entries" / name):
            for path in _children(shard):
                try:
                    used = os.lstat(path).st_mtime
                    # A stamp from the future is a clock that jumped: count it as used just now.
                    yield Stored(path, name, _files(path), max(0.0, now - used))
                except OSError:
                    continue


def verify(store: Store, *, repair: bool = False) -> tuple[int, list[str]]:
    """Check every byte of every entry, past any number of bad ones.

    Returns the number of sound entries and a line for each damaged one. With `repair` damaged
    entries go to quarantine, otherwise they stay where they are.
    """
    sound, damaged = 0, []
    inspector = Store(store.root, shared=store.shared, readonly=not repair)
    for item in stored(store):
        inspector.notices.clear()
        entry = inspector.find(item.stage, item.path.name, touch=False)
        if entry is not None and inspector.verify(entry):
            sound += 1
        damaged += [f"{item.path}: {notice.message}" for notice in inspector.notices]
    return sound, damaged


def collect(
    store: Store, *, max_size: int, min_age_s: float = MIN_AGE_S, dry_run: bool = False
) -> Collected:
    """Remove the entries unused for longest until the cache holds at most `max_size` bytes.

    Entries used within `min_age_s`, since the oldest run began that still goes on, and those of
    named runs stay. An entry leaves by one rename
    into the trash, so readers see it whole or not at all. What lies in quarantine for longer than
    `min_age_s` goes as well, and so do checkpoints of tasks that nobody has taken up since and
    digests that nobody has asked for.
    """
    items = sorted(stored(store), key=lambda item: (-item.age_s, item.path.name))
    # After the ages were taken: what a run used as it began must not look older than the run.
    pinned, began = _pinned(store), oldest_run(store.root / "tmp")
    least_age_s = min_age_s if began is None else max(min_age_s, time.time() - began)
    names = Counter(inode for item in items for inode in item.files)
    size = sum({inode: n for item in items for inode, n in item.files.items()}.values())
    removed, freed = 0, 0
    for item in items:
        if size - freed <= max_size:
            break
        if item.age_s < least_age_s or item.path.name in pinned:
            continue
        if dry_run or _throw_away(store, item.path):
            removed += 1
            names.subtract(item.files.keys())
            # A file that another entry shares is freed with its last name only.
            freed += sum(count for inode, count in item.files.items() if names[inode] == 0)
    if not dry_run:
        sweep(store.root / "tmp")
        for path in _children(store.root / "trash"):
            remove_tree(path)
        for path in _children(store.root / "quarantine"):
            if time.time() - os.lstat(path).st_mtime >= min_age_s:
                remove_tree(path)
        for stage in _children(store.root / "checkpoints"):
            for path in _children(stage):
                if time.time() - os.lstat(path).st_mtime >= least_age_s:
                    remove_tree(path)
        for path in _children(store.root / "digests"):
            if time.time() - os.lstat(path).st_mtime >= least_age_s:
                path.unlink(missing_ok=True)
    return Collected(removed, freed, len(items) - removed, size - freed)


def _pinned(store: Store) -> set[str]:
    """Keys of the entries that named runs keep; a note that cannot be read stops a gc."""
    keys: set[str] = set()
    for path in _children(store.root / "runs"):
        try:
            record = json.loads(path.read_bytes())
            if record["pinned"]:
                keys.update(key for stage in record["stages"] for key in stage["keys"])
        except FileNotFoundError:
            continue
        except (ValueError, KeyError, TypeError):
            store.warn("run-not-read", "a note of a run is damaged and keeps nothing", path)
    return keys


def _throw_away(store: Store, path: Path) -> bool:
    try:
        path.rename(store.folder("trash") / uuid4().hex)
    except FileNotFoundError:
        return False
    return True


def _files(folder: Path | str) -> dict[Inode, int]:
    """All files below a folder with their sizes."""
    found: dict[Inode, int] = {}
    with os.scandir(folder) as children:
        for child in children:
            if child.is_dir(follow_symlinks=False):
                found |= _files(child.path)
            else:
                facts = child.stat(follow_symlinks=False)
                found[facts.st_dev, facts.st_ino] = facts.st_size
    return found


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _children(folder: Path) -> list[Path]:
    return [folder / name for name in _names(folder)]
