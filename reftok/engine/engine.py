"""The fast paths of one tokenizer and what they remember; each gives what the plain rules give."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from reftok.engine.decode.states import DecodingStates, decodable_tokens
from reftok.engine.decode.stream import StreamDecoder
from reftok.engine.encode.encoder import Encoder
from reftok.engine.fast_model import FastModel
from reftok.engine.offsets.encoding import OffsetEncoder
from reftok.rules.pipeline import Pipeline
from reftok.rules.types import Encoding
from reftok.streams.cuts.models import ModelParts, model_parts
from reftok.streams.encoder import ByteErrors, StreamEncoder


class Engine:
    """Shared by all threads; not part of what the tokenizer is, so that a copy of it begins with nothing remembered.

    pipeline: the plain rules.
    shared: another engine, whose tables of the model are taken where the two pipelines have the same one.

    >>> import reftok
    >>> reftok.load("bpe-gpt2").engine.tokens_of("a b", sequence_id=0).offsets
    [(0, 1), (1, 3)]
    """

    def __init__(self, pipeline: Pipeline, shared: Engine | None = None) -> None:
        self.pipeline = pipeline
        has_same = shared is not None and shared.pipeline.model is pipeline.model
        known: FastModel[Any] | None = shared.encoder.model if shared is not None and has_same else None
        self.encoder: Encoder = Encoder(pipeline, known)
        self._offsets = OffsetEncoder(self.encoder)
        self._decoding = DecodingStates(), DecodingStates()

    def __reduce__(self) -> tuple[type[Engine], tuple[Pipeline]]:
        return Engine, (self.pipeline,)

    @property
    def fast(self) -> Pipeline:
        """See `reftok.engine.fast_pipeline`."""
        return self._offsets.pipeline

    def tokens_of(self, text: str, sequence_id: int) -> Encoding:
        """The fast path of `Pipeline.tokens_of`."""
        return self._offsets.tokens_of(text, sequence_id)

    def ids(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text, which is as `Pipeline.checked_text` gives it."""
        return self.encoder.ids(text, add_special_tokens)

    def decoded(self, ids: Sequence[int], skip_special_tokens: bool) -> str:
        """The fast path of `Pipeline.decoded`."""
        if self.pipeline.detokenizer is not None:
            return self.pipeline.decoded(ids, skip_special_tokens)
        states = self._decoding[bool(skip_special_tokens)]
        tokens = decodable_tokens(self.pipeline, states, ids, skip_special_tokens)
        return self.fast.decode_tokens(tokens)

    def stream_encoder(self, add_special_tokens: bool, errors: ByteErrors) -> StreamEncoder:
        """A new stream from text to ids."""
        return StreamEncoder(self.pipeline, self._model_parts, add_special_tokens, errors)

    @cached_property
    def _model_parts(self) -> ModelParts:
        return model_parts(self.pipeline.model, self.encoder.model.known_ids.__getitem__)

    def stream_decoder(self, skip_special_tokens: bool) -> StreamDecoder:
        """A new stream from ids to text."""
        return StreamDecoder(self.pipeline, self._decoding[bool(skip_special_tokens)], skip_special_tokens)
