"""The count of what is held is not set back at the end."""

from __future__ import annotations

import streams


class Encoder(streams.Encoder):
    @property
    def held(self) -> int:
        return sum(map(len, self.chunks))


class Subject(streams.Streaming):
    encoder = Encoder
