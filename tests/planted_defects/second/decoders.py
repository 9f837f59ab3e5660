"""Mistakes on the way from ids to text."""

from __future__ import annotations

from dataclasses import replace

from reftok.rules.byte_level import from_byte_characters
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.decoder import decode_bytes
from tests.planted_defects.second.plain import Plain


class FirstSpaceOfTokens(Plain):
    """The visible space is replaced by JavaScript's `replace` with a string, which takes the first in a token only."""

    def changed(self, pipeline: Pipeline) -> Pipeline:
        return replace(pipeline, decoders=(_FirstSpace(), *(pipeline.decoders or ())[1:]))


class _FirstSpace:
    def decode_chain(self, tokens: list[str]) -> list[str]:
        return [token.replace("▁", " ", 1) for token in tokens]


class OneForEachByte(Plain):
    """Each byte that is part of no character becomes a U+FFFD of its own, even where several began one."""

    def changed(self, pipeline: Pipeline) -> Pipeline:
        return replace(pipeline, decoders=(_EachByte(),))


class _EachByte:
    def decode_chain(self, tokens: list[str]) -> list[str]:
        parts = (from_byte_characters(token) or token.encode("utf-8") for token in tokens)
        return decode_bytes(b"".join(parts))


class SkipsEveryAddedToken(Plain):
    """With the special tokens all added tokens are skipped, since they are kept in one map."""

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        added = self.pipeline.added_tokens.tokens if skip_special_tokens else {}
        return super().decode([token_id for token_id in ids if token_id not in added], skip_special_tokens)
