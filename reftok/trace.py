"""What every stage took and gave for one text: the answer to "why this id?"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from reftok.text import Split
from reftok.types import Encoding, Span


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the text after a stage.

    text: as the stage left it.
    span: where it came from, in code points of the original text.
    ids: the tokens that are settled for it; None while it is still text.
    """

    text: str
    span: Span
    ids: tuple[int, ...] | None


class StageTrace:
    """One step of one stage.

    stage: AddedTokens, Normalizer, PreTokenizer, Model or PostProcessor.
    component: the class that did it, such as NFC or ByteLevel.
    pieces: the state of the text afterwards; worked out when first asked for, since most steps are never looked at.
    """

    def __init__(self, stage: str, component: object, state: Sequence[Split] | Encoding) -> None:
        self.stage = stage
        self.component = type(component).__name__
        self._state = state

    def __repr__(self) -> str:
        return f"StageTrace({self.stage!r}, {self.component!r}, {self.pieces!r})"

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The parts of the text, or, after the model, its tokens."""
        if isinstance(self._state, Encoding):
            return _token_pieces(self._state)
        if self.stage == "Model":
            return _token_pieces(to_encoding(self._state))
        return tuple(map(_split_piece, self._state))


@dataclass(frozen=True, slots=True)
class Trace:
    """The way of one text through a tokenizer, and where it arrived."""

    text: str
    stages: tuple[StageTrace, ...]
    encoding: Encoding


def _split_piece(split: Split) -> Piece:
    normalized = split.normalized
    ids = None if split.tokens is None else tuple(token.id for token in split.tokens)
    return Piece(normalized.text, normalized.original_span(0, len(normalized)), ids)


def _token_pieces(encoding: Encoding) -> tuple[Piece, ...]:
    pieces = zip(encoding.tokens, encoding.offsets, encoding.ids, strict=True)
    return tuple(Piece(token, span, (token_id,)) for token, span, token_id in pieces)


def to_encoding(splits: Sequence[Split]) -> Encoding:
    """The tokens of all parts with offsets in the original text.

    Source: `PreTokenizedString::into_encoding`, tokenizers 0.23 tokenizer/pre_tokenizer.rs.
    """
    ids: list[int] = []
    values: list[str] = []
    offsets: list[Span] = []
    word_ids: list[int | None] = []
    for index, split in enumerate(splits):
        normalized = split.normalized
        for token in split.tokens or ():
            ids.append(token.id)
            values.append(token.value)
            offsets.append(normalized.original_span(*token.span_normalized))
            word_ids.append(index)
    return Encoding(ids, values, offsets, [0] * len(ids), word_ids, [0] * len(ids))
