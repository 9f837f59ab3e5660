"""The common part of the adapters: a library in this process, whose errors are refusals, each of one answer alone."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeVar

from conformance.core.observation import Decoded, Decoding, Encoded, Encoding
from conformance.subjects.base import Ids, InBulk, Subject, refusal

Question = TypeVar("Question")
Answer = TypeVar("Answer")


class LibrarySubject(Subject):
    """A library that is asked by `encoding`, `encodings` where it has a batch call, and `text`: each may raise.

    skips: whether it can skip special tokens.
    """

    skips = True

    @abstractmethod
    def encoding(self, text: str | bytes) -> Encoded:
        """The encoding of one text."""

    def encodings(self, texts: Sequence[str | bytes]) -> list[Encoding]:
        """The answers of the batch call, which an error spoils for all texts; each alone where there is none."""
        return super().encode_batch(texts)

    @abstractmethod
    def text(self, ids: Ids, skip_special_tokens: bool) -> str:
        """The text of ids."""

    def kept(self, ids: Ids, text: str) -> str:
        """The text of ids with special tokens. text: without them."""
        return self.text(ids, False)

    def encode(self, text: str | bytes) -> Encoding:
        try:
            return self.encoding(text)
        except BaseException as error:
            return refusal(error)

    def encode_batch(self, texts: Sequence[str | bytes]) -> list[Encoding]:
        found = attempt(self.encodings, texts) if self.has_batch else None
        return super().encode_batch(texts) if found is None else found

    def decode(self, ids: Sequence[int]) -> Decoding:
        try:
            text = self.text(ids, self.skips)
            return Decoded(text, self.kept(ids, text) if self.skips else None)
        except BaseException as error:
            return refusal(error)

    def one_by_one(self, token_ids: Callable[[str | bytes], Ids]) -> InBulk:
        """The door in bulk of a library that has no quicker one. token_ids: of a text."""
        kept, skipped = (partial(self.text, skip_special_tokens=skip) for skip in (False, True))
        return InBulk(partial(each, token_ids), partial(each, kept), partial(each, skipped) if self.skips else None)


def each(ask: Callable[[Question], Answer], questions: Iterable[Question]) -> list[Answer | None]:
    """The answers one by one; None for what is refused.

    >>> each((12).__truediv__, [4, 0, 3])
    [3.0, None, 4.0]
    """
    return [attempt(ask, question) for question in questions]


def attempt(ask: Callable[[Question], Answer], question: Question) -> Answer | None:
    """The answer to a question; None where it is refused."""
    try:
        return ask(question)
    except BaseException as error:
        refusal(error)
        return None
