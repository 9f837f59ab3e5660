"""A space too many in decoded text: pieces that carry their space are joined with another."""

from __future__ import annotations

from official import Official


class Subject(Official):
    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return super().decode(ids, skip_special_tokens).replace(" ", "  ")
