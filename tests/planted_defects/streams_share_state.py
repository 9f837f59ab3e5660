"""Two streams write into one buffer: a default argument, or a member of the class, that is a list."""

from __future__ import annotations

from typing import Any

import streams

CHUNKS: list[str] = []
IDS: list[int] = []


class Encoder(streams.Encoder):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        CHUNKS.clear()
        self.chunks = CHUNKS


class Decoder(streams.Decoder):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        IDS.clear()
        self.ids = IDS


class Subject(streams.Streaming):
    encoder = Encoder
    decoder = Decoder
