"""The signals that end a command as Ctrl-C does, each with its own exit code."""

from __future__ import annotations

import _thread
import atexit
import os
import signal
import sys
import threading
import time
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from sys import UnraisableHookArgs

SECONDS_TO_REPEAT = 0.01
"""An interrupt that Python dropped is sent again after this time: by then the code that dropped it is done."""


def end_by_signals() -> None:
    """Let SIGTERM and SIGHUP end this process as Ctrl-C does, so that the command can be resumed.

    Python drops exceptions in a `__del__`. An interrupt that is dropped there is sent again a moment later: it would be
    lost, with a traceback on the terminal. Once Python ends, the signals are ignored: all is written by then, and the
    exit code stands. Only the main thread may set handlers; another one changes nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        return

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt(number)

    for name in ("SIGTERM", "SIGHUP"):  # there is no SIGHUP on Windows
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:  # nohup leaves it ignored
            signal.signal(number, stop)
    if getattr(sys.unraisablehook, "func", None) is not _repeat_interrupt:
        sys.unraisablehook = partial(_repeat_interrupt, sys.unraisablehook)
        atexit.register(_ignore_signals)  # runs last, as it is registered first: what else ends can be interrupted


def _ignore_signals() -> None:
    # Python gives SIGINT its default back while it ends, which would kill the process; it leaves ignored ones alone.
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if (number := getattr(signal, name, None)) is not None:
            signal.signal(number, signal.SIG_IGN)


def stop_exit_code(stop: KeyboardInterrupt) -> int:
    """The exit code of a process that a signal has ended: 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP.

    >>> stop_exit_code(KeyboardInterrupt()), stop_exit_code(KeyboardInterrupt(15))
    (130, 143)
    """
    return 128 + (stop.args[0] if stop.args and isinstance(stop.args[0], int) else signal.SIGINT)


def interrupt_behind(error: object) -> KeyboardInterrupt | None:
    """The interrupt that an error came of; None if it came of none.

    An interrupt that reaches `wait` of a Condition of Python between the release of its lock and the wait makes `with`
    release the lock once more: that raises RuntimeError, "release unlocked lock".

    >>> try:
    ...     try:
    ...         raise KeyboardInterrupt(15)
    ...     finally:
    ...         raise RuntimeError("release unlocked lock")
    ... except RuntimeError as error:
    ...     interrupt_behind(error)
    KeyboardInterrupt(15)
    """
    while isinstance(error, RuntimeError):
        error = error.__context__
    return error if isinstance(error, KeyboardInterrupt) else None


def _repeat_interrupt(otherwise: Callable[[UnraisableHookArgs], object], dropped: UnraisableHookArgs) -> None:
    """Handle an exception that Python drops: an interrupt is sent to this process again."""
    if isinstance(dropped.exc_value, KeyboardInterrupt):
        # Not `threading`: this may be within any of its locks.
        _thread.start_new_thread(_interrupt, (stop_exit_code(dropped.exc_value) - 128,))
    else:
        otherwise(dropped)


def _interrupt(number: int) -> None:
    time.sleep(SECONDS_TO_REPEAT)
    if sys.platform == "win32":  # os.kill ends a process there, whatever the signal
        _thread.interrupt_main(number)
    else:
        os.kill(os.getpid(), number)
