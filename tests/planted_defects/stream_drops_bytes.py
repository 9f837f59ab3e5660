"""Bytes that are no UTF-8 are dropped: an incremental decoder with errors="ignore"."""

from __future__ import annotations

import streams


class Decoder(streams.Decoder):
    def finish(self) -> str:
        return super().finish().replace("\ufffd", "")


class Subject(streams.Streaming):
    decoder = Decoder
