"""From a pipeline to the chain of its streamed decoders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from reftok.engine.decode import decoders as streamed
from reftok.engine.decode.llama import LlamaPieces, without_spaces
from reftok.engine.decode.sentencepiece import pieces_stages
from reftok.engine.decode.stages import Bounded, Buffered, Output, Stage, Timed, Utf8Text, Vocab, link
from reftok.engine.patterns.streamable import need_a_deadline
from reftok.limits import MOST_GROWTH, MOST_STREAMED_STAGES
from reftok.rules.huggingface import decoders
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.decoder import SentencePieceDecoder
from reftok.rules.stages import Decoder

_Forms = Mapping[type[Any], Callable[[Any], list[Stage]]]

_OF_ANY: _Forms = {
    decoders.ByteFallback: lambda _: [streamed.ByteRuns()],
    decoders.ByteLevel: lambda _: [streamed.ByteCharacters(), Utf8Text()],
    decoders.Fuse: lambda _: [streamed.Joined()],
    decoders.Replace: lambda step: [streamed.Replaced(step)],
    decoders.Strip: lambda step: [streamed.Stripped(step)],
}
_OF_TOKENS: _Forms = {
    **_OF_ANY,
    decoders.BPEDecoder: lambda step: [streamed.Suffixes(step)],
    decoders.CTC: lambda step: [streamed.Groups(step)],
    decoders.Metaspace: lambda step: [streamed.Spaces(step)],
    decoders.WordPiece: lambda step: [streamed.Words(step)],
    SentencePieceDecoder: pieces_stages,
}
_OF_ONE_TOKEN: _Forms = {
    **_OF_ANY,
    decoders.BPEDecoder: lambda step: streamed.replaced([(step.suffix, "")]),
    decoders.Metaspace: lambda step: streamed.replaced(
        [(step.replacement, " " if step.prepend_scheme == "never" else "")]
    ),
    decoders.WordPiece: lambda step: streamed.replaced(decoders.SPACES_BEFORE if step.cleanup else ()),
}
"""Behind a stage that joins the tokens, where the one token is the first and the last."""


@dataclass(frozen=True, slots=True)
class DecodingChain:
    """The stages of one stream. first: takes the ids."""

    first: Vocab | LlamaPieces
    stages: list[Stage]


def decoding_chain(pipeline: Pipeline, skip_special_tokens: bool, output: Output) -> DecodingChain:
    """A new chain in front of `output`, which buffers all until the end where a decoder has no streamed form."""
    detokenizer = pipeline.detokenizer
    if detokenizer is None:
        vocab = Vocab(pipeline, skip_special_tokens)
        chain = DecodingChain(vocab, _stages(pipeline))
        vocab.sink = chain.stages[0] if chain.stages else output
    else:
        pieces = LlamaPieces(detokenizer, skip_special_tokens)
        chain = DecodingChain(pieces, [pieces, *(without_spaces() if detokenizer.cleans_spaces else ()), Utf8Text()])
    link([*chain.stages, output])
    return chain


def _stages(pipeline: Pipeline) -> list[Stage]:
    if pipeline.decoders is None:
        return [streamed.Spaced()]
    if len(pipeline.decoders) > MOST_STREAMED_STAGES:
        return [Buffered(pipeline, f"{len(pipeline.decoders)} decoders: their rules are asked at the end")]
    # A decoder without any streamed form is the reason to name, before one that has none where it stands.
    for step in pipeline.decoders:
        if type(step) not in _OF_TOKENS:
            return [_buffered(pipeline, step)]
    groups: list[list[Stage]] = []
    forms = _OF_TOKENS
    for step in pipeline.decoders:
        if type(step) not in forms:
            return [_buffered(pipeline, step)]
        groups.append(forms[type(step)](step))
        for stage in groups[-1]:
            if forms is _OF_TOKENS:
                stage.held_until_end = ""
            forms = _OF_ONE_TOKEN if stage.joins else forms
    if _may_be_refused(pipeline, groups):
        tokens = Bounded()
        groups = [[tokens], *([*group, Bounded(tokens)] for group in groups)]
    if need_a_deadline(pipeline.decoders):
        groups = [[Timed()], *groups]
    return [stage for group in groups for stage in group]


def _buffered(pipeline: Pipeline, decoder: Decoder) -> Buffered:
    return Buffered(pipeline, f"{type(decoder).__name__}: its rule is asked at the end")


def _may_be_refused(pipeline: Pipeline, groups: list[list[Stage]]) -> bool:
    """Whether some list of tokens may become so long that `decode` refuses it; see `refuse_expansion`.

    A stage adds at most its growth for each character and for each token, and of tokens that are not empty there are
    no more than characters.
    """
    growth = prod(1 + stage.growth for group in groups for stage in group)
    return growth > 1 and (2 * growth > MOST_GROWTH or pipeline.token_to_id("") is not None)
