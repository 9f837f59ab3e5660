"""What a command left running: whoever loses its parent becomes a child of this process (Linux)."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_SET_CHILD_SUBREAPER = 36


@contextmanager
def adopting() -> Iterator[set[int]]:
    """The children of this process; while this is entered, what loses its parent becomes one of them."""
    prctl = ctypes.CDLL(None).prctl
    prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield children(os.getpid())
    finally:
        prctl(_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def children(process: int) -> set[int]:
    found: set[int] = set()
    for thread in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            found |= set(map(int, thread.read_text("ascii").split()))
    return found


def left(known: set[int], seconds: float) -> list[str]:
    """What still runs after some seconds, as it was called; it is ended. known: of `adopting`."""
    deadline = time.monotonic() + seconds
    while (found := _adopted(known)) and time.monotonic() < deadline:
        time.sleep(0.05)
    called = [
        " ".join(Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ").split())[:80] for process in found
    ]
    while found := _adopted(known):
        for process in found:
            os.kill(process, signal.SIGKILL)
    return called


def _adopted(known: set[int]) -> set[int]:
    """The children that are not known and still run."""
    new = children(os.getpid()) - known
    return {process for process in new if os.waitpid(process, os.WNOHANG) == (0, 0)}
