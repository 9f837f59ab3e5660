"""A pipeline with fast normalizers and decoders and a model that remembers; the pre-tokenizers are the plain ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace

from reftok.engine.caches import MOST_CHARACTERS_OF_TOKENS, Results
from reftok.engine.fast_normalizers import FastSentencePieceNormalizer, fast_normalizer
from reftok.rules.huggingface.decoders import ByteFallback, byte_of_token, decoded_run
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.decoder import SentencePieceDecoder
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.rules.stages import Decoder, Model
from reftok.rules.types import Token


def fast_pipeline(pipeline: Pipeline) -> Pipeline:
    """The pipeline with the fast forms of its normalizers and decoders, and a model that remembers.

    >>> import reftok
    >>> [type(step).__name__ for step in fast_pipeline(reftok.load("bpe-qwen").rules).normalizers]
    ['FastForm']
    """
    return replace(
        pipeline,
        normalizers=tuple(map(fast_normalizer, pipeline.normalizers)),
        model=RememberingModel(pipeline.model),
        decoders=None if pipeline.decoders is None else tuple(map(_fast_decoder, pipeline.decoders)),
    )


class RememberingModel:
    """A model that remembers the tokens of the pre-tokens it has seen, shorter than 256 code points."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._tokens: Results[Sequence[Token]] = Results(model.tokenize, characters=MOST_CHARACTERS_OF_TOKENS)

    @property
    def vocab(self) -> Mapping[str, int]:
        """Token to id."""
        return self._model.vocab

    @property
    def size(self) -> int:
        """How many ids it has."""
        return self._model.size

    @property
    def unk_id(self) -> int | None:
        """The id of the unknown token, None where there is none."""
        return self._model.unk_id

    def id_to_token(self, token_id: int) -> str | None:
        """The entry of the vocab, None for an id outside it."""
        return self._model.id_to_token(token_id)

    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of one pre-token."""
        return self._tokens[text]


def _fast_decoder(decoder: Decoder) -> Decoder:
    if type(decoder) is ByteFallback:
        return FastByteFallback()
    if type(decoder) is SentencePieceDecoder and type(decoder.denormalizer) is SentencePieceNormalizer:
        fast = copy(decoder)
        fast.denormalizer = FastSentencePieceNormalizer(decoder.denormalizer)
        return fast
    return decoder


class FastByteFallback:
    """ByteFallback, which remembers what tokens are bytes."""

    def decode_chain(self, tokens: list[str]) -> list[str]:
        if "<0x" not in "".join(tokens):
            return tokens
        result: list[str] = []
        run = bytearray()
        for token, byte in zip(tokens, map(_bytes.__getitem__, tokens), strict=True):
            if byte is None:
                result += decoded_run(run)
                run.clear()
                result.append(token)
            else:
                run.append(byte)
        return result + decoded_run(run)


_bytes: Results[int | None] = Results(byte_of_token, longest=16, capacity=1 << 15)
