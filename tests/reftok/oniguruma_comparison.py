"""Patterns of reftok beside those of the official library."""

from __future__ import annotations

import tokenizers

from reftok.regex_dialects.pattern import compile_oniguruma
from reftok.rules.patterns import pattern_matches


def matches(pattern: str, text: str) -> list[tuple[int, int]]:
    return [(start, end) for start, end, is_match in pattern_matches(compile_oniguruma(pattern), text) if is_match]


def replaced(pattern: str, text: str) -> str:
    found = pattern_matches(compile_oniguruma(pattern), text)
    return "".join("<>" if is_match else text[start:end] for start, end, is_match in found)


def assert_same(pattern: str, text: str) -> None:
    expression = tokenizers.Regex(pattern)
    split = tokenizers.pre_tokenizers.Split(expression, "removed", invert=True)
    theirs = [span for _, span in split.pre_tokenize_str(text)]
    assert [(start, end) for start, end in matches(pattern, text) if start < end] == theirs
    assert replaced(pattern, text) == tokenizers.normalizers.Replace(expression, "<>").normalize_str(text)
