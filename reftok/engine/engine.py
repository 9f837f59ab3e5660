"""The fast paths of one tokenizer and what they remember; each gives what the plain rules give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reftok.engine.encode.encoder import Encoder
from reftok.engine.encode.stream import ByteErrors, StreamEncoder
from reftok.engine.fast_model import FastModel
from reftok.engine.offsets.encoding import OffsetEncoder
from reftok.rules.pipeline import Pipeline
from reftok.rules.types import Encoding


class Engine:
    """Shared by all threads; not part of what the tokenizer is, so that a copy of it begins with nothing remembered.

    pipeline: the plain rules.
    decoder_rows: what streams of ids share, by whether special tokens are skipped: see `reftok.streams.decoder_row`.
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
        self._tokens: tuple[dict[int, str | None], ...] = {}, {}
        self.decoder_rows: dict[bool, Any] = {}

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
        known = self._tokens[bool(skip_special_tokens)]
        return self.fast.decode_tokens(decodable_tokens(self.pipeline, known, ids, skip_special_tokens))

    def stream_encoder(self, add_special_tokens: bool, errors: ByteErrors) -> StreamEncoder:
        """A new stream from text to ids."""
        return StreamEncoder(self.encoder, add_special_tokens, errors)


def decodable_tokens(
    pipeline: Pipeline, known: dict[int, str | None], ids: Sequence[int], skip_special_tokens: bool
) -> list[str]:
    """The `decodable_token` of each id that is not skipped.

    known: by id what was found before; ids outside the vocab are not remembered.
    """
    try:
        found = [*map(known.__getitem__, ids)]
    except KeyError:
        found = [pipeline.decodable_token(token_id, skip_special_tokens) for token_id in ids]
        for token_id, token in zip(ids, found, strict=True):
            if token is not None or pipeline.id_to_token(token_id) is not None:
                known[token_id] = token
    return [token for token in found if token is not None]
