"""`reset` does not take back that the stream is finished: what is fed after it is lost."""

from __future__ import annotations

from typing import Any

import streams


class Encoder(streams.Encoder):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.is_finished = False

    def finish(self) -> list[int]:
        ids = [] if self.is_finished else super().finish()
        self.is_finished = True
        return ids


class Decoder(streams.Decoder):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.is_finished = False

    def finish(self) -> str:
        text = "" if self.is_finished else super().finish()
        self.is_finished = True
        return text


class Subject(streams.Streaming):
    encoder = Encoder
    decoder = Decoder
