"""`reset` forgets the text, but not the first bytes of a character that had not come whole."""

from __future__ import annotations

from codecs import getincrementaldecoder
from typing import Any

import streams


class Encoder(streams.Encoder):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.bytes = getincrementaldecoder("utf-8")("replace")

    def feed_bytes(self, data: bytes) -> list[int]:
        return self.feed(self.bytes.decode(data))

    def finish(self) -> list[int]:
        self.feed(self.bytes.decode(b"", True))
        return super().finish()


class Subject(streams.Streaming):
    encoder = Encoder
