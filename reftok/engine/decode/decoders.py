"""From a pipeline to the chain of its streamed decoders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, prod
from typing import Any, TypeVar

from reftok.engine.decode.buffered import BufferedText, BufferedTokens, Sizes
from reftok.engine.decode.llama import LlamaPieces, Utf8Text, without_spaces
from reftok.engine.decode.sentencepiece import Denormalized, Pieces
from reftok.engine.decode.sinks import (
    DecodingStage,
    FusedSink,
    FusedStage,
    IdSink,
    TokenSink,
    TokenStage,
)
from reftok.engine.decode.text import (
    ByteLevelText,
    ByteTokenText,
    Interspersed,
    LiteralText,
    NotEmpty,
    PatternText,
    Present,
    StrippedText,
    cleaned_text,
    replaced_text,
)
from reftok.engine.decode.tokens import (
    ByteRuns,
    Groups,
    Growth,
    Joined,
    ReplacedTokens,
    Spaced,
    Spaces,
    StrippedTokens,
    Suffixes,
    Utf8Tokens,
    Words,
)
from reftok.spec.decoders import CTC, BPEDecoder, ByteFallback, ByteLevel, Fuse, Metaspace, Replace, Strip, WordPiece
from reftok.spec.llama.stages import Detokenizer
from reftok.spec.pipeline import Pipeline
from reftok.spec.sentencepiece.decoder import SentencePieceDecoder
from reftok.spec.stages import Decoder
from reftok.spec.text import refuse_expansion

Stage = TypeVar("Stage", bound=DecodingStage)

_NEVER_REFUSED = 1000
"""How many times as long non-empty tokens may become without being refused; see `refuse_expansion`."""


@dataclass(frozen=True, slots=True)
class DecodingChain:
    """The streamed decoders of one stream.

    first: takes the ids.
    stages: all of them, the first first.
    """

    first: IdSink
    stages: Sequence[DecodingStage]


def decoding_chain(pipeline: Pipeline, skip_special_tokens: bool, output: FusedSink) -> DecodingChain:
    """A new chain in front of `output`. What is behind a decoder that is not known here is buffered until the end."""
    if pipeline.detokenizer is not None:
        return _llama_chain(pipeline.detokenizer, skip_special_tokens, output)
    built = _Building(Sizes() if _may_be_refused(pipeline) else None)
    every = pipeline.decoders or ()
    steps = every[: next((place for place, step in enumerate(every) if type(step) not in _KNOWN), len(every))]
    unknown = every[len(steps) :]
    joining = next((place for place, step in enumerate(steps) if type(step) in _JOINING), len(steps))
    fused = output
    if unknown and joining < len(steps):
        fused = built.add(BufferedText(unknown, built.sizes or Sizes(), fused))
    for step in reversed(steps[joining + 1 :]):
        fused = built.behind_joining(step, fused)
    if unknown and joining == len(steps):
        sink: TokenSink = built.add(BufferedTokens(unknown, built.sizes or Sizes(), fused))
    elif joining < len(steps):
        sink = built.joining(steps[joining], fused)
    else:
        sink = built.add(Spaced(fused) if pipeline.decoders is None else Joined(fused))
    for step in reversed(steps[:joining]):
        sink = built.before_joining(step, sink)
    first = built.add(_Vocab(pipeline, skip_special_tokens, sink, built.sizes))
    return DecodingChain(first, built.stages[::-1])


def _llama_chain(detokenizer: Detokenizer, skip_special_tokens: bool, output: FusedSink) -> DecodingChain:
    text = Utf8Text(output)
    cleaning = without_spaces(text) if detokenizer.cleans_spaces else []
    pieces = LlamaPieces(detokenizer, skip_special_tokens, cleaning[0] if cleaning else text)
    return DecodingChain(pieces, (pieces, *cleaning, text))


def _may_be_refused(pipeline: Pipeline) -> bool:
    """Whether some list of tokens may become so long that `decode` refuses it.

    A step adds at most its growth for each character and for each token, and of tokens that are not empty there are
    no more than characters.
    """
    growth = prod(1 + _growth(step) for step in pipeline.decoders or ())
    return growth > 1 and (2 * growth > _NEVER_REFUSED or pipeline.token_to_id("") is not None)


def _growth(step: Decoder) -> float:
    if type(step) not in _KNOWN:
        return inf
    if isinstance(step, Replace):
        return len(step.content)
    if isinstance(step, SentencePieceDecoder):
        return len(step.unk_surface) if step.denormalizer is None else inf
    return 1 if isinstance(step, BPEDecoder | WordPiece | CTC) else 0


class _Building:
    """A chain that is built from its end.

    sizes: None where the text cannot be refused.
    """

    def __init__(self, sizes: Sizes | None) -> None:
        self.sizes = sizes
        self.stages: list[DecodingStage] = []

    def add(self, stage: Stage) -> Stage:
        """`stage`, which is in front of the others."""
        self.stages.append(stage)
        return stage

    def behind_joining(self, step: Decoder, sink: FusedSink) -> FusedSink:
        """The streamed form of a decoder that takes one text."""
        sink = self._bounded_text(sink)
        stages = _fused_stages(step, sink)
        self.stages += reversed(stages)
        return stages[0] if stages else sink

    def joining(self, step: Decoder, sink: FusedSink) -> TokenSink:
        """The streamed form of a decoder that takes tokens and gives one text."""
        sink = self._bounded_text(sink)
        if isinstance(step, SentencePieceDecoder) and step.denormalizer is not None:
            sink = self.add(Denormalized(step.denormalizer, sink))
        return self.add(_JOINING[type(step)](step, sink))

    def before_joining(self, step: Decoder, sink: TokenSink) -> TokenSink:
        """The streamed form of a decoder that takes tokens and gives tokens."""
        if self.sizes is not None:
            sink = self.add(_BoundedTokens(self.sizes, sink))
        return self.add(_TOKENS[type(step)](step, sink))

    def _bounded_text(self, sink: FusedSink) -> FusedSink:
        return sink if self.sizes is None else self.add(_BoundedText(self.sizes, sink))


def _fused_stages(step: Decoder, sink: FusedSink) -> list[FusedStage]:
    """The streamed form of a decoder behind the one that joins: several stages, or none where it changes nothing."""
    match step:
        case Fuse():
            return [Present(sink)]
        case ByteLevel():
            return [ByteLevelText(step, sink)]
        case ByteFallback():
            return [ByteTokenText(step, sink)]
        case Strip():
            return [StrippedText(step, sink)]
        case Metaspace():
            return replaced_text(step.replacement, " " if step.prepend_scheme == "never" else "", sink)
        case BPEDecoder():
            return replaced_text(step.suffix, "", sink)
        case WordPiece():
            return cleaned_text(sink) if step.cleanup else []
        case CTC():
            return _ctc_stages(step, sink)
        case Replace():
            return [_replacing_stage(step, sink)]
    raise AssertionError(f"{type(step).__name__} is a known decoder")


def _ctc_stages(step: CTC, sink: FusedSink) -> list[FusedStage]:
    stages: list[FusedStage] = [NotEmpty(sink)]
    if step.cleanup:
        stages = [*replaced_text(step.word_delimiter_token, " ", stages[0]), *stages]
        stages = [*cleaned_text(stages[0]), *stages]
    return [*replaced_text(step.pad_token, "", stages[0]), *stages]


def _replacing_stage(step: Replace, sink: FusedSink) -> FusedStage:
    growth = Growth(step)
    if not isinstance(step.pattern, str):
        return PatternText(step.pattern, step.content, sink, growth)
    if step.pattern:
        return LiteralText(step.pattern, step.content, sink, growth)
    return Interspersed(step.content, sink, fills_empty=False, growth=growth)


_TOKENS: dict[type[Any], Callable[[Any, TokenSink], TokenStage]] = {
    BPEDecoder: Suffixes,
    WordPiece: Words,
    CTC: Groups,
    ByteFallback: lambda _, sink: ByteRuns(sink),
    Metaspace: Spaces,
    Strip: StrippedTokens,
    Replace: ReplacedTokens,
}
_JOINING: dict[type[Any], Callable[[Any, FusedSink], Joined | Utf8Tokens | Pieces]] = {
    Fuse: lambda _, sink: Joined(sink),
    ByteLevel: lambda _, sink: Utf8Tokens(sink),
    SentencePieceDecoder: Pieces,
}
_KNOWN = frozenset({*_TOKENS, *_JOINING})


class _Vocab(DecodingStage):
    """Ids to tokens, as `Pipeline.decode` does it. sizes: told of every token, if it is there."""

    def __init__(self, pipeline: Pipeline, skip_special_tokens: bool, sink: TokenSink, sizes: Sizes | None) -> None:
        self._pipeline = pipeline
        self._skip_special_tokens = skip_special_tokens
        self._sink = sink
        self._sizes = sizes

    def token_id(self, token_id: int) -> None:
        token = self._pipeline.decodable_token(token_id, self._skip_special_tokens)
        if token is not None:
            if self._sizes is not None:
                self._sizes.tokens += len(token)
            self._sink.token(token)

    def end(self) -> None:
        self._sink.end()


class _Bounded(DecodingStage):
    """Refuses what the decoder in front of it blows up, as `Pipeline.decode` does."""

    def __init__(self, sizes: Sizes) -> None:
        self._sizes = sizes
        self._size = 0

    def state(self) -> None:
        """None: its count cannot be remembered."""
        return None

    def _add(self, text: str) -> None:
        self._size += len(text)
        refuse_expansion(self._size, self._sizes.tokens, "decoder")


class _BoundedTokens(_Bounded):
    def __init__(self, sizes: Sizes, sink: TokenSink) -> None:
        super().__init__(sizes)
        self._sink = sink

    def token(self, token: str) -> None:
        self._add(token)
        self._sink.token(token)

    def end(self) -> None:
        self._sink.end()


class _BoundedText(_Bounded):
    def __init__(self, sizes: Sizes, sink: FusedSink) -> None:
        super().__init__(sizes)
        self._sink = sink

    def text(self, fragment: str) -> None:
        self._add(fragment)
        self._sink.text(fragment)

    def end(self, is_token: bool) -> None:
        self._sink.end(is_token)
