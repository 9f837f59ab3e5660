"""The common part of the adapters: a library in this process, whose errors are refusals, each of one answer alone."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeVar

from conformance.core.observation import Decoded, Decoding, Encoded, Encoding
from conformance.core.settings import Answer as AnswerWith
from conformance.core.settings import Question as QuestionWith
from conformance.core.settings import Text
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

    def encodings_with(self, question: QuestionWith) -> Sequence[Any] | None:
        """The encodings, as the library has them, of a question with settings; None where it has no such call."""
        return None

    def encode_with(self, questions: Sequence[QuestionWith]) -> list[AnswerWith]:
        return [*map(self._encoded_with, questions)]

    def _encoded_with(self, question: QuestionWith) -> AnswerWith:
        try:
            found = self.encodings_with(question)
            return None if found is None else tuple(map(all_parts, found, question.inputs))
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


def all_parts(encoding: Any, texts: tuple[Text, ...]) -> Encoded:
    """An encoding of `tokenizers` or reftok, which have the same names, as an answer to a question with settings."""
    places = [(number, range(len(text))) for number, text in enumerate(texts) if isinstance(text, str)]
    return Encoded(
        tuple(encoding.ids),
        offsets=tuple(encoding.offsets),
        special_tokens_mask=tuple(encoding.special_tokens_mask),
        type_ids=tuple(encoding.type_ids),
        attention_mask=tuple(encoding.attention_mask),
        word_ids=tuple(encoding.word_ids),
        overflowing=tuple(tuple(other.ids) for other in encoding.overflowing),
        sequence_ids=tuple(encoding.sequence_ids),
        char_to_token=tuple(tuple(encoding.char_to_token(at, number) for at in one) for number, one in places) or None,
    )


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
