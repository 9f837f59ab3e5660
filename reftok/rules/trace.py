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
    span: in code points of the original text.
    ids: of its tokens; None before the model.
    """

    text: str
    span: Span
    ids: tuple[int, ...] | None


@dataclass(frozen=True)
class StageTrace:
    """One step of one stage.

    stage: AddedTokens, Normalizer, PreTokenizer, Model, Truncation, PostProcessor or Padding.
    performer: the component that did it. state: of the text after the step.
    """

    stage: str
    performer: object
    state: Sequence[Part] | Encoding

    @property
    def component(self) -> str:
        """The class of the component, such as NFC or ByteLevel."""
        return type(self.performer).__name__

    @cached_property  # on first use: most steps of a trace are never looked at
    def pieces(self) -> tuple[Piece, ...]:
        """The parts of the text, or, after the model, its tokens."""
        if isinstance(self.state, Encoding):
            return _token_pieces(self.state)
        if self.stage == "Model":
            return _token_pieces(to_encoding(self.state))
        return tuple(map(_piece_of, self.state))


@dataclass(frozen=True, slots=True)
class Trace:
    """The steps of one text through a tokenizer, and the encoding at the end."""

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
    """The steps of ids back to text. Ids that are skipped or outside the vocab are not among the tokens."""

    ids: tuple[int, ...]
    steps: tuple[DecoderStep, ...]
    text: str


Step = TypeVar("Step", StageTrace, DecoderStep)


@dataclass(slots=True)
class Record(Generic[Step]):
    """The steps of a trace, collected one after the other within a bound of memory.

    size: how much is traced: the characters of a text, or the ids.
    """

    size: int
    steps: list[Step] = field(default_factory=list)
    kept: int = 0

    def add(self, step: Step, kept: int) -> None:
        """Keep one more step. kept: its size, in characters and parts.

        Raises InvalidText if the steps together are too large.
        """
        self.kept += kept
        if self.kept > MOST_TRACED + MOST_TRACED_OF_ONE * self.size:
            raise InvalidText(f"too long to be traced through more than {len(self.steps)} stages: trace a part of it")
        self.steps.append(step)


def _piece_of(part: Part) -> Piece:
    normalized = part.normalized
    ids = None if part.tokens is None else tuple(token.id for token in part.tokens)
    return Piece(normalized.text, normalized.original_span(0, len(normalized)), ids)


def _token_pieces(encoding: Encoding) -> tuple[Piece, ...]:
    pieces = zip(encoding.tokens, encoding.offsets, encoding.ids, strict=True)
    return tuple(Piece(token, span, (token_id,)) for token, span, token_id in pieces)
