"""Where a stage keeps what it has so far, without knowing who looks after it.

Whoever runs the stage names a folder with `kept_in`; a stage that was killed finds there what it
last kept. Without a folder nothing is kept.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from uuid import uuid4

_SUFFIX = ".checkpoint"

_folder: ContextVar[Path | None] = ContextVar("robotid_checkpoints", default=None)


@contextmanager
def kept_in(folder: Path) -> Iterator[None]:
    """Let stages keep what they have in a folder, which is made when it is needed."""
    token = _folder.set(folder)
    try:
        yield
    finally:
        _folder.reset(token)


def keep(content: bytes, of: str) -> None:
    """Keep this instead of what was kept before; where nothing can be written, go on without.

    The file is called by its digest, so that a torn one is never taken for what was kept.

    Args:
        content: what there is so far.
        of: which part of the stage's work it is; parts are kept beside each other.
    """
    folder = _folder.get()
    if folder is None:
        return
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = _name(content, of)
        draft = folder / f"{uuid4().hex}.draft"
        try:
            draft.write_bytes(content)
            draft.replace(folder / name)
        finally:
            draft.unlink(missing_ok=True)
        for path in folder.glob(f"{of}-*{_SUFFIX}"):
            if path.name != name:
                path.unlink(missing_ok=True)


def kept(of: str) -> bytes | None:
    """What was kept of a part last; None without anything that is whole."""
    folder = _folder.get()
    if folder is None:
        return None
    with suppress(OSError):
        found = sorted(folder.glob(f"{of}-*{_SUFFIX}"), key=lambda path: path.stat().st_mtime_ns)
        for path in reversed(found):
            content = path.read_bytes()
            if _name(content, of) == path.name:
                return content
    return None


def _name(content: bytes, of: str) -> str:
    return f"{of}-{hashlib.sha256(content).hexdigest()}{_SUFFIX}"
