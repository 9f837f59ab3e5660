"""The fast path cuts pre-tokens where the rules do."""

from __future__ import annotations

import pytest

from reftok.fast.pre_tokens import known_pre_tokens
from reftok.regex_dialects.pattern import compile_oniguruma
from reftok.rules.huggingface.pre_tokenizers import ByteLevel, Split
from reftok.rules.text import NormalizedString

GAPS = Split(compile_oniguruma(r"[a-z]+|[A-Z]|\d|_|\.|\s"), "Isolated", False)
"""Matches the characters of most texts, but not é."""


@pytest.mark.parametrize("text", ["aéb", "é", "aéA éé"])
def test_text_between_two_matches_is_a_pre_token(text: str) -> None:
    known = known_pre_tokens([GAPS, ByteLevel(add_prefix_space=False, use_regex=False)])
    assert known is not None
    words = known.words(NormalizedString(text))
    assert "".join(words) == text
    assert all(word == "é" * len(word) or "é" not in word for word in words)
