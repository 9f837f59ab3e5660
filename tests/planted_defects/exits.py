"""The process ends with exit code 3 on a text with ☠: a library that ends the program on an error of its own."""

from __future__ import annotations

import os

from official import Official, Spans


class Subject(Official):
    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        if "☠" in text:
            os._exit(3)
        return super().encode_with_offsets(text, add_special_tokens)
