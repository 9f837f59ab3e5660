"""What a subject is to the harness: one implementation with one model loaded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from conformance.observation import Decoding, Encoding, Failure
from conformance.streaming import Feeding, Streaming


class Subject(Protocol):
    """An implementation under test.

    name: as in the reports.
    takes_bytes: whether `encode` takes bytes; if not, it is given their text with U+FFFD for what is not UTF-8.
    has_batch: whether `encode_batch` is the implementation's own batch call, and not a loop over `encode`.
    """

    name: str
    takes_bytes: bool
    has_batch: bool

    def encode(self, text: str | bytes) -> Encoding:
        """The encoding of one text, special tokens of the template added."""
        ...

    def encode_batch(self, texts: Sequence[str | bytes]) -> list[Encoding]:
        """The encodings of several texts."""
        ...

    def decode(self, ids: Sequence[int]) -> Decoding:
        """The text of the ids, with special tokens skipped and kept."""
        ...

    def stream(self, feedings: Sequence[Feeding]) -> list[Streaming]:
        """What its streaming encoder and decoder give; None for each feeding that it has no stream for."""
        ...

    def renew(self) -> None:
        """Forget earlier failures: a shard's answers depend on that shard alone."""
        ...

    def close(self) -> None:
        """Release what it holds."""
        ...


class UnavailableError(Exception):
    """This subject cannot take part with this model; the message says why."""


def refusal(error: BaseException) -> Failure:
    """An error of a subject as an observation; a panic of Rust is a crash, not a refusal.

    What is meant for the harness itself is raised again. Source of the name of a panic: pyo3 `PanicException`, which is
    no `Exception`, and of which each library has its own.
    """
    if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
        raise error
    panicked = type(error).__name__ == "PanicException" and not isinstance(error, Exception)
    message = " ".join(f"{type(error).__name__}: {error}".split())
    return Failure("crashed" if panicked else "refused", message[:200])
