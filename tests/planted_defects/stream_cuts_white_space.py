"""A run of white space is encoded as far as it has come: `\\s+(?!\\S)` takes its last space for the next word."""

from __future__ import annotations

import streams


class Encoder(streams.SeamEncoder):
    def is_cut(self, text: str, seam: int) -> bool:
        return text[seam - 2 : seam].isspace() and seam > 1


class Subject(streams.Streaming):
    encoder = Encoder
