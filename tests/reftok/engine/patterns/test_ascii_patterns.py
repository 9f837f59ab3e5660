from __future__ import annotations

import re

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.engine.patterns.ascii_patterns import ascii_pattern
from reftok.oniguruma.parser import parse
from reftok.spec.patterns import compile_oniguruma

ASCII = st.characters(max_codepoint=127)
PUBLISHED = [
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|"
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
]
CLASSES = [
    r"\p{L}",
    r"\d",
    r"\s",
    r"\w",
    "[^a-c ]",
    "[[:punct:]]",
    "[-^\\]]",
    r"[\p{Lu}&&[^A]]",
    r"\P{N}",
    ".",
    "(?m:.)",
]
SIGNS = ["", "+", "*?", "?", "{2,3}", "{2}", "+?"]


@st.composite
def patterns(draw: st.DrawFn) -> str:
    """Branches of single characters that are repeated, with what looks to the right or ignores case."""
    parts: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        single = draw(st.sampled_from([*CLASSES, "a", "(b)", " "])) + draw(st.sampled_from(SIGNS))
        around = draw(st.sampled_from(["{}", "(?={})", "(?!{})", "(?i:{}ak)", "(?>{})", "{}$", "(?:{}|b)", "a{}"]))
        parts.append(around.replace("{}", single))
    return "|".join("".join(parts[at : at + 2]) for at in range(0, len(parts), 2))


def spans(pattern: re.Pattern[str] | regex.Pattern[str], text: str) -> list[tuple[int, int]]:
    return [match.span() for match in pattern.finditer(text)]


@settings(max_examples=200)
@given(patterns(), st.text("aAbBkKcC1 \n.]^-") | st.text(ASCII))
def test_the_fast_path_matches_what_the_pattern_does_where_no_match_is_empty(pattern: str, text: str) -> None:
    fast = ascii_pattern(parse(pattern))
    if fast is not None:
        expected = spans(compile_oniguruma(pattern).compiled, text)
        if all(start < end for start, end in expected):
            assert spans(fast, text) == expected


@pytest.mark.parametrize("pattern", PUBLISHED)
@settings(max_examples=200)
@given(st.text("aS'ltr1 \n\r\t.!\x1c\x0b") | st.text(ASCII))
def test_the_published_patterns_have_fast_paths_that_find_the_same(pattern: str, text: str) -> None:
    fast = ascii_pattern(parse(pattern))
    assert fast is not None
    assert spans(fast, text) == spans(compile_oniguruma(pattern).compiled, text)


@pytest.mark.parametrize("pattern", ["(?i:\u00df)", "(?i:[\u00df])", "(?i:ss)", "(?i:\ufb01)x|a", "(?i:\u212a+)"])
def test_a_letter_that_stands_for_several_has_a_fast_path(pattern: str) -> None:
    fast = ascii_pattern(parse(pattern))
    assert fast is not None
    for text in ("ssSs", "a fix Fi", "kK"):
        assert spans(fast, text) == spans(compile_oniguruma(pattern).compiled, text)


@pytest.mark.parametrize("pattern", ["(ab)+", r"(a)\1", r"\ba", "(?<=a)b", r"a\Kb", "^a"])
def test_what_may_differ_has_no_fast_path(pattern: str) -> None:
    assert ascii_pattern(parse(pattern)) is None
