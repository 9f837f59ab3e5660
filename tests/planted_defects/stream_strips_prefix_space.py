"""Each token is decoded alone, so each loses the space that only the first of a text should lose."""

from __future__ import annotations

import streams


class Decoder(streams.Decoder):
    def feed(self, token_id: int) -> str:
        return self.subject.decode([token_id], self.skip_special_tokens)


class Subject(streams.Streaming):
    decoder = Decoder
