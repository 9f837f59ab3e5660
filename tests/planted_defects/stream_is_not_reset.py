"""`reset` leaves what came before: one buffer of several was forgotten."""

from __future__ import annotations

import streams


class Encoder(streams.Encoder):
    def reset(self) -> None:
        pass


class Decoder(streams.Decoder):
    def reset(self) -> None:
        pass


class Subject(streams.Streaming):
    encoder = Encoder
    decoder = Decoder
