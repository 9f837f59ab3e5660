"""Mistakes in adding the special tokens."""

from __future__ import annotations

from tests.planted_defects.official import Official, Spans


class NoSecondBegin(Official):
    """The token of the beginning is not added to a text that begins with it already, to be helpful."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, offsets = super().encode_with_offsets(text, add_special_tokens)
        twice = add_special_tokens and ids[:2] == super().encode_with_offsets("", True)[0] * 2
        return (ids[1:], tokens[1:], offsets[1:]) if twice else (ids, tokens, offsets)


class NothingForNothing(Official):
    """An empty text returns early, before the special tokens are added."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        return super().encode_with_offsets(text, add_special_tokens) if text else ([], [], [])
