"""What the process of a subject has started, in whatever group: it has a mark in its environment."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

MARK = "CONFORMANCE_SUBJECT"
"""In the environment of the process of a subject, and so of all that it starts."""

_ATTEMPTS, _PAUSE_SECONDS = 10, 0.004


def end_strays(mark: str) -> None:
    """End every other process that has this mark, and what these start meanwhile; without /proc, nothing is found.

    >>> end_strays("of nobody")
    """
    variable = f"{MARK}={mark}".encode("ascii")
    for attempt in range(_ATTEMPTS):
        found = {pid: _environment(pid) for pid in _processes()}
        marked = [pid for pid, environment in found.items() if variable in environment]
        for pid in marked:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if not marked and [b""] not in found.values():
            return
        time.sleep(_PAUSE_SECONDS * attempt)


def _processes() -> list[int]:
    """All others that run a program; what has ended, and what belongs to the kernel, runs none."""
    return [pid for pid in map(int, filter(str.isdigit, _listed())) if pid != os.getpid() and _runs(pid)]


def _listed() -> list[str]:
    try:
        return os.listdir("/proc")
    except OSError:
        return []


def _runs(pid: int) -> bool:
    try:
        return bool(os.readlink(f"/proc/{pid}/exe"))
    except OSError:
        return False


def _environment(pid: int) -> list[bytes]:
    """The variables of a process; one that has none, [b""], may be about to get them: it is starting a program."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []
