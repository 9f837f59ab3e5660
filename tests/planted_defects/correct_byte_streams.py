"""No defect, with streams that also take bytes, which may be cut within a character."""

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

    def reset(self) -> None:
        super().reset()
        self.bytes.reset()


class Subject(streams.Streaming):
    encoder = Encoder
