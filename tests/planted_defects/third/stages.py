"""Mistakes in the stages: ignored options, missing table entries, a wrong order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from reftok.rules.byte_level import BYTE_TO_CHARACTER
from reftok.rules.huggingface.added_tokens import AddedTokenPattern
from reftok.rules.pipeline import Pipeline
from reftok.rules.types import Token
from tests.planted_defects.official import Official, Spans
from tests.planted_defects.second.added_tokens import Cutting
from tests.planted_defects.second.plain import Plain, of_class
from tests.planted_defects.second.pre_tokenizers import OtherPattern

LONGEST_WORD = 25
OBJECT_KEYS = (
    *("constructor", "toString", "valueOf", "hasOwnProperty"),
    *("isPrototypeOf", "propertyIsEnumerable", "toLocaleString"),
)


class DigitsByThree(OtherPattern):
    """The digits of another model's pattern."""

    def rewritten(self, pattern: str) -> str:
        return pattern.replace(r" ?\p{N}+", r" ?\p{N}{1,3}")


class NoTInContractions(OtherPattern):
    """One of the contractions is missing."""

    def rewritten(self, pattern: str) -> str:
        return pattern.replace("'s|'t|'re", "'s|'re")


class WordsWithoutSpace(OtherPattern):
    """A word does not include the character before it."""

    def rewritten(self, pattern: str) -> str:
        return pattern.replace(r"[^\r\n\p{L}\p{N}]?\p{L}+", r"\p{L}+")


class UnderscoreIsLetter(OtherPattern):
    r"""The underscore counts as a letter."""

    def rewritten(self, pattern: str) -> str:
        return pattern.replace(r"\p{L}+", r"[\p{L}_]+")


class Words(Plain):
    """The model's tokens for a pre-token are changed."""

    def word(self, text: str, answer: Sequence[Token]) -> Sequence[Token]:
        return answer

    def changed(self, pipeline: Pipeline) -> Pipeline:
        return replace(pipeline, model=_Model(pipeline.model, self.word))


class _Model:
    def __init__(self, model: Any, word: Any) -> None:
        self._model, self._word = model, word

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def tokenize(self, text: str) -> Sequence[Token]:
        return self._word(text, self._model.tokenize(text))


class SoftHyphenIsLost(Words):
    """The byte 0xAD is missing from the map of bytes."""

    def word(self, text: str, answer: Sequence[Token]) -> Sequence[Token]:
        hole = BYTE_TO_CHARACTER[0xAD]
        return answer if hole not in text else self.pipeline.model._model.tokenize(text.replace(hole, ""))


class ObjectKeys(Words):
    """The cache is a plain JavaScript object, which inherits some keys."""

    def word(self, text: str, answer: Sequence[Token]) -> Sequence[Token]:
        return [] if text in OBJECT_KEYS else answer


class LongWordsGreedily(Words):
    """Long words are segmented by longest match, because merging them was slow."""

    def word(self, text: str, answer: Sequence[Token]) -> Sequence[Token]:
        if len(text) < LONGEST_WORD:
            return answer
        vocab, found, start = self.pipeline.model.vocab, [], 0
        while start < len(text):
            stop = next(stop for stop in range(len(text), start, -1) if text[start:stop] in vocab)
            found.append(Token(vocab[text[start:stop]], text[start:stop], (start, stop)))
            start = stop
        return found


class LeftToRight(Words):
    """The leftmost pair that has a merge is merged first, whatever its rank."""

    def word(self, text: str, answer: Sequence[Token]) -> Sequence[Token]:
        model = self.pipeline.model
        symbols = [one for one, _ in model.symbols(text)]
        place = 0
        while place < len(symbols) - 1:
            merge = model.merge_of(symbols[place], symbols[place + 1])
            if merge is None:
                place += 1
            else:
                symbols[place : place + 2] = [merge[1]]
                place = 0
        return [Token(one, model.id_to_token(one) or "", (0, len(text))) for one in symbols]


