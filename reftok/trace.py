"""What every stage took and gave for one text: the answer to "why this id?"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class StageTrace:
    """One step of one stage.

    stage: AddedTokens, Normalizer, PreTokenizer, Model or PostProcessor.
    component: the class that did it, such as NFC or ByteLevel.
    """

    stage: str
    component: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """The way of one text through a tokenizer, and where it arrived."""

    text: str
    stages: tuple[StageTrace, ...]
    encoding: Encoding


def stage_trace(stage: str, component: object, splits: Sequence[Split]) -> StageTrace:
    """The state of the text after `component`, written down."""
    pieces: list[Piece] = []
    for split in splits:
        normalized = split.normalized
        if stage == "Model" and split.tokens is not None:
            pieces += [
                Piece(token.value, normalized.original_span(*token.span_normalized), (token.id,))
                for token in split.tokens
            ]
        else:
            ids = None if split.tokens is None else tuple(token.id for token in split.tokens)
            span = normalized.original_span(0, len(normalized))
            pieces.append(Piece(normalized.text, span, ids))
    return StageTrace(stage, type(component).__name__, tuple(pieces))


def encoding_trace(component: object, encoding: Encoding) -> StageTrace:
    """The tokens after a post-processor, written down."""
    pieces = zip(encoding.tokens, encoding.offsets, encoding.ids, strict=True)
    return StageTrace(
        "PostProcessor",
        type(component).__name__,
        tuple(Piece(token, span, (token_id,)) for token, span, token_id in pieces),
    )
