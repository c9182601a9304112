"""Signals as exceptions, so that everything under way is undone in the usual order."""

import os
import signal
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_AGAIN_SECONDS = 0.02
_LOST_SECONDS = 12.0  # longer than anything under way takes to be undone


class InterruptedBySignal(BaseException):
    """A signal asked the program to stop."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(signal.Signals(number).name)


@contextmanager
def as_exceptions() -> Iterator[None]:
    """Raise `InterruptedBySignal` on the first signal; a second one ends the process at once.

    A signal that was ignored when the program started (`nohup`, a background job) stays ignored.
    Compiled libraries turn an exception into one of their own or drop it where they cannot pass it
    on, so what counts is the signal that was seen: whatever else leaves the block because of it is
    that signal, and one that was dropped is raised again a moment later. Where one was swallowed
    unseen, or what is under way does not end, it is raised again after a while.
    """
    seen: list[int] = []

    def handle(number: int, frame: types.FrameType | None) -> None:
        del frame
        seen.append(number)
        for other in _HANDLED:
            signal.signal(other, lambda again, _: os._exit(128 + again))
        signal.setitimer(signal.ITIMER_REAL, _LOST_SECONDS, _LOST_SECONDS)
        raise InterruptedBySignal(number)

    def raise_again(number: int, frame: types.FrameType | None) -> None:
        del number, frame
        raise InterruptedBySignal(seen[0])

    def unraisable(dropped: Any) -> None:
        if isinstance(dropped.exc_value, InterruptedBySignal):
            signal.setitimer(signal.ITIMER_REAL, _AGAIN_SECONDS, _LOST_SECONDS)
        else:
            previous_hook(dropped)

    previous = {number: signal.getsignal(number) for number in _HANDLED}
    previous_alarm = signal.signal(signal.SIGALRM, raise_again)
    previous_hook, sys.unraisablehook = sys.unraisablehook, unraisable
    for number, handler in previous.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, handle)
    try:
        yield
        if seen:
            raise InterruptedBySignal(seen[0])
    except Exception as error:
        if seen:
            raise InterruptedBySignal(seen[0]) from error
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.unraisablehook = previous_hook
        signal.signal(signal.SIGALRM, previous_alarm)
        for number, handler in previous.items():
            signal.signal(number, handler)
