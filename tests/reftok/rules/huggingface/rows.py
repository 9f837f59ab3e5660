"""What the tests of the models compare."""

from __future__ import annotations

from typing import Any


def byte_rows(model: Any, text: str) -> list[tuple[int, str, tuple[int, int]]]:
    """Id, value and offsets of each token of one word, of either library, in the bytes that the official one counts."""
    return [(token.id, token.value, _offsets_bytes(token, text)) for token in model.tokenize(text)]


def _offsets_bytes(token: Any, text: str) -> tuple[int, int]:
    if not hasattr(token, "span_normalized"):
        return tuple(token.offsets)
    start, end = token.span_normalized
    return len(text[:start].encode("utf-8")), len(text[:end].encode("utf-8"))
