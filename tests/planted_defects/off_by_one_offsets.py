"""Every offset is one too high: spans counted from 1, as in Lua or Fortran."""

from __future__ import annotations

from official import Official, Spans


class Subject(Official):
    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, offsets = super().encode_with_offsets(text, add_special_tokens)
        return ids, tokens, [(start + 1, end + 1) for start, end in offsets]
