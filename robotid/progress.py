"""How a stage says how far it is, without knowing who listens.

Library code calls `report`; whoever runs the stage installs a listener with `listen`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[float, str], None]

_listener: ContextVar[Listener | None] = ContextVar("robotid_progress", default=None)


def report(done: float, total: float, doing: str) -> None:
    """Tell the listener, if any, that `done` of `total` is finished while `doing` this."""
    listener = _listener.get()
    if listener is not None:
        listener(min(1.0, done / total) if total > 0 else 1.0, doing)


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Install a listener `(fraction, doing)` for the length of the block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
