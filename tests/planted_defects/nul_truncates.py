"""The text ends at its first NUL: a binding over C strings."""

from __future__ import annotations

from official import Official, Spans


class Subject(Official):
    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        return super().encode_with_offsets(text.partition("\0")[0], add_special_tokens)
