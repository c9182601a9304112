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


def keep(content: bytes) -> None:
    """Keep this instead of what was kept before; where nothing can be written, go on without.

    The file is called by its digest, so that a torn one is never taken for what was kept.
    """
    folder = _folder.get()
    if folder is None:
        return
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = hashlib.sha256(content).hexdigest() + _SUFFIX
        draft = folder / f"{uuid4().hex}.draft"
        try:
            draft.write_bytes(content)
            draft.replace(folder / name)
        finally:
            draft.unlink(missing_ok=True)
        for path in folder.glob(f"*{_SUFFIX}"):
            if path.name != name:
                path.unlink(missing_ok=True)


def kept() -> bytes | None:
    """What was kept last; None without anything that is whole."""
    folder = _folder.get()
    if folder is None:
        return None
    with suppress(OSError):
        found = sorted(folder.glob(f"*{_SUFFIX}"), key=lambda path: path.stat().st_mtime_ns)
        for path in reversed(found):
            content = path.read_bytes()
            if hashlib.sha256(content).hexdigest() + _SUFFIX == path.name:
                return content
    return None
