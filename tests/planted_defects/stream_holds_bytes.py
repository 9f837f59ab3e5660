"""What comes as bytes is held to the end, and the stream says so; what comes as text is held no longer than it must."""

from __future__ import annotations

import streams


class Encoder(streams.Encoder):
    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)
        self.data = b""

    def feed_bytes(self, data: bytes) -> list[int]:
        self.data += data
        return []

    @property
    def held(self) -> int:
        return len(self.data)

    def finish(self) -> list[int]:
        text, self.data = self.data.decode("utf-8"), b""
        return self.subject.encode(text, self.add_special_tokens) if text else super().finish()

    def reset(self) -> None:
        super().reset()
        self.data = b""


class Subject(streams.Streaming):
    encoder = Encoder
