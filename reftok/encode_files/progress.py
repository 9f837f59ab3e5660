"""How far a run is, for callers and on a terminal."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from types import TracebackType
from typing import TextIO

INTERVAL = 0.5
"""Seconds between two lines."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is.

    step: "loading", "reading again" what an interrupted run has done, "encoding", "hashing", "done".
    documents, tokens, bytes: written so far, those of an interrupted run included.
    session_bytes, session_tokens: written by this run.
    raw_bytes, raw_size: of the inputs as they lie on the disk, how many are done and how many there are; None where
        nobody knows.
    seconds: that this run has encoded for.
    """

    step: str = "loading"
    documents: int = 0
    tokens: int = 0
    bytes: int = 0
    session_bytes: int = 0
    session_tokens: int = 0
    raw_bytes: int = 0
    raw_size: int | None = None
    seconds: float = 0.0


def progress_line(progress: Progress, seconds: float) -> str:
    """One line for people.

    seconds: that this run has encoded for.

    >>> progress_line(Progress("encoding", 7, 500_000, 2_000_000, 2_000_000, 500_000, 2_000_000, 8_000_000), 2.0)
    'encoding  25.0 %  2.0 MB  1.00 MB/s  250,000 tokens/s  0:00:06 left'
    """
    parts = [progress.step]
    share = progress.raw_bytes / progress.raw_size if progress.raw_size else None
    if share is not None:
        parts.append(f"{100 * min(share, 1):.1f} %")
    parts.append(f"{progress.bytes / 1e6:,.1f} MB")
    if progress.step == "encoding" and progress.session_bytes and seconds > 0:
        speed = progress.session_bytes / seconds
        parts += [f"{speed / 1e6:.2f} MB/s", f"{progress.session_tokens / seconds:,.0f} tokens/s"]
        if share and progress.raw_size:
            # What lies on the disk may be compressed: so far, so many of its bytes held so many bytes of text.
            left = (progress.raw_size - progress.raw_bytes) * progress.bytes / progress.raw_bytes / speed
            parts.append(f"{_clock(left)} left")
    return "  ".join(parts)


def _clock(seconds: float) -> str:
    whole = round(max(seconds, 0))
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


class TerminalProgress:
    """One line that is written over again and again, whatever the run waits for.

    stream: nothing is written where it is None or no terminal.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream if stream is not None and stream.isatty() else None
        self._latest = Progress()
        self._started: float | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._draw, daemon=True)

    def __call__(self, progress: Progress) -> None:
        """Shows this progress from now on."""
        if progress.step == "encoding" and self._started is None:
            self._started = time.monotonic() - progress.seconds
        self._latest = progress

    def __enter__(self) -> TerminalProgress:
        if self._stream is not None:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._stream is not None:
            self._thread.join()
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def _draw(self) -> None:
        assert self._stream is not None
        while not self._ended.is_set():
            seconds = 0.0 if self._started is None else time.monotonic() - self._started
            self._stream.write(f"\r\x1b[K{progress_line(self._latest, seconds)}")
            self._stream.flush()
            self._ended.wait(INTERVAL)
