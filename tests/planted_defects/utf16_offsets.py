"""Offsets count UTF-16 units: a JavaScript, Java or C# port that hands its own positions on."""

from __future__ import annotations

from official import Official, Spans


class Subject(Official):
    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, offsets = super().encode_with_offsets(text, add_special_tokens)
        widths = [len(text[:position].encode("utf-16-le")) // 2 for position in range(len(text) + 1)]
        return ids, tokens, [(widths[start], widths[end]) for start, end in offsets]
