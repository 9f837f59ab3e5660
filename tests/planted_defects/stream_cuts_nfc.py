"""A mark that comes after its letter does not compose with it: each chunk is normalized alone."""

from __future__ import annotations

from unicodedata import normalize

import streams


class Encoder(streams.SeamEncoder):
    def is_cut(self, text: str, seam: int) -> bool:
        return normalize("NFC", text[:seam]) + normalize("NFC", text[seam:]) != normalize("NFC", text)


class Subject(streams.Streaming):
    encoder = Encoder
