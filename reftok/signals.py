"""The signals that end a command as Ctrl-C does, each with its own exit code."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from sys import UnraisableHookArgs

SECONDS_TO_TELL_AGAIN = 0.01
"""So long after an interrupt that Python dropped it comes again: by then, what dropped it is over."""


def end_by_signals() -> None:
    """Let SIGTERM and SIGHUP end this process as Ctrl-C does, so that what is written can be gone on from.

    One that comes where Python drops exceptions, in a `__del__`, comes again a moment later: it would be lost, with a
    traceback on the terminal. Only the main thread can; in another one nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        return

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt(number)

    for name in ("SIGTERM", "SIGHUP"):  # there is no SIGHUP on Windows
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:  # nohup leaves it ignored
            signal.signal(number, stop)
    if not isinstance(sys.unraisablehook, _TellAgain):
        sys.unraisablehook = _TellAgain(sys.unraisablehook)


def stop_exit_code(stop: KeyboardInterrupt) -> int:
    """The exit code of a process that a signal has ended: 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP.

    >>> stop_exit_code(KeyboardInterrupt()), stop_exit_code(KeyboardInterrupt(15))
    (130, 143)
    """
    return 128 + _signal_of(stop)


def _signal_of(stop: KeyboardInterrupt) -> int:
    return stop.args[0] if stop.args and isinstance(stop.args[0], int) else signal.SIGINT


@dataclass(frozen=True, slots=True)
class _TellAgain:
    """What Python does with an exception that it drops: an interrupt is sent to this process again."""

    otherwise: Callable[[UnraisableHookArgs], object]

    def __call__(self, dropped: UnraisableHookArgs) -> None:
        if isinstance(dropped.exc_value, KeyboardInterrupt):
            # Not `threading`: this may be within any of its locks.
            _thread.start_new_thread(_interrupt, (_signal_of(dropped.exc_value),))
        else:
            self.otherwise(dropped)


def _interrupt(number: int) -> None:
    time.sleep(SECONDS_TO_TELL_AGAIN)
    if sys.platform == "win32":  # os.kill ends a process there, whatever the signal
        _thread.interrupt_main(number)
    else:
        os.kill(os.getpid(), number)
