"""The fast paths of one tokenizer and what they remember; each gives what the plain rules give."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from reftok.engine.decode.states import DecodingStates
from reftok.engine.decode.stream import StreamDecoder
from reftok.fast.affixes import Affixes, find_affixes, ids_behind_model
from reftok.fast.decoder import FastDecoder
from reftok.fast.encoder import FastEncoder
from reftok.rules.pipeline import Pipeline
from reftok.rules.types import Encoding
from reftok.streams.cuts.models import ModelParts, model_parts
from reftok.streams.encoder import ByteErrors, StreamEncoder


class Engine:
    """Shared by all threads.

    pipeline: the plain rules.
    shared: another engine, whose tables of the model are taken where the two pipelines have the same one.

    >>> import reftok
    >>> reftok.load("bpe-gpt2").engine.tokens_of("a b", sequence_id=0).offsets
    [(0, 1), (1, 3)]
    """

    def __init__(self, pipeline: Pipeline, shared: Engine | None = None) -> None:
        self.pipeline = pipeline
        has_same = shared is not None and shared.pipeline.model is pipeline.model
        self.encoder: FastEncoder = FastEncoder(
            pipeline, shared.encoder.model if shared is not None and has_same else None
        )
        self._decoder = FastDecoder(pipeline)
        self._affixes: dict[bool, Affixes] = {}
        self._decoding = DecodingStates(), DecodingStates()

    def __reduce__(self) -> tuple[type[Engine], tuple[Pipeline]]:
        return Engine, (self.pipeline,)

    def tokens_of(self, text: str, sequence_id: int) -> Encoding:
        """The fast path of `Pipeline.tokens_of`."""
        return self.encoder.tokens_of(text, sequence_id)

    def affixes(self, add_special_tokens: bool) -> Affixes:
        """The special-token prefix and suffix; found once."""
        found = self._affixes.get(bool(add_special_tokens))
        if found is None:
            found = self._affixes[bool(add_special_tokens)] = find_affixes(self.pipeline, add_special_tokens)
        return found

    def ids(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text, which is as `Pipeline.checked_text` gives it."""
        around = self.affixes(add_special_tokens)
        ids = self.encoder.ids(text)
        if around.buffered_by:
            return ids_behind_model(self.pipeline, ids, add_special_tokens)
        return [*around.prefix, *ids, *around.suffix] if around.prefix or around.suffix else ids

    def decoded(self, ids: Sequence[int], skip_special_tokens: bool) -> str:
        """The fast path of `Pipeline.decoded`."""
        return self._decoder.decoded(ids, skip_special_tokens)

    def stream_encoder(self, add_special_tokens: bool, errors: ByteErrors) -> StreamEncoder:
        """A new stream from text to ids."""
        affixes = self.affixes(add_special_tokens)
        return StreamEncoder(self.pipeline, self._model_parts, affixes, add_special_tokens, errors)

    @cached_property
    def _model_parts(self) -> ModelParts:
        return model_parts(self.pipeline.model, self.encoder.ids_of)

    def stream_decoder(self, skip_special_tokens: bool) -> StreamDecoder:
        """A new stream from ids to text."""
        return StreamDecoder(self.pipeline, self._decoding[bool(skip_special_tokens)], skip_special_tokens)
