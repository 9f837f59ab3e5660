"""White space at the ends is stripped: a port that tidies its input."""

from __future__ import annotations

from official import Official, Spans


class Subject(Official):
    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        return super().encode_with_offsets(text.strip(), add_special_tokens)
