"""An endless loop on a text with ☠: a pre-tokenizer that does not advance on what it does not know."""

from __future__ import annotations

import time

from official import Official, Spans


class Subject(Official):
    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        while "☠" in text:
            time.sleep(1)
        return super().encode_with_offsets(text, add_special_tokens)
