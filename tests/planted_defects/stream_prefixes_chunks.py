"""Each chunk gets the dummy prefix of a text: a stream that encodes chunk by chunk."""

from __future__ import annotations

import streams


class Encoder(streams.SeamEncoder):
    def is_cut(self, text: str, seam: int) -> bool:
        return not text[seam].isspace() and not text[seam - 1].isspace()


class Subject(streams.Streaming):
    encoder = Encoder
