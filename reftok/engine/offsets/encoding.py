"""Tokens with their offsets: by the first fast path that this pipeline has, else by its stages."""

from __future__ import annotations

from functools import cached_property

from reftok.engine.encode.encoder import Encoder
from reftok.engine.encode.normalizers import STREAMED_NORMALIZERS
from reftok.engine.encode.pre_tokenizers import STREAMED_PRE_TOKENIZERS
from reftok.engine.fast_pipeline import fast_pipeline
from reftok.engine.offsets.byte_fallback import byte_fallback_encoding
from reftok.engine.offsets.byte_level import byte_level_encoding
from reftok.engine.offsets.metaspace import Words, metaspace_encoding
from reftok.engine.offsets.sentencepiece import SentencePieceOffsets
from reftok.rules.pipeline import Pipeline
from reftok.rules.types import Encoding


class OffsetEncoder:
    """Tells the tokens of texts with their offsets, as `Pipeline.tokens_of` does.

    encoder: tells their ids.

    >>> import reftok
    >>> from reftok.engine.encode.encoder import Encoder
    >>> OffsetEncoder(Encoder(reftok.load("bpe-gpt2").rules)).tokens_of("a b", 0).offsets
    [(0, 1), (1, 3)]
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    @cached_property
    def pipeline(self) -> Pipeline:
        """The pipeline with the fast forms of its stages."""
        return fast_pipeline(self._encoder.pipeline)

    @cached_property
    def _words(self) -> Words:
        return Words(self.pipeline)

    @cached_property
    def _pieces(self) -> SentencePieceOffsets:
        return SentencePieceOffsets(self._encoder, self.pipeline)

    @cached_property
    def _has_fast_paths(self) -> bool:
        """Whether the fast paths know the rule of every stage; a derived class may have a rule of its own."""
        plain = self._encoder.pipeline
        known = {*STREAMED_NORMALIZERS, *STREAMED_PRE_TOKENIZERS}
        return known.issuperset(map(type, (*plain.normalizers, *plain.pre_tokenizers)))

    def tokens_of(self, text: str, sequence_id: int) -> Encoding:
        """The tokens of a text; sequence_id: 1 for the second one of a pair."""
        found = None
        match self._encoder.pipeline.library:
            case _ if not self._has_fast_paths:
                pass
            case "sentencepiece":
                found = self._pieces.encoding(text)
            case "tokenizers" | "tiktoken":
                found = (
                    byte_fallback_encoding(self._encoder, text, sequence_id)
                    or byte_level_encoding(self._encoder, self.pipeline, text, sequence_id)
                    or metaspace_encoding(self.pipeline, self._words, text, sequence_id)
                )
        return self.pipeline.tokens_of(text, sequence_id) if found is None else found
