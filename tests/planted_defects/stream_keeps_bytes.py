"""`reset` forgets the text, but not the first bytes of a character that had not come whole."""

from __future__ import annotations

import correct_byte_streams
import streams


class Encoder(correct_byte_streams.Encoder):
    def reset(self) -> None:
        self.chunks = []


class Subject(streams.Streaming):
    encoder = Encoder
