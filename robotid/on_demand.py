"""Input files that are put in place when they are first read, without the reader knowing by whom.

A stage may be given a dataset of hundreds of recordings and read few of them. Whoever runs it
installs a provider with `provided_by`; library code calls `needed` before it opens a recording. A
reader that does not finds no file, rather than one that nobody has verified.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

Provider = Callable[[Path], None]

_provider: Provider | None = None  # for all threads of a task: readers have some of their own


def needed(path: Path) -> None:
    """Say that a file is about to be read."""
    if _provider is not None:
        _provider(path)


@contextmanager
def provided_by(provider: Provider) -> Iterator[None]:
    """Let a provider put files in place for the length of the block."""
    global _provider  # noqa: PLW0603
    before, _provider = _provider, provider
    try:
        yield
    finally:
        _provider = before
