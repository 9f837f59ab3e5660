"""Ports with the right ids and other offsets."""

from __future__ import annotations

from typing import Any

from official import Official, Spans


class Untrimmed(Official):
    """`trim_offsets` is not read: the space before a word belongs to its span."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        return {**model, "post_processor": {**model["post_processor"], "trim_offsets": False}}


class InNormalized(Official):
    """Offsets count the normalized text."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, _ = super().encode_with_offsets(text, add_special_tokens)
        normalized = self.tokenizer.normalizer.normalize_str(text)
        return ids, tokens, super().encode_with_offsets(normalized, add_special_tokens)[2]


class Inclusive(Official):
    """Ends of spans are inclusive."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, spans = super().encode_with_offsets(text, add_special_tokens)
        return ids, tokens, [(start, max(start, end - 1)) for start, end in spans]


class Lengths(Official):
    """A span is a start and a length."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, spans = super().encode_with_offsets(text, add_special_tokens)
        return ids, tokens, [(start, end - start) for start, end in spans]
