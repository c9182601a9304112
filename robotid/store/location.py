"""Which folder the cache is, and whether it is safe to use.

A folder others can write to is a folder others can put wrong results into, so such a cache is not
read. A cache that cannot be used never stops a run: results then go through a temporary store
beside the output, and a warning says so.
"""

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from robotid.errors import Notice, UnsafePathError
from robotid.store.files import replace_file
from robotid.store.store import Store
from robotid.store.workspaces import HIDDEN, sweep, workspace

_PARTS = ("digests", "entries", "tmp", "quarantine", "trash", "runs")
_TAG = b"Signature: 8a477f597d28d172789f06886806bc55\n# A cache of robotid; safe to delete.\n"


def default_root() -> Path:
    """`$ROBOTID_CACHE_DIR`, else `$XDG_CACHE_HOME/robotid`, else `~/.cache/robotid`."""
    own = os.environ.get("ROBOTID_CACHE_DIR")
    if own:
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "robotid"


@contextmanager
def opened_store(
    root: Path | None, *, no_cache: bool = False, shared: bool = False, beside: Path | None = None
) -> Iterator[Store]:
    """The store to work with, whatever state the cache folder is in.

    Args:
        root: the cache folder; None means the default one.
        no_cache: work without it.
        shared: the folder may belong to others and be writable by a group (mode 2775).
        beside: an output path; a temporary store is made next to it.
    """
    if no_cache:
        with _temporary_store(beside) as store:
            yield store
        return
    try:
        root = (default_root() if root is None else root).absolute()
        writable = _prepare(root, shared=shared)
    except (OSError, RuntimeError, _UnsafeCacheError) as error:
        with _temporary_store(beside) as store:
            store.notices.append(_not_used(root, str(error)))
            yield store
        return
    cache = Store(root, shared=shared, readonly=not writable)
    if writable:
        sweep(root / "tmp")
        yield cache
        return
    with _temporary_store(beside, behind=cache) as store:
        said = "the cache is read-only: what it holds is used, nothing is added"
        store.notices.append(Notice(code="cache-not-used", message=said, file=str(root)))
        yield store


class _UnsafeCacheError(Exception):
    pass


def _prepare(root: Path, *, shared: bool) -> bool:
    """Create what is missing, check what is there; whether the folder can be written."""
    if not os.path.lexists(root):
        root.mkdir(parents=True, mode=0o700, exist_ok=True)  # another process may be as fast
        if shared:
            root.chmod(0o2775)
    facts = root.lstat()
    _must_be_folder(root, facts)
    if facts.st_uid != os.geteuid() and not shared:
        raise _UnsafeCacheError(f"it belongs to user {facts.st_uid}")
    if facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not shared:
        raise _UnsafeCacheError(
            f"others can write to it (mode {stat.S_IMODE(facts.st_mode):04o}); "
            "chmod 700, or --shared-cache if that is intended"
        )
    for part in _PARTS:
        if os.path.lexists(root / part):
            _must_be_folder(root / part, (root / part).lstat())
    if not os.access(root, os.W_OK | os.X_OK):
        return False
    if not (root / "CACHEDIR.TAG").exists():
        replace_file(root / "CACHEDIR.TAG", _TAG)
    return True


def _must_be_folder(path: Path, facts: os.stat_result) -> None:
    if not stat.S_ISDIR(facts.st_mode):
        kind = "a symbolic link" if stat.S_ISLNK(facts.st_mode) else "not a folder"
        raise UnsafePathError(
            "cache-unsafe",
            f"the cache is {kind}",
            file=str(path),
            hint="give the real folder with --cache-dir",
        )


def _not_used(root: Path | None, why: str) -> Notice:
    return Notice(
        code="cache-not-used",
        message=f"the cache is not used: {why}",
        file=None if root is None else str(root),
    )


@contextmanager
def _temporary_store(beside: Path | None, behind: Store | None = None) -> Iterator[Store]:
    """A store that lives as long as the block, next to the output so that nothing crosses disks."""
    parent = Path(tempfile.gettempdir()) if beside is None else _existing_parent(beside)
    sweep(parent, HIDDEN)
    with workspace(parent, HIDDEN) as root:
        yield Store(root, behind=behind, lasting=False)


def _existing_parent(path: Path) -> Path:
    return next(parent for parent in path.absolute().parents if parent.is_dir())
