r"""Mistakes in cutting the text into words: other engines' classes, and GPT-2's map of bytes by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from reftok.rules.byte_level import BYTE_TO_CHARACTER
from reftok.rules.huggingface.pre_tokenizers import GPT2_PATTERN
from reftok.rules.pipeline import Pipeline
from reftok.rules.text import NormalizedString, Part
from tests.planted_defects.official import Official
from tests.planted_defects.second.plain import Plain

SCRIPT_SPACE = "\\t\\n\\v\\f\\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""White space to ECMAScript, which has the byte order mark and not U+0085."""
SOFT_HYPHEN = 0xAD


class OtherPattern(Official):
    """The pattern of the file is written as another engine understands it."""

    def rewritten(self, pattern: str) -> str:
        return pattern

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        if model["pre_tokenizer"]["type"] == "ByteLevel":
            bytes_alone = {**model["pre_tokenizer"], "use_regex": False}
            split = {"type": "Split", "pattern": {"Regex": GPT2_PATTERN}, "behavior": "Isolated", "invert": False}
            model["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [split, bytes_alone]}
        pattern = model["pre_tokenizer"]["pretokenizers"][0]["pattern"]
        pattern["Regex"] = self.rewritten(pattern["Regex"])
        return model


class EcmaScriptSpace(OtherPattern):
    r"""The pattern is handed to the regular expressions of JavaScript as it stands: their \s has U+FEFF, not U+0085."""

    def rewritten(self, pattern: str) -> str:
        in_class = pattern.replace(r"[^\s", f"[^{SCRIPT_SPACE}")
        return in_class.replace(r"\s", f"[{SCRIPT_SPACE}]").replace(r"\S", f"[^{SCRIPT_SPACE}]")


class DecimalDigits(OtherPattern):
    """Whether it is a number is asked of an `isDigit`, to which superscripts, fractions and Roman numerals are none."""

    def rewritten(self, pattern: str) -> str:
        return pattern.replace(r"\p{N}", r"\p{Nd}")


class MarksAreLetters(OtherPattern):
    """The letters of the pattern are those of an `isLetter` to which a combining mark is one as well."""

    def rewritten(self, pattern: str) -> str:
        return pattern.replace(r"\p{L}", r"[\p{L}\p{M}]")


class ThousandsGrouped(OtherPattern):
    """A number is cut into groups of three digits from its end, as it is printed, not from its start."""

    def rewritten(self, pattern: str) -> str:
        return pattern.replace(r"\p{N}{1,3}", r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))")


class SoftHyphenPrints(Plain):
    """In the map of bytes all from A1 to FF stand for themselves, AD too, which is the soft hyphen."""

    def changed(self, pipeline: Pipeline) -> Pipeline:
        return replace(pipeline, pre_tokenizers=(*pipeline.pre_tokenizers, _SoftHyphen()))


class _SoftHyphen:
    def pre_tokenize(self, splits: Sequence[Part]) -> list[Part]:
        return [split if split.tokens is not None else Part(_printed(split.normalized)) for split in splits]


def _printed(part: NormalizedString) -> NormalizedString:
    text = part.text.replace(BYTE_TO_CHARACTER[SOFT_HYPHEN], chr(SOFT_HYPHEN))
    return NormalizedString(text, part.original_start, part.alignments)
