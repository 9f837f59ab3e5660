"""Ports that remember answers by too little of what they were asked: what they say depends on what was asked before."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import Any, ClassVar

from official import Official, Spans
from reference import Reference, with_model

from reftok import Tokenizer
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.types import Token


class _Remembering(BPE):
    """Words are remembered by a key."""

    @cached_property
    def remembered(self) -> dict[Hashable, list[Token]]:
        """The tokens of words that were seen, by their keys."""
        return {}

    def key(self, text: str) -> Hashable:
        """What a word is remembered by."""
        raise NotImplementedError

    def tokenize(self, text: str) -> list[Token]:
        found = self.remembered.setdefault(self.key(text), [*super().tokenize(text)])
        most = len(text)
        clipped = ((token, *token.span_normalized) for token in found)
        return [Token(token.id, token.value, (min(start, most), min(end, most))) for token, start, end in clipped]


class _Words(Reference):
    kind: ClassVar[type[Any]]

    def changed(self, tokenizer: Tokenizer) -> Tokenizer:
        return with_model(tokenizer, self.kind)


class _First8(_Remembering):
    def key(self, text: str) -> Hashable:
        return text[:8]


class FirstCharacters(_Words):
    """A word is remembered by its first 8 characters."""

    kind: ClassVar[type[Any]] = _First8


class _Small(_Remembering):
    def key(self, text: str) -> Hashable:
        return text.lower()


class LowerCased(_Words):
    """A word is remembered lower-cased."""

    kind: ClassVar[type[Any]] = _Small


class _Hashed(_Remembering):
    def key(self, text: str) -> Hashable:
        return len(text), sum(text.encode()) & 0xFF


class Hashed(_Words):
    """A word is remembered by its length and a hash of 8 bits, and never compared."""

    kind: ClassVar[type[Any]] = _Hashed


class SpecialTokensForgotten(Official):
    """Texts are remembered without whether special tokens were wanted."""

    def __init__(self, model_path: str) -> None:
        super().__init__(model_path)
        self.remembered: dict[str, tuple[list[int], list[str], Spans]] = {}

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        if text not in self.remembered:
            self.remembered[text] = super().encode_with_offsets(text, add_special_tokens)
        return self.remembered[text]


class SkippingForgotten(Official):
    """Ids are remembered without whether special tokens were to be skipped."""

    def __init__(self, model_path: str) -> None:
        super().__init__(model_path)
        self.remembered: dict[tuple[int, ...], str] = {}

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        if (*ids,) not in self.remembered:
            self.remembered[*ids,] = super().decode(ids, skip_special_tokens)
        return self.remembered[*ids,]
