"""Signals as exceptions, so that everything under way is undone in the usual order."""

import os
import signal
import types
from collections.abc import Iterator
from contextlib import contextmanager

_HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class InterruptedBySignal(BaseException):
    """A signal asked the program to stop."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(signal.Signals(number).name)


@contextmanager
def as_exceptions() -> Iterator[None]:
    """Raise `InterruptedBySignal` on the first signal; a second one ends the process at once.

    A signal that was ignored when the program started (`nohup`, a background job) stays ignored.
    """

    def handle(number: int, frame: types.FrameType | None) -> None:
        del frame
        for other in _HANDLED:
            signal.signal(other, lambda again, _: os._exit(128 + again))
        raise InterruptedBySignal(number)

    previous = {number: signal.getsignal(number) for number in _HANDLED}
    for number, handler in previous.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
