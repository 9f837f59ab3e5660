"""The trace: the input and output of every stage for one text, the answer to "why this id?"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, TypeVar

from reftok.errors import InvalidText
from reftok.limits import MOST_TRACED, MOST_TRACED_OF_ONE
from reftok.rules.encodings import to_encoding
from reftok.rules.text import Part
from reftok.rules.types import Encoding, Span


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

    stage: AddedTokens, Normalizer, PreTokenizer, Model, Truncation, PostProcessor or Padding.
    component: the class that did it, such as NFC or ByteLevel.
    pieces: the state of the text afterwards; worked out when first asked for, since most steps are never looked at.
    """

    def __init__(self, stage: str, component: object, state: Sequence[Part] | Encoding) -> None:
        self.stage = stage
        self.performer = component
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


@dataclass(frozen=True, slots=True)
class DecoderStep:
    """One decoder: its class, such as ByteFallback, and the tokens before and after it."""

    component: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DecodingTrace:
    """The way of ids back to text. Ids that are skipped or outside the vocab are not among the tokens."""

    ids: tuple[int, ...]
    steps: tuple[DecoderStep, ...]
    text: str


Step = TypeVar("Step", StageTrace, DecoderStep)


@dataclass(slots=True)
class Record(Generic[Step]):
    """The steps of a trace as they come, each of which keeps what a stage gave.

    size: of what is traced: the characters of a text, or how many ids.
    """

    size: int
    steps: list[Step] = field(default_factory=list)
    kept: int = 0

    def add(self, step: Step, kept: int) -> None:
        """Keep one more step. kept: how many parts it has, and characters made for them.

        Raises InvalidText where the limits do not let the trace keep so much.
        """
        self.kept += kept
        if self.kept > MOST_TRACED + MOST_TRACED_OF_ONE * self.size:
            raise InvalidText(f"too long to be traced through more than {len(self.steps)} stages: trace a part of it")
        self.steps.append(step)


def _split_piece(split: Part) -> Piece:
    normalized = split.normalized
    ids = None if split.tokens is None else tuple(token.id for token in split.tokens)
    return Piece(normalized.text, normalized.original_span(0, len(normalized)), ids)


def _token_pieces(encoding: Encoding) -> tuple[Piece, ...]:
    pieces = zip(encoding.tokens, encoding.offsets, encoding.ids, strict=True)
    return tuple(Piece(token, span, (token_id,)) for token, span, token_id in pieces)
