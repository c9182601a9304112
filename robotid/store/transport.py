"""Results and single files on their way from one store to another, verified like all else.

What travels is files, each known by its digest alone. A file that a task is given from elsewhere is
an entry of its own, of the stage `file`: it appears whole or not at all, is checked whenever it is
taken out, and is collected like any other. A result that was made elsewhere becomes the entry it
would have been here, with the same manifest.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from robotid.store.canonical import digest
from robotid.store.files import (
    DamagedError,
    FileFact,
    remove_tree,
    seal,
    write_verified,
)
from robotid.store.manifest import FORMAT, Manifest
from robotid.store.store import Entry, EntryDamagedError, Store
from robotid.store.workspaces import workspace_name

STAGE = "file"
PIECE = 4 << 20  # bytes that travel at once
_NAME = "content"
_DRAFT = re.compile(r"\w+-\d+-[0-9a-f]{32}")

Content = Callable[[FileFact], Iterable[bytes]]  # the bytes of a file, piece by piece


def key_of(fact: FileFact) -> str:
    """The key of the entry that holds a single file."""
    return digest(_record(fact))


def find_file(store: Store, fact: FileFact) -> Entry | None:
    """The entry of a single file, if there is one."""
    return store.find(STAGE, key_of(fact))


def take_file(store: Store, fact: FileFact, target: Path) -> None:
    """Give a single file a name, verified; `EntryDamagedError` where it is not there."""
    entry = find_file(store, fact)
    if entry is None:
        raise EntryDamagedError(STAGE, key_of(fact))
    folder = target.with_name(f"{target.name}.taken")
    folder.mkdir(parents=True)
    store.check_out(entry, folder)
    (folder / _NAME).rename(target)
    folder.rmdir()


def keep_file(store: Store, fact: FileFact, content: Iterable[bytes]) -> None:
    """Keep a single file; `DamagedError` if it is not `fact` that came."""
    if find_file(store, fact) is not None:
        return
    with store.workspace() as space:
        result = space / "result"
        result.mkdir()
        write_verified(content, result / _NAME, fact)
        (result / _NAME).chmod(0o444)
        _commit(store, fact, result, {_NAME: fact})


def keep_files_of(store: Store, entry: Entry) -> None:
    """Let the files of a sound result be found by their digests, too; they are links."""
    for name, fact in entry.manifest.files.items():
        found = find_file(store, fact)
        if found is not None and (_same(found, entry, name) or store.verify(found)):
            continue
        with store.workspace() as space:
            result = space / "result"
            result.mkdir()
            linked = store.adopt(entry, name, result / _NAME, verify=False)
            _commit(store, fact, result, {_NAME: fact} if linked else {})


def _same(found: Entry, entry: Entry, name: str) -> bool:
    """Whether the entry of a single file holds the very file of a result."""
    try:
        return (found.path / _NAME).samefile(entry.path / name)
    except OSError:
        return False


def read_piece(store: Store, fact: FileFact, offset: int) -> bytes | None:
    """Some bytes of a single file; None where it is not there. Who puts them together checks."""
    entry = find_file(store, fact)
    if entry is None:
        return None
    with (entry.path / _NAME).open("rb") as file:
        file.seek(offset)
        return file.read(PIECE)


def pieces_of(path: Path) -> Iterator[bytes]:
    """The bytes of a user's file in the pieces they travel in."""
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece


def write_piece(store: Store, draft: str, piece: bytes) -> str:
    """Add a piece to a file that arrives; the first one, without a draft, makes one."""
    if not draft:
        draft = workspace_name()
        (store.folder("tmp") / draft).mkdir(mode=0o700)
    try:
        with _draft(store, draft).joinpath(_NAME).open("ab") as file:
            file.write(piece)
    except OSError:
        remove_tree(_draft(store, draft))
        raise
    return draft


def keep_draft(store: Store, draft: str, fact: FileFact) -> None:
    """Keep a single file that has arrived; `DamagedError` if it is not `fact`."""
    folder = _draft(store, draft)
    try:
        sealed = seal(folder / _NAME)
        if sealed != fact:
            raise DamagedError("what arrived is not what was sent")
        _commit(store, fact, folder, {_NAME: fact})
    finally:
        remove_tree(folder)


def drop_draft(store: Store, draft: str) -> None:
    """Forget a file of which nothing more arrives."""
    remove_tree(_draft(store, draft))


def receive(store: Store, manifest: Manifest, content: Content, *, replace: bool = False) -> Entry:
    """Make a result that was computed elsewhere an entry of this store.

    Raises `DamagedError` where a file that came is not what the manifest says.
    """
    with store.workspace() as space:
        result = space / "result"
        result.mkdir()
        for name, fact in manifest.files.items():
            target = result / name
            target.parent.mkdir(parents=True, exist_ok=True)
            write_verified(content(fact), target, fact)
            target.chmod(0o444)
        sealed = store.seal(manifest.record, result, manifest.notices, manifest.files)
        return store.commit(sealed, result, replace=replace)


def _draft(store: Store, draft: str) -> Path:
    """The folder of a draft; a name comes from another machine, so it may be no other folder."""
    if not _DRAFT.fullmatch(draft):
        msg = f"not the name of a draft: {draft!r}"
        raise ValueError(msg)
    return store.root / "tmp" / draft


def _record(fact: FileFact) -> dict[str, Any]:
    return {"format": FORMAT, "stage": STAGE, "size": fact.size, "sha256": fact.sha256}


def _commit(store: Store, fact: FileFact, result: Path, known: Mapping[str, FileFact]) -> None:
    """Make a folder with a single file an entry; it is read again unless it is `known`."""
    store.commit(store.seal(_record(fact), result, adopted=known), result)
