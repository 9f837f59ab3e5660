"""An added token that comes in two chunks is taken for plain text: each chunk is searched alone."""

from __future__ import annotations

import re

import streams


class Encoder(streams.SeamEncoder):
    def is_cut(self, text: str, seam: int) -> bool:
        return any(match.start() < seam < match.end() for match in re.finditer(r"<\|\w+\|>", text))


class Subject(streams.Streaming):
    encoder = Encoder
