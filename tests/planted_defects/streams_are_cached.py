"""A stream is made once for each setting, and is ready for the next text when it is finished: two at a time are one."""

from __future__ import annotations

from functools import cache
from typing import Any

import streams


class Encoder(streams.Encoder):
    def finish(self) -> list[int]:
        ids = super().finish()
        self.reset()
        return ids


class Decoder(streams.Decoder):
    def finish(self) -> str:
        text = super().finish()
        self.reset()
        return text


class Subject(streams.Streaming):
    def __init__(self, model_path: str) -> None:
        super().__init__(model_path)
        self._encoder, self._decoder = cache(Encoder), cache(Decoder)

    def stream_encoder(self, add_special_tokens: bool) -> Any:
        return self._encoder(self, add_special_tokens)

    def stream_decoder(self, skip_special_tokens: bool) -> Any:
        return self._decoder(self, skip_special_tokens)
