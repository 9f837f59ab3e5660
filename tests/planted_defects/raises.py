"""An error on a text with ☠: a port with characters it has no case for."""

from __future__ import annotations

from official import Official, Spans


class Subject(Official):
    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        if "☠" in text:
            raise ValueError("unknown character\nU+2620")
        return super().encode_with_offsets(text, add_special_tokens)
