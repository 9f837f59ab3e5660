"""What the stream holds never comes: an encoder whose `finish` was forgotten."""

from __future__ import annotations

import streams


class Encoder(streams.Encoder):
    def finish(self) -> list[int]:
        return []


class Subject(streams.Streaming):
    encoder = Encoder
