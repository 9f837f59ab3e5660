"""The messages between the process that reads and writes and those that encode."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

ENGINES = ("reftok", "tokenizers", "sentencepiece", "tiktoken")

LONGEST = 1 << 22
"""Bytes. A longer document is encoded as a stream; and so many code points at most may be held back in one."""

LONGEST_OFFICIAL = 1 << 24
"""Bytes. The official libraries encode whole documents only, so that this bounds what they need."""


@dataclass(frozen=True, slots=True)
class Task:
    """All that decides the ids, the inputs aside.

    end_token: put behind each document; None for nothing.
    errors: "strict" or "replace".
    """

    model: str
    encoding: str | None = None
    engine: str = "reftok"
    verify: bool = False
    errors: str = "strict"
    add_special_tokens: bool = True
    end_token: str | None = None

    @property
    def longest(self) -> int:
        """Bytes of a document that is encoded at once."""
        return LONGEST if self.engine == "reftok" and not self.verify else LONGEST_OFFICIAL


@dataclass(frozen=True, slots=True)
class Ready:
    """The first message of a worker: its tokenizer.

    bound: above every id. files: that it was read from. alters: what the model's file does to long documents.
    """

    library: str
    bound: int
    versions: dict[str, str]
    files: Sequence[str]
    alters: str


@dataclass(frozen=True, slots=True)
class Part:
    """A request: a part of a long document. Any other request is a list of documents."""

    data: bytes
    is_first: bool
    is_last: bool


@dataclass(frozen=True, slots=True)
class Reply:
    """The ids of all documents as they are written, how many each document has, and their code points.

    replaced: documents in which bytes that are not UTF-8 were replaced.
    """

    ids: bytes
    lengths: array[int]
    code_points: int
    replaced: int


@dataclass(frozen=True, slots=True)
class Failure:
    """An error of a worker that stops the run.

    document: its index in the request. byte: its offset in the document, None where the trouble is no place.
    kind: "text" for the document, "mismatch" for what --verify found, "worker" where it is not about a document,
        "fault" for a fault of the program, with its traceback.
    """

    kind: str
    message: str
    document: int = 0
    byte: int | None = None


class StopError(Exception):
    """Carries a failure up."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def not_utf_8(document: int, byte: int) -> Failure:
    """The error that stops the run at bytes that are no text."""
    return Failure("text", "is not UTF-8: --errors replace goes on with U+FFFD in its place", document, byte)
