"""reftok, the reference: a subject like any other when it stands against an oracle."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import reftok
from conformance.core.streaming import Feeding, Streaming
from conformance.subjects.base import Adapter, Ids
from conformance.subjects.reftok_spec_subject import READS, REPRODUCTION, ReftokSpecSubject, version
from conformance.subjects.streams import streaming
from reftok import Tokenizer

if TYPE_CHECKING:
    from reftok.streams.decoder import StreamDecoder, TextCallback
    from reftok.streams.encoder import StreamEncoder

REFERENCE = "reftok"
"""What stands in for an official library that cannot take part."""


class ReftokSubject(ReftokSpecSubject):
    """The reference with a model: the answers of its plain rules by the fast path, and streams."""

    name = REFERENCE

    def __init__(self, tokenizer: Tokenizer) -> None:
        super().__init__(tokenizer)
        self.tokenizer = tokenizer
        self._never_skipped: set[int] = set()

    def kept(self, ids: Ids, text: str) -> str:
        """Where there are no special tokens it is `text` itself, which takes no second decoding."""
        token = self.tokenizer.rules.decodable_token
        unknown = set(ids) - self._never_skipped
        never_skipped = {token_id for token_id in unknown if token(token_id, True) == token(token_id, False)}
        self._never_skipped |= never_skipped
        return text if never_skipped == unknown else super().kept(ids, text)

    def stream(self, feedings: Sequence[Feeding]) -> list[Streaming]:
        return [streaming(self, feeding) for feeding in feedings]

    def stream_encoder(self, add_special_tokens: bool) -> StreamEncoder:
        """A stream of ids."""
        return self.tokenizer.stream_encoder(add_special_tokens=add_special_tokens)

    def stream_decoder(self, skip_special_tokens: bool) -> StreamDecoder:
        """A stream of text."""
        return self.tokenizer.stream_decoder(skip_special_tokens=skip_special_tokens and self.skips)

    def decode_with_callback(self, ids: list[int], callback: TextCallback) -> None:
        """Text for the callback, until it says stop."""
        self.tokenizer.decode_with_callback(ids, callback, skip_special_tokens=self.skips)


def load(path: Path, model_format: str, encoding: str = "") -> ReftokSubject:
    """The subject with a model."""
    return ReftokSubject(reftok.load(path, encoding or None))


_STREAMS = """
    def stream_encoder(self):
        return self.tokenizer.stream_encoder(add_special_tokens=True)

    def stream_decode(self, ids, skips):
        stream = self.tokenizer.stream_decoder(skip_special_tokens=skips and self.skips)
        return "".join([*map(stream.feed, ids), stream.finish()])
"""

_REPRODUCTION = REPRODUCTION.replace("reftok.load(path).rules", "reftok.load(path)") + _STREAMS

ADAPTER = Adapter(REFERENCE, package="reftok", reads=READS, version=version, load=load, reproduction=_REPRODUCTION)
