"""Bytes are gathered to the end, and then decoded, but one of them is dropped: the first of é and of many others."""

from __future__ import annotations

import streams
from official import Official


class Encoder(streams.Encoder):
    def __init__(self, subject: Official, add_special_tokens: bool) -> None:
        super().__init__(subject, add_special_tokens)
        self.data = b""

    def feed(self, text: str) -> list[int]:
        self.data += text.encode("utf-8")
        return []

    def feed_bytes(self, data: bytes) -> list[int]:
        self.data += data.replace(b"\xc3", b"")
        return []

    def finish(self) -> list[int]:
        return self.subject.encode(self.data.decode("utf-8", "replace"), self.add_special_tokens)

    def reset(self) -> None:
        self.data = b""


class Subject(streams.Streaming):
    encoder = Encoder
