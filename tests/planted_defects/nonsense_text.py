"""Decoding gives no str: a binding that hands out bytes, or nothing at all."""

from __future__ import annotations

from typing import Any

from official import Official


class Subject(Official):
    def decode(self, ids: list[int], skip_special_tokens: bool) -> Any:
        return super().decode(ids, skip_special_tokens).encode("utf-8") if skip_special_tokens else None
