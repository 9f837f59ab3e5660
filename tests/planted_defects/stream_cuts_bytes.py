"""Each chunk of bytes is decoded alone: a character that is cut becomes U+FFFD."""

from __future__ import annotations

import streams


class Encoder(streams.Encoder):
    def feed_bytes(self, data: bytes) -> list[int]:
        return self.feed(data.decode("utf-8", "replace"))


class Subject(streams.Streaming):
    encoder = Encoder
