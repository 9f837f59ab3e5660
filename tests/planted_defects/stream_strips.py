"""The whole text is stripped of white space before it is encoded."""

from __future__ import annotations

import streams


class Encoder(streams.Encoder):
    def finish(self) -> list[int]:
        return self.subject.encode("".join(self.chunks).strip(), self.add_special_tokens)


class Subject(streams.Streaming):
    encoder = Encoder
