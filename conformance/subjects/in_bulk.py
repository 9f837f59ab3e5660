"""Ids and decoded texts in bulk, and nothing else, as lists of the library's own: what fuzzing sessions ask first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from conformance.subjects.base import Subject, refusal
from conformance.subjects.reftok_subject import ReftokSubject
from conformance.subjects.sentencepiece_subject import SentencePieceSubject
from conformance.subjects.tiktoken_subject import TiktokenSubject
from conformance.subjects.tokenizers_subject import TokenizersSubject

Ids: TypeAlias = Sequence[int]
_Question = TypeVar("_Question")
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class InBulk:
    """A subject in bulk. None stands for what it refuses; to learn why, it is asked again in full.

    ids: of texts, or of bytes where it takes them. texts: of ids, special tokens kept. without_special: of ids, special
    tokens skipped; None where that is no other question.
    """

    ids: Callable[[Sequence[str | bytes]], list[Ids | None]]
    texts: Callable[[Sequence[Ids]], list[str | None]]
    without_special: Callable[[Sequence[Ids]], list[str | None]] | None = None


def in_bulk(subject: Subject) -> InBulk | None:
    """A built-in subject in bulk; None for one that has no such door."""
    if type(subject) is ReftokSubject:
        return reftok_in_bulk(subject)
    if type(subject) is TokenizersSubject and subject.has_batch:
        return _tokenizers(subject._tokenizer)
    if type(subject) is SentencePieceSubject:
        return _sentencepiece(subject._processor)
    if type(subject) is TiktokenSubject:
        return _tiktoken(subject._encoding, subject._special_ids)
    return None


def reftok_in_bulk(subject: ReftokSubject) -> InBulk:
    """The reference in bulk."""
    tokenizer = subject.tokenizer

    def with_special(ids: Ids) -> str:
        return tokenizer.decode(ids, skip_special_tokens=False)

    def skipping(questions: Sequence[Ids]) -> list[str | None]:
        return _each(tokenizer.decode, questions)

    return InBulk(
        lambda texts: _each(tokenizer.encode_ids, texts),
        lambda ids: _each(with_special, ids),
        None if tokenizer.library == "sentencepiece" else skipping,
    )


def _tokenizers(tokenizer: Any) -> InBulk:
    encode_batch = getattr(tokenizer, "encode_batch_fast", tokenizer.encode_batch)

    def ids(texts: Sequence[str | bytes]) -> list[Ids | None]:
        found = _at_once(lambda: [encoding.ids for encoding in encode_batch(list(texts))])
        return found or _each(lambda text: tokenizer.encode(text).ids, texts)

    def decoding(skip: bool) -> Callable[[Sequence[Ids]], list[str | None]]:
        def texts(questions: Sequence[Ids]) -> list[str | None]:
            found = _at_once(lambda: tokenizer.decode_batch(list(questions), skip_special_tokens=skip))
            return found or _each(lambda ids: tokenizer.decode(ids, skip_special_tokens=skip), questions)

        return texts

    return InBulk(ids, decoding(False), decoding(True))


def _sentencepiece(processor: Any) -> InBulk:
    return InBulk(lambda texts: _each(processor.Encode, texts), lambda ids: _each(processor.Decode, ids))


def _tiktoken(encoding: Any, special_ids: frozenset[int]) -> InBulk:
    def encode(text: str | bytes) -> Ids:
        found: Ids = encoding.encode(text, allowed_special="all")
        return found

    def skipping(ids: Ids) -> str:
        return str(encoding.decode([token_id for token_id in ids if token_id not in special_ids]))

    return InBulk(
        lambda texts: _each(encode, texts),
        lambda ids: _each(encoding.decode, ids),
        lambda ids: _each(skipping, ids),
    )


def _at_once(ask: Callable[[], list[Any]]) -> list[Any] | None:
    """All answers of one call; None where one of them cannot be had, which spoils them all."""
    try:
        return ask()
    except BaseException as error:
        refusal(error)
        return None


def _each(ask: Callable[[_Question], _Answer], questions: Iterable[_Question]) -> list[_Answer | None]:
    """The answers one by one; None for what is refused."""
    return [_one(ask, question) for question in questions]


def _one(ask: Callable[[_Question], _Answer], question: _Question) -> _Answer | None:
    try:
        return ask(question)
    except BaseException as error:
        refusal(error)
        return None
