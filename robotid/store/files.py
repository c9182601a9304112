"""Durable writes, hashing, links and trees: the few file operations the store is built from."""

import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

_CHUNK = 1 << 20
_TRIES = 3  # to remove a folder
# Errors that say something of this process or its disk, not of the file that was being read.
NOT_THE_FILE = (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM)
_NO_LINKS_HERE = (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP, errno.ENOSYS)


class DamagedError(Exception):
    """Stored bytes cannot be read, or are not the bytes that were committed."""


class FileFact(NamedTuple):
    """Size [bytes] and SHA-256 of a file."""

    size: int
    sha256: str


def hash_file(path: Path, *, follow: bool = False) -> FileFact:
    """Read a regular file once and return its size and SHA-256."""
    with os.fdopen(_open_regular(path, follow=follow), "rb", buffering=0) as source:
        sha = hashlib.file_digest(source, "sha256")
        return FileFact(source.tell(), sha.hexdigest())


def seal(path: Path) -> FileFact:
    """Make a finished file read-only and durable, and return its facts.

    Hashing and writing back to disk run side by side: one needs the processor, the other the disk.
    """
    fd = _open_regular(path, follow=False)
    with os.fdopen(fd, "rb", buffering=0) as source, ThreadPoolExecutor(1) as side:
        os.fchmod(fd, 0o444)
        written = side.submit(os.fsync, fd)
        sha = hashlib.file_digest(source, "sha256")
        size = source.tell()
        written.result()
    return FileFact(size, sha.hexdigest())


def copy_verified(source: Path, target: Path, fact: FileFact) -> None:
    """Copy a file durably and prove that what was written is `fact`.

    Raises `DamagedError` for the source's faults and `OSError` for the target's.
    """
    write_verified(_chunks(source), target, fact)


def write_verified(content: Iterable[bytes], target: Path, fact: FileFact) -> None:
    """Write a new file durably, piece by piece, and prove that it is `fact`.

    Raises `DamagedError` for the content's faults and `OSError` for the target's.
    """
    sha, size = hashlib.sha256(), 0
    with target.open("xb") as writing:
        for chunk in content:
            sha.update(chunk)
            writing.write(chunk)
            size += len(chunk)
        writing.flush()
        os.fsync(writing.fileno())
    if FileFact(size, sha.hexdigest()) != fact:
        raise DamagedError(f"{target.name} is not what was committed")


def _chunks(path: Path) -> Iterator[bytes]:
    try:
        with os.fdopen(_open_regular(path, follow=False), "rb", buffering=0) as source:
            while chunk := source.read(_CHUNK):
                yield chunk
    except OSError as error:
        if error.errno in NOT_THE_FILE:
            raise
        raise DamagedError(f"{path.name} cannot be read: {error.strerror}") from error


def link_or_copy(source: Path, target: Path) -> bool:
    """Give a file a second name, or a copy where links between the two places are not possible.

    Returns whether it is a link.
    """
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS_HERE:
            raise
        shutil.copyfile(source, target, follow_symlinks=False)
        return False
    return True


def list_files(folder: Path) -> list[str]:
    """Names of all files below a folder, relative, with `/`, sorted.

    Anything but regular files and folders (a symbolic link, a socket) is refused.
    """
    found: list[str] = []
    pending = [("", folder)]
    while pending:
        prefix, current = pending.pop()
        with os.scandir(current) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append((f"{prefix}{entry.name}/", Path(entry.path)))
                elif entry.is_file(follow_symlinks=False):
                    found.append(prefix + entry.name)
                else:
                    raise OSError(errno.EINVAL, "neither a regular file nor a folder", entry.path)
    return sorted(found)


def write_synced(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write a new file, with a mode if one is given, and wait until it is on disk."""
    with path.open("xb") as target:
        if mode is not None:
            os.fchmod(target.fileno(), mode)
        target.write(content)
        target.flush()
        os.fsync(target.fileno())


def add_file(path: Path, content: bytes) -> None:
    """Write a new file in one step: all of it is there, or nothing; one that is there stays."""
    temporary = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        write_synced(temporary, content)
        try:
            os.link(temporary, path)
        except OSError as error:
            if error.errno not in _NO_LINKS_HERE or os.path.lexists(path):
                raise
            temporary.rename(path)
    finally:
        temporary.unlink(missing_ok=True)


def replace_file(path: Path, content: bytes, mode: int | None = None) -> None:
    """Replace a file in one step: readers see the old content or the new one, never a part."""
    temporary = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        write_synced(temporary, content, mode)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Wait until the names inside a folder are on disk."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def folders_of(folder: Path, names: Iterable[str]) -> list[Path]:
    """A folder and all folders below it that the files `names` lie in, deepest first."""
    parents = {parent for name in names for parent in Path(name).parents} | {Path()}
    return [folder / parent for parent in sorted(parents, key=lambda p: -len(p.parts))]


def remove_tree(folder: Path) -> None:
    """Remove a folder and all below it, as far as that is possible.

    What fails once may not fail again: a disk that stumbles must not leave folders behind.
    """
    for _ in range(_TRIES):
        with suppress(OSError):  # a close that fails is raised in spite of ignore_errors
            shutil.rmtree(folder, ignore_errors=True)
        if not os.path.lexists(folder):
            return


def _open_regular(path: Path, *, follow: bool) -> int:
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    fd = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return fd
