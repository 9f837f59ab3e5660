"""A subject, as the harness sees it: one implementation with one model loaded."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, TypeAlias

from conformance.core.chats import ChatAnswer, Conversation
from conformance.core.observation import Decoding, Encoding, Failure
from conformance.core.settings import Answer, Question
from conformance.core.streaming import Feeding, Streaming

Ids: TypeAlias = Sequence[int]


@dataclass(frozen=True, slots=True)
class InBulk:
    """Ids and decoded texts of a subject in bulk, and nothing else, as lists of the library's own.

    None stands for what it refuses; to learn why, it is asked again in full.
    ids: of texts, or of bytes where it takes them. texts: of ids, special tokens kept. without_special: of ids, special
    tokens skipped; None where that is no other question.
    """

    ids: Callable[[Sequence[str | bytes]], list[Ids | None]]
    texts: Callable[[Sequence[Ids]], list[str | None]]
    without_special: Callable[[Sequence[Ids]], list[str | None]] | None = None


class Subject(Protocol):
    """An implementation under test; as it stands here, one without a batch call, a door in bulk or streams.

    name: as in the reports.
    takes_bytes: whether `encode` takes bytes; if not, it is given their text with U+FFFD for what is not UTF-8.
    has_batch: whether `encode_batch` is the implementation's own batch call, and not a loop over `encode`.
    has_chat: whether it renders conversations by the chat template of the model.
    anew: whether it has to be renewed for each shard: its answers have turned out to depend on what was asked before.
    until: of `time.monotonic`; from then on one in a process of its own is asked nothing, and nothing of it is tested.
    said_otherwise: what it said to texts of the last batch that it was asked twice, where that was another answer.
    """

    name: str
    anew: bool = False
    until: float = math.inf
    said_otherwise: Mapping[str | bytes, Encoding] = MappingProxyType({})
    takes_bytes: bool = False
    has_batch: bool = False
    has_chat: bool = False

    @abstractmethod
    def encode(self, text: str | bytes) -> Encoding:
        """The encoding of one text, special tokens of the template added."""

    def encode_batch(self, texts: Sequence[str | bytes]) -> list[Encoding]:
        """The encodings of several texts."""
        return [self.encode(text) for text in texts]

    def encode_bare(self, texts: Sequence[str]) -> list[Encoding] | None:
        """The encodings of texts without the special tokens of the template; None where it cannot be asked so."""
        return None

    def encode_with(self, questions: Sequence[Question]) -> list[Answer]:
        """The answers to questions with settings; None for each that it is not asked."""
        return [None] * len(questions)

    def chat(self, conversations: Sequence[Conversation]) -> list[ChatAnswer]:
        """Renders conversations; called only if `has_chat`."""
        return [Failure("skipped", "it renders no chats")] * len(conversations)

    @abstractmethod
    def decode(self, ids: Sequence[int]) -> Decoding:
        """The text of the ids, with special tokens skipped and kept."""

    def in_bulk(self) -> InBulk | None:
        """The door for what fuzzing sessions ask first; None where it has none."""
        return None

    def stream(self, feedings: Sequence[Feeding]) -> list[Streaming]:
        """The output of its streaming encoder and decoder; None for each feeding that it has no stream for."""
        return [None] * len(feedings)

    def decode_each(self, every: Sequence[Ids]) -> list[Decoding]:
        """The texts of several lists of ids."""
        return [self.decode(ids) for ids in every]

    def next_shard(self) -> None:
        """Forget earlier failures: a shard's answers depend on that shard alone."""
        return

    def renew(self) -> None:
        """Forget all that was asked before, in a fresh process where it has one."""
        return

    def close(self) -> None:
        """Release what it holds."""
        return


@dataclass(frozen=True, slots=True)
class Snippets:
    """The lines that one types to ask a library, with {path}, {input} and {ids} to be filled in.

    stream: to decode as a stream, "" where it has none. takes_bytes: whether `encode` takes bytes.
    """

    load: str
    encode: str
    decode: str
    stream: str = ""
    takes_bytes: bool = False


@dataclass(frozen=True, slots=True)
class Format:
    """A format of model files, as its official library reads it.

    name: as `reftok.formats.file_format` has it. file_name: of a copy of a model.
    stages: what is left of a text after Normalizer and PreTokenizer, by the name of the stage, as far as the library
        can be asked stage by stage; it may raise anything.
    reproduction: Python, a `class Official`, for a file that needs no harness; "" where none can be written.
    snippets: None where nothing short shows an answer.
    encodings: the names of those that a file may be of and does not tell.
    """

    name: str
    file_name: str = ""
    stages: Callable[[Path, str], Mapping[str, tuple[str, ...]]] = lambda path, text: {}
    reproduction: str = ""
    snippets: Snippets | None = None
    encodings: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Adapter:
    """A built-in subject: a new library is its file, and its entry in `conformance.subjects.adapters`.

    name: on the command line and in the reports. package: what `pip install` calls it.
    reads: the names of the formats it reads. official: those that it is the official library of.
    version: of what is installed; raises ImportError where it is not.
    load: the subject with a model: path, name of the format, encoding of a rank file, "" to recognise it.
    reproduction: Python, a `class Subject`, for a file that needs no harness; "" for a library that is held against
        itself alone.
    extra: of this project, which installs the library; "" where it is always there.
    """

    name: str
    package: str
    reads: tuple[str, ...]
    version: Callable[[], str]
    load: Callable[[Path, str, str], Subject]
    official: tuple[Format, ...] = ()
    reproduction: str = ""
    extra: str = ""


PROTOCOL = 1
"""The version of the subject protocol, docs/protocol.md: here, since a worker in Python has no other library."""
LONGEST_VERSION = 100
"""Characters of what a subject says of its version."""


class UnavailableError(Exception):
    """This subject cannot take part with this model; the message says why.

    failure: "refused" where it does not read the model, which is an answer; any other where there is no subject to ask.
    """

    def __init__(self, message: str, failure: Failure | None = None) -> None:
        super().__init__(message)
        self.failure = failure or Failure("refused", message)


def refusal(error: BaseException) -> Failure:
    """An error of a subject as an observation; a panic of Rust is a crash, not a refusal.

    What is meant for the harness itself is raised again.
    """
    if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
        raise error
    return Failure("crashed" if is_panic(error) else "refused", one_line(error))


def one_line(error: BaseException) -> str:
    """An error in words, of which some may be left out.

    >>> one_line(ValueError("no such  token"))
    'ValueError: no such token'
    """
    try:
        said = str(error)
    except Exception:  # an error of a stranger's may have no words
        said = "(an error that cannot be shown)"
    return " ".join(f"{type(error).__name__}: {said}".split())[:200]


def is_panic(error: BaseException) -> bool:
    """Whether an error is a panic of Rust, after which the process goes on.

    Source of its name: pyo3 `PanicException`, which is no `Exception`, and of which each library has its own.
    """
    return type(error).__name__ == "PanicException" and not isinstance(error, Exception)