class FewMerges(Words):
    """Only the first thousand merges are read, because the buffer is full."""

    def word(self, text: str, answer: Sequence[Token]) -> Sequence[Token]:
        model = self.pipeline.model
        symbols = [one for one, _ in model.symbols(text)]
        while len(symbols) > 1:
            ranked = [
                (merge[0], place, merge[1])
                for place in range(len(symbols) - 1)
                if (merge := model.merge_of(symbols[place], symbols[place + 1])) and merge[0] < 1000
            ]
            if not ranked:
                break
            _, place, whole = min(ranked)
            symbols[place : place + 2] = [whole]
        return [Token(one, model.id_to_token(one) or "", (0, len(text))) for one in symbols]


class AddedTokensBehindSpaces(Plain):
    """Added tokens are matched only at the start or after a space."""

    def changed(self, pipeline: Pipeline) -> Pipeline:
        return replace(pipeline, added_tokens=of_class(pipeline.added_tokens, _Spaced))


class _Spaced(Cutting):
    def found(self, text: str, pattern: AddedTokenPattern) -> Iterator[tuple[int, int, int]]:
        return (one for one in pattern.find(text) if text[: one[1]][-1:] in ("", " "))


class Ids(Official):
    """The ids are changed after encoding."""

    def given(self, text: str, ids: list[int]) -> list[int]:
        return ids

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        _, tokens, offsets = super().encode_with_offsets(text, add_special_tokens)
        return self.given(text, super().encode_with_offsets(text, add_special_tokens)[0]), tokens, offsets


class PrefixOfNothing(Official):
    """The empty text gets a dummy prefix, too."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        if text:
            return super().encode_with_offsets(text, add_special_tokens)
        return [self.tokenizer.PieceToId("▁")], ["▁"], [(0, 0)]


class FourBytesUnknown(Plain):
    """Characters of four bytes become unknown, although there are byte pieces."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids = super().encode_with_offsets(text, add_special_tokens)[0]
        first, kept = self.tokenizer.token_to_id("<0x00>") or 0, list[int]()
        left = 0
        for one in ids:
            byte = one - first
            if left:
                left -= 1
            elif 0xF0 <= byte < 0x100:
                kept.append(self.tokenizer.token_to_id("<unk>") or 0)
                left = 3
            else:
                kept.append(one)
        return kept, [self.tokenizer.id_to_token(one) or "" for one in kept], [(0, 0)] * len(kept)


class LongestPieceFirst(Plain):
    """Pieces are chosen by longest match, as in WordPiece, without regard to scores."""

    def changed(self, pipeline: Pipeline) -> Pipeline:
        return replace(pipeline, model=_Longest(pipeline.model))


class _Longest:
    def __init__(self, model: Any) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def tokenize(self, text: str) -> Sequence[Token]:
        vocab, found, start = self._model.vocab, [], 0
        while start < len(text):
            stop = next((end for end in range(len(text), start, -1) if text[start:end] in vocab), start + 1)
            piece = text[start:stop]
            if not (piece not in vocab and found and found[-1].id == self._model.unk_id):
                found.append(Token(vocab.get(piece, self._model.unk_id), piece, (start, stop)))
            start = stop
        return found


class OneSpaceTooFew(Official):
    """A text that starts with a space loses it, as if Prepend had put it there."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        spaces = len(text) - len(text.lstrip(" "))
        return super().encode_with_offsets(text[1:] if spaces else text, add_special_tokens)


class SpaceBehindAddedTokens(Official):
    """A space after a special token is lost."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        return super().encode_with_offsets(re.sub(r"(</?s>) ", r"\1", text), add_special_tokens)


class NoLastEntry(Ids):
    """The loop over the merges stops one too early."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        model["model"]["merges"] = model["model"]["merges"][:-1]
        return model


class EndAdded(Ids):
    """The token for the start of a text is added at its end, too."""

    def given(self, text: str, ids: list[int]) -> list[int]:
        return [*ids, ids[0]]


class SecondHalfDropped(Ids):
    """At most 32 ids fit into the buffer."""

    def given(self, text: str, ids: list[int]) -> list[int]:
        return ids[:32]
