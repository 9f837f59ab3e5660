"""The signals that end a command as Ctrl-C does, each with its own exit code."""

from __future__ import annotations

import _thread
import atexit
import os
import signal
import sys
import threading
import time
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from sys import UnraisableHookArgs

SECONDS_TO_REPEAT = 0.01
"""An interrupt that Python dropped is sent again after this time: by then the code that dropped it is done."""


def end_by_signals() -> None:
    """Let SIGTERM and SIGHUP end this process as Ctrl-C does, so that the command can be resumed.

    Python drops exceptions in a `__del__`. An interrupt that is dropped there is sent again a moment later: it would be
    lost, with a traceback on the terminal. While Python exits, the signals are ignored: everything is written by then,
    and the exit code must not change. Only the main thread may set handlers; another one changes nothing.
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
        atexit.register(_ignore_signals)  # registered first, so it runs after all other exit handlers


def _ignore_signals() -> None:
    # Python restores the default handler of SIGINT at exit, which would kill the process, unless it is ignored.
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if (number := getattr(signal, name, None)) is not None:
            signal.signal(number, signal.SIG_IGN)


def stop_exit_code(stop: KeyboardInterrupt) -> int:
    """The exit code of a process that a signal has ended: 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP.

    >>> stop_exit_code(KeyboardInterrupt()), stop_exit_code(KeyboardInterrupt(15))
    (130, 143)
    """
    return 128 + (stop.args[0] if stop.args and isinstance(stop.args[0], int) else signal.SIGINT)


@contextmanager
def interrupts_kept() -> Iterator[None]:
    """Raise the interrupt itself if Python has turned it into a RuntimeError.

    `Condition.wait` releases its lock just before it waits. An interrupt between the two leaves the lock released, and
    the `with` around the call fails with RuntimeError, "release unlocked lock". So `Future.result` may, for one.

    >>> try:
    ...     with interrupts_kept():
    ...         try:
    ...             raise KeyboardInterrupt(15)
    ...         finally:
    ...             raise RuntimeError("release unlocked lock")
    ... except KeyboardInterrupt as stop:
    ...     stop
    KeyboardInterrupt(15)
    """
    try:
        yield
    except RuntimeError as error:
        cause: BaseException | None = error
        while isinstance(cause, RuntimeError):
            cause = cause.__context__
        if isinstance(cause, KeyboardInterrupt):
            raise cause from None
        raise


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
