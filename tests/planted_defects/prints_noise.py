"""Right answers, and noise on standard output and standard error: a library with its debug build's prints."""

from __future__ import annotations

import os

from official import Official, Spans


class Subject(Official):
    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        print('{"ids": [1, 2, 3]}', flush=True)
        os.write(2, b"\xff\x00 warning\n")
        return super().encode_with_offsets(text, add_special_tokens)
