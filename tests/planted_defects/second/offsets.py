"""Mistakes in the offsets alone."""

from __future__ import annotations

from reftok.unicode.graphemes import graphemes
from tests.planted_defects.official import Official, Spans

SPACE_SYMBOL = "▁"


class OfGraphemes(Official):
    """The offsets count characters of Swift, which are grapheme clusters."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, offsets = super().encode_with_offsets(text, add_special_tokens)
        index = [number for number, cluster in enumerate(graphemes(text)) for _ in cluster]
        index.append(index[-1] + 1 if index else 0)
        return (
            ids,
            tokens,
            [(index[start], index[end - 1] + 1 if end > start else index[end]) for start, end in offsets],
        )


class Searched(Official):
    """The offsets are found again by indexOf from where the last one ended; what is not found has an empty span."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, offsets = super().encode_with_offsets(text, add_special_tokens)
        inserted = len(ids) - len(super().encode_with_offsets(text, False)[0])
        spans, end = offsets[:inserted], 0
        for token in tokens[inserted:]:
            written = token.replace(SPACE_SYMBOL, " ")
            # The prefix space of the first word is not in the text.
            written = written if text.startswith(" ") or end else written.removeprefix(" ")
            start = text.find(written, end)
            spans.append((start, start + len(written)) if start >= 0 else (end, end))
            end = spans[-1][1]
        return ids, tokens, spans


class OfNormalizedText(Official):
    """The offsets are places in the normalized text, not in the one that was given."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, _ = super().encode_with_offsets(text, add_special_tokens)
        normalized = self.tokenizer.normalizer.normalize_str(text)
        return ids, tokens, super().encode_with_offsets(normalized, add_special_tokens)[2]
