"""The signals that end a command as Ctrl-C does, each with its own exit code."""

from __future__ import annotations

import signal
import threading


def end_by_signals() -> None:
    """Let SIGTERM and SIGHUP end this process as Ctrl-C does, so that what is written can be gone on from.

    Only the main thread can; in another one nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        return

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt(number)

    for name in ("SIGTERM", "SIGHUP"):  # there is no SIGHUP on Windows
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:  # nohup leaves it ignored
            signal.signal(number, stop)


def stop_exit_code(stop: KeyboardInterrupt) -> int:
    """The exit code of a process that a signal has ended: 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP.

    >>> stop_exit_code(KeyboardInterrupt()), stop_exit_code(KeyboardInterrupt(15))
    (130, 143)
    """
    return 128 + (stop.args[0] if stop.args else signal.SIGINT)
