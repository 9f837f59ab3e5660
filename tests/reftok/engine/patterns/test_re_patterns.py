from __future__ import annotations

import re
from functools import partial
from unittest.mock import patch

import pytest
import regex
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reftok.engine.patterns import re_patterns as re_patterns_module
from reftok.engine.patterns.patterns import matcher_of
from reftok.engine.patterns.streamable import streamable
from reftok.errors import UnsupportedFeature
from reftok.fast.re_patterns import RePatterns, re_pattern
from reftok.regex_dialects.fancy_regex import compile_fancy_regex
from reftok.regex_dialects.oniguruma.parser import parse
from reftok.regex_dialects.pattern import compile_oniguruma
from reftok.rules.patterns import pattern_matches

ASCII = st.characters(max_codepoint=127)
PLANE_0 = st.characters(max_codepoint=0xFFFF)
NEWER_THAN_16 = "\u0295\u0897\u088f\u1ac1\u20c1"
TELLING = "aS'ltr1 \n\r\t.!\x1c\x0bſKßé\u0301\u00b2\u0660\u2028\u3000日ア\ud800" + NEWER_THAN_16
LAST = {0x7F: st.text("aAbBkKcC1 \n.]^-") | st.text(ASCII), 0xFFFF: st.text(TELLING) | st.text(PLANE_0)}
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


def spans_of_16(pattern: str, text: str) -> list[tuple[int, int]]:
    compiled, prepared = compile_oniguruma(pattern).for_text(text)
    return spans(compiled, prepared)


@pytest.mark.parametrize("last", LAST)
@settings(max_examples=200)
@given(patterns(), st.data())
def test_a_form_for_re_matches_what_the_pattern_does_where_no_match_is_empty(
    last: int, pattern: str, data: st.DataObject
) -> None:
    form = re_pattern(parse(pattern), last)
    if form is not None:
        text = data.draw(LAST[last])
        expected = spans_of_16(pattern, text)
        if all(start < end for start, end in expected):
            assert spans(form, text) == expected


@pytest.mark.parametrize("last", LAST)
@pytest.mark.parametrize("pattern", PUBLISHED)
@settings(max_examples=200)
@given(st.data())
def test_the_published_patterns_have_forms_for_re_that_find_the_same(
    pattern: str, last: int, data: st.DataObject
) -> None:
    form = re_pattern(parse(pattern), last)
    assert form is not None
    text = data.draw(LAST[last])
    assert spans(form, text) == spans_of_16(pattern, text)


@pytest.mark.parametrize("class_", [*CLASSES, r"\p{N}", r"[^\s\p{L}\p{N}]", r"\p{Cn}", r"\p{Ll}", r"\p{M}"])
def test_a_class_written_out_has_the_members_of_unicode_16(class_: str) -> None:
    """Whatever version the installed `regex` has: the exact form of the class is that of the plain rules."""
    form = re_pattern(parse(class_), 0xFFFF)
    assert form is not None
    plane_0 = "".join(map(chr, range(0x10000)))
    assert spans(form, plane_0) == spans_of_16(class_, plane_0)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(
    patterns() | st.sampled_from([*PUBLISHED, r"\w+|[^\w\s]+"]), LAST[0xFFFF] | st.text("\u200c\u200dA\xa0é\u0301 1")
)
def test_text_of_plane_0_is_split_as_by_the_plain_rules_whoever_reads_the_pattern(pattern: str, text: str) -> None:
    """Fault: a word of Rust's had no joiners, from the moment on when the form for plane 0 was made."""
    with patch.object(re_patterns_module, "_REPAYS", -1):
        for compile_ in (compile_oniguruma, compile_fancy_regex):
            try:
                compiled = compile_(pattern)
            except UnsupportedFeature:
                continue
            how = streamable.__wrapped__(compiled)
            if text and not isinstance(how, str):
                texts, are_matches = matcher_of(how, partial(pattern_matches, compiled)).whole(text)
                expected = pattern_matches(compiled, text)
                assert [*texts] == [text[start:end] for start, end, _ in expected]
                assert [*(are_matches or [True] * len(texts))] == [is_match for _, _, is_match in expected]


@pytest.mark.parametrize("pattern", [r"[\x{110000}-\x{1fffff}]|[^x]", r"[\x{110000}]|[^x]"])
def test_a_class_beyond_unicode_has_no_members(pattern: str) -> None:
    """Fault: it was written as a class within a class, which `re` reads as another one and a bracket."""
    form = re_pattern(parse(pattern), 0x7F)
    assert form is not None
    assert form.findall("a]") == ["a", "]"]


def test_a_long_pattern_is_not_written_out_for_plane_0() -> None:
    """Fault: one of 500 classes took five seconds to write out."""
    with patch.object(re_patterns_module, "_REPAYS", -1), patch.object(re_patterns_module, "_characters") as characters:
        characters.side_effect = lambda last: "".join(map(chr, range(last + 1)))
        pattern = "|".join(rf"[\p{{L}}&&[^{chr(0x4E00 + number)}]]x" for number in range(100)) + r"|\p{L}+"
        matcher = matcher_of(streamable.__wrapped__(compile_oniguruma(pattern)), lambda text: [])
        assert matcher.whole("é")[0] == ["é"]
    assert {call.args for call in characters.mock_calls} <= {(0x7F,)}


def test_text_beyond_plane_0_is_left_to_regex_and_text_of_plane_0_until_there_was_much() -> None:
    forms = RePatterns(parse(r"\p{L}+"))
    many = "é" * (1 << 17)
    assert [forms.of(text) is None for text in ("é", "a\U0001f600", many, many, "é", "a\U0001f600", "a")] == [
        True, True, True, False, False, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize("pattern", ["(?i:\u00df)", "(?i:[\u00df])", "(?i:ss)", "(?i:\ufb01)x|a", "(?i:\u212a+)"])
def test_a_letter_that_stands_for_several_has_a_form(pattern: str) -> None:
    form = re_pattern(parse(pattern), 0x7F)
    assert form is not None
    for text in ("ssSs", "a fix Fi", "kK"):
        assert spans(form, text) == spans(compile_oniguruma(pattern).compiled, text)


@pytest.mark.parametrize("pattern", ["(ab)+", r"(a)\1", r"\ba", "(?<=a)b", r"a\Kb", "^a"])
def test_what_may_differ_has_no_form(pattern: str) -> None:
    assert re_pattern(parse(pattern), 0x7F) is None
