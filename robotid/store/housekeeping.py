"""Status, verify and gc: keeping a cache small and sound while others use it."""

import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from robotid.store.files import remove_tree
from robotid.store.manifest import MANIFEST
from robotid.store.store import Store
from robotid.store.workspaces import ORPHAN_AGE_S, orphans, sweep


class Stored(NamedTuple):
    """One entry as a listing sees it: size in bytes, seconds since its last use."""

    path: Path
    stage: str
    size: int
    age_s: float


@dataclass(slots=True)
class Status:
    """What a cache holds, per stage."""

    entries: dict[str, int] = field(default_factory=dict)
    bytes: dict[str, int] = field(default_factory=dict)
    quarantined: int = 0
    orphans: int = 0

    def to_json(self) -> dict[str, Any]:
        """Every field."""
        return asdict(self)


class Collected(NamedTuple):
    """What a gc removed (or would), and what is left; sizes in bytes."""

    removed: int
    freed: int
    kept: int
    size: int


def status(store: Store) -> Status:
    """Count entries and bytes per stage from the folder listing alone."""
    found = Status()
    for item in stored(store):
        found.entries[item.stage] = found.entries.get(item.stage, 0) + 1
        found.bytes[item.stage] = found.bytes.get(item.stage, 0) + item.size
    found.quarantined = len(_names(store.root / "quarantine"))
    found.orphans = sum(1 for _ in orphans(store.root / "tmp", min_age_s=0.0))
    return found


def stored(store: Store, stage: str | None = None) -> Iterator[Stored]:
    """All entries (of a stage), in the order of their keys; what vanishes meanwhile is left out."""
    now = time.time()
    for name in _names(store.root / "entries") if stage is None else [stage]:
        for shard in _children(store.root / "entries" / name):
            for path in _children(shard):
                item = _listed(path, name, now)
                if item is not None:
                    yield item


def verify(store: Store, *, repair: bool = False) -> tuple[int, list[str]]:
    """Check every byte of every entry, past any number of bad ones.

    Returns the number of sound entries and a line for each damaged one. With `repair` damaged
    entries go to quarantine, otherwise they stay where they are.
    """
    sound, damaged = 0, []
    inspector = store if repair else Store(store.root, shared=store.shared, readonly=True)
    for item in stored(store):
        before = len(inspector.notices)
        entry = inspector.find(item.stage, item.path.name)
        if entry is not None and inspector.verify(entry):
            sound += 1
        elif len(inspector.notices) > before:
            damaged.append(inspector.notices[-1].text())
    return sound, damaged


def collect(
    store: Store, *, max_size: int, min_age_s: float = ORPHAN_AGE_S, dry_run: bool = False
) -> Collected:
    """Remove the entries unused for longest until the cache holds at most `max_size` bytes.

    Entries used within `min_age_s` and those of named runs stay. An entry leaves by one rename
    into the trash, so readers see it whole or not at all.
    """
    pinned = _pinned(store)
    items = sorted(stored(store), key=lambda item: (-item.age_s, item.path.name))
    size, removed, freed = sum(item.size for item in items), 0, 0
    if not dry_run:
        sweep(store.root / "tmp")
    for item in items:
        if size - freed <= max_size:
            break
        if item.age_s < min_age_s or item.path.name in pinned:
            continue
        if dry_run or _throw_away(store, item.path):
            removed += 1
            freed += item.size
    if not dry_run:
        for path in _children(store.root / "trash"):
            remove_tree(path)
    return Collected(removed, freed, len(items) - removed, size - freed)


def _pinned(store: Store) -> set[str]:
    """Keys of the entries that named runs keep."""
    keys: set[str] = set()
    for path in _children(store.root / "runs"):
        try:
            record = json.loads(path.read_bytes())
            if record["pinned"]:
                keys.update(key for stage in record["stages"] for key in stage["keys"])
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return keys


def _throw_away(store: Store, path: Path) -> bool:
    trash = store.root / "trash"
    try:
        trash.mkdir(mode=0o700, exist_ok=True)
        path.rename(trash / uuid4().hex)
    except OSError:
        return False
    return True


def _listed(path: Path, stage: str, now: float) -> Stored | None:
    try:
        used = _last_use(path)
        size = _size(path)
    except OSError:
        return None
    # A stamp from the future is a clock that jumped: count it as used just now.
    return Stored(path, stage, size, max(0.0, now - used))


def _last_use(path: Path) -> float:
    try:
        return os.lstat(path / MANIFEST).st_mtime
    except FileNotFoundError:
        return os.lstat(path).st_mtime


def _size(folder: Path | str) -> int:
    """Bytes below a folder; a file with several names counts in parts, so that sums are right."""
    size = 0
    with os.scandir(folder) as children:
        for child in children:
            if child.is_dir(follow_symlinks=False):
                size += _size(child.path)
            else:
                facts = child.stat(follow_symlinks=False)
                size += facts.st_size // facts.st_nlink
    return size


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _children(folder: Path) -> list[Path]:
    return [folder / name for name in _names(folder)]
