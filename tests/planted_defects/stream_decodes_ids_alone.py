"""Each id is decoded alone: a character of several ids becomes as many U+FFFD."""

from __future__ import annotations

import streams


class Decoder(streams.Decoder):
    def feed(self, token_id: int) -> str:
        return self.subject.decode([token_id], self.skip_special_tokens)

    def finish(self) -> str:
        return ""


class Subject(streams.Streaming):
    decoder = Decoder
