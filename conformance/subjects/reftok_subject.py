"""reftok, the reference: a subject like any other when it stands against an oracle."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import reftok
from conformance.core.observation import Decoded, Decoding, Encoded, Encoding
from conformance.core.streaming import Feeding, Streaming
from conformance.subjects.base import Adapter, Ids, InBulk, refusal
from conformance.subjects.in_bulk import each
from conformance.subjects.streams import streaming
from reftok import Tokenizer
from reftok.spec.pipeline import Pipeline

if TYPE_CHECKING:
    from reftok.engine.decode.stream import StreamDecoder, TextCallback
    from reftok.engine.encode.stream import StreamEncoder

NAME = "reftok"
READS = ("tokenizer.json", "vocab_merges", "sentencepiece", "tiktoken", "gguf")


def version() -> str:
    """The installed version."""
    return reftok.__version__


class ReftokSubject:
    """The reference with a model."""

    name = NAME
    has_batch = False

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.takes_bytes = tokenizer.library in ("sentencepiece", "llama.cpp")
        self._skips = tokenizer.library != "sentencepiece"
        self._never_skipped: set[int] = set()

    def encode(self, text: str | bytes) -> Encoding:
        return encoding_of(self.tokenizer, text)

    def encode_batch(self, texts: Sequence[str | bytes]) -> list[Encoding]:
        return [self.encode(text) for text in texts]

    def decode(self, ids: Sequence[int]) -> Decoding:
        try:
            text = self.tokenizer.decode(ids, skip_special_tokens=self._skips)
            return Decoded(text, self._with_special(ids, text) if self._skips else None)
        except Exception as error:
            return refusal(error)

    def _with_special(self, ids: Sequence[int], text: str) -> str:
        """The text with special tokens kept: where there are none, `text` itself, which takes no second decoding."""
        token = self.tokenizer.decodable_token
        unknown = set(ids) - self._never_skipped
        never_skipped = {token_id for token_id in unknown if token(token_id, True) == token(token_id, False)}
        self._never_skipped |= never_skipped
        if never_skipped == unknown:
            return text
        return self.tokenizer.decode(ids, skip_special_tokens=False)

    def in_bulk(self) -> InBulk:
        decode = self.tokenizer.decode
        return InBulk(
            lambda texts: each(self.tokenizer.encode_ids, texts),
            lambda questions: each(self._kept, questions),
            (lambda questions: each(decode, questions)) if self._skips else None,
        )

    def _kept(self, ids: Ids) -> str:
        return self.tokenizer.decode(ids, skip_special_tokens=False)

    def stream(self, feedings: Sequence[Feeding]) -> list[Streaming]:
        return [streaming(self, feeding) for feeding in feedings]

    def stream_encoder(self, add_special_tokens: bool) -> StreamEncoder:
        """A stream of ids."""
        return self.tokenizer.stream_encoder(add_special_tokens=add_special_tokens)

    def stream_decoder(self, skip_special_tokens: bool) -> StreamDecoder:
        """A stream of text."""
        return self.tokenizer.stream_decoder(skip_special_tokens=skip_special_tokens and self._skips)

    def decode_with_callback(self, ids: list[int], callback: TextCallback) -> None:
        """Text for the callback, until it says stop."""
        self.tokenizer.decode_with_callback(ids, callback, skip_special_tokens=self._skips)

    def renew(self) -> None:
        pass

    def close(self) -> None:
        pass


def encoding_of(pipeline: Pipeline, text: str | bytes) -> Encoding:
    """The encoding of a text by a tokenizer of reftok, or its refusal."""
    try:
        encoding = pipeline.encode(text)
    except Exception as error:
        return refusal(error)
    return Encoded(
        tuple(encoding.ids),
        tuple(encoding.tokens),
        tuple(encoding.offsets),
        tuple(encoding.special_tokens_mask),
    )


def decoding_of(pipeline: Pipeline, ids: Sequence[int], skips: bool) -> Decoding:
    """The text of ids by a tokenizer of reftok, with special tokens skipped (if it can) and kept, or its refusal."""
    try:
        text = pipeline.decode(ids, skip_special_tokens=skips)
        return Decoded(text, pipeline.decode(ids, skip_special_tokens=False) if skips else None)
    except Exception as error:
        return refusal(error)


def load(path: Path, model_format: str, encoding: str = "") -> ReftokSubject:
    """The subject with a model."""
    return ReftokSubject(reftok.load(path, encoding or None))


REPRODUCTION = """\
class Subject:
    def __init__(self, path):
        import reftok

        self.tokenizer = reftok.load(path)
        self.skips = self.tokenizer.library != "sentencepiece"

    def encode(self, text):
        encoding = self.tokenizer.encode(as_text(text) if self.skips else text)
        return parts(encoding.ids, encoding.tokens, encoding.offsets, encoding.special_tokens_mask)

    def decode(self, ids):
        choices = (True, False) if self.skips else (False,)
        return [self.tokenizer.decode(ids, skip_special_tokens=skips) for skips in choices]

    def stream_encoder(self):
        return self.tokenizer.stream_encoder(add_special_tokens=True)

    def stream_decode(self, ids, skips):
        stream = self.tokenizer.stream_decoder(skip_special_tokens=skips and self.skips)
        return "".join([*map(stream.feed, ids), stream.finish()])
"""

ADAPTER = Adapter(NAME, package="reftok", reads=READS, version=version, load=load, reproduction=REPRODUCTION)
