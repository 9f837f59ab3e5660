"""Mistakes in the normalizers: Unicode's algorithms by hand, bytes for characters, tables without sequences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from reftok.rules.huggingface.normalizers import NFC
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.rules.text import NormalizedString
from reftok.unicode.forms import Change, decompose, recompose
from tests.planted_defects.official import Official
from tests.planted_defects.second.plain import Plain, of_class

FIRST_SYLLABLE, SYLLABLES, FINALS = 0xAC00, 11172, 28
BEFORE_FINALS = 0x11A7
NOT_CLOSED = b"\x85\xa0"
"""The bytes that isspace takes for NEL and the no-break space, where the locale has Latin-1."""


class FinalsStayApart(Plain):
    """NFC composes two jamos by Hangul's formula, but no third one: a syllable with a final consonant is two."""

    def changed(self, pipeline: Pipeline) -> Pipeline:
        return replace(pipeline, normalizers=(_OpenSyllables(),))


class _OpenSyllables(NFC):
    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        composed = recompose(decompose(normalized.text, compatible=False))
        return normalized.transform(part for change in composed for part in _opened(*change))


def _opened(character: str, change: int) -> Iterator[Change]:
    index = ord(character) - FIRST_SYLLABLE
    if not (0 <= index < SYLLABLES and index % FINALS):
        yield character, change
        return
    is_one_character = change == 0
    yield chr(ord(character) - index % FINALS), change if is_one_character else change + 1
    yield chr(BEFORE_FINALS + index % FINALS), int(is_one_character)


class TrimmedByBytes(Plain):
    """White space at the end is trimmed byte by byte with isspace, which takes 85 and A0 within a character too."""

    def changed(self, pipeline: Pipeline) -> Pipeline:
        return replace(pipeline, normalizers=(of_class(pipeline.normalizers[0], _TrimsBytes),))


class _TrimsBytes(SentencePieceNormalizer):
    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        data = normalized.text.encode("utf-8", "surrogateescape")
        left = data.rstrip(NOT_CLOSED).decode("utf-8", "surrogateescape")
        whole = next((i for i, pair in enumerate(zip(left, normalized.text, strict=False)) if pair[0] != pair[1]), None)
        if whole is None:
            return super().normalize(normalized.slice(0, len(left)))
        changes = [(character, int(index > whole)) for index, character in enumerate(left)]
        return super().normalize(normalized.slice(0, whole + 1).transform(changes))


class RulesOfOneCharacter(Plain):
    """The character map is read into a hash map by single characters, so its rules for sequences are lost."""

    def changed(self, pipeline: Pipeline) -> Pipeline:
        return replace(pipeline, normalizers=(of_class(pipeline.normalizers[0], _OneCharacter),))


class _OneCharacter(SentencePieceNormalizer):
    def prefix(self, text: str, position: int) -> tuple[str, int]:
        return super().prefix(text[position], 0)


class SpacesHalved(Official):
    """Runs of spaces are made one by a single replaceAll of two spaces by one, so that four become two."""

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        model["normalizer"]["normalizers"][-1]["pattern"] = {"String": "  "}
        return model
