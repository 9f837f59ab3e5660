"""The final matches of a pattern are those that every continuation of the text leaves as they are."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from random import Random

import pytest
import regex
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reftok.errors import UnsupportedFeature
from reftok.formats.llama_cpp.pre_types import PRE_TYPES
from reftok.formats.tiktoken.encodings import ENCODINGS
from reftok.regex_dialects.fancy_regex import compile_fancy_regex
from reftok.regex_dialects.pattern import Pattern, compile_oniguruma, rust_pattern
from reftok.regex_dialects.pattern import spans as executed
from reftok.rules.huggingface.pre_tokenizers import GPT2_PATTERN, WORDS
from reftok.rules.llama_cpp.pre_tokenizers import RegexSplit
from reftok.rules.patterns import pattern_matches
from reftok.rules.types import Match, Span
from reftok.streams.cuts.patterns import replacing, settled_matches

from ..regex_dialects.oniguruma.test_random_patterns import PATTERNS
from ..regex_dialects.test_published_patterns import PUBLISHED

TEXTS = st.text(st.sampled_from("aabbcsskfi'12 \n\r.ßſéſKŉﬃʼn\u0301\u0295\U0001e6c0\u200d_-中"), max_size=10)
TELLING = "aAé1 \n\r\t'stl.,/\u0301中\u00a0\u200d\u0295\U0001e6c0ſ²ǅ(<"
"""A letter of each kind, a digit, white space of each kind, what contractions begin with, signs, and what is newer than
Unicode 16."""
HELD = {"digits from the right", "words, and digits from the right", "camel case", r"(?<!\s)\s+\Z"}

Reading = Callable[[str], str] | None
Matches = Callable[[str], list[Match]]


def every_published() -> dict[str, tuple[Pattern, Reading, Matches]]:
    compiled = {name: compile_oniguruma(pattern) for name, pattern in PUBLISHED.items()}
    compiled |= {name: compile_fancy_regex(encoding.pattern) for name, encoding in ENCODINGS.items()}
    compiled["Whitespace"] = WORDS
    found: dict[str, tuple[Pattern, Reading, Matches]] = {
        name: (pattern, None, lambda text, pattern=pattern: pattern_matches(pattern, text))
        for name, pattern in compiled.items()
    }
    for pre_type in PRE_TYPES.values():
        for step in pre_type.steps:
            if isinstance(step, RegexSplit):
                found[step.expression] = step.pattern, step.read, step.matches
    return found


EVERY = every_published()


def check(pattern: Pattern, reading: Reading, matches: Matches, text: str, more: str) -> None:
    final = settled_matches(pattern, reading)
    assert not isinstance(final, str)
    spans, settled = final(text)
    expected = [(start, end) for start, end, is_match in matches(text + more) if is_match and start < settled]
    assert [*spans] == expected, (text, more)
    if reading is None:
        start = min(settled, final.context)
        rest = (text + more)[settled - start :]
        shift = settled - start
        behind = [(first - shift, end - shift) for first, end, is_match in matches(text + more) if is_match]
        assert executed(pattern, rest, start) == [span for span in behind if span[0] >= start], (text, more)


@settings(max_examples=400)
@given(PATTERNS, TEXTS, st.lists(TEXTS, max_size=4))
def test_no_continuation_changes_what_is_final(source: str, text: str, continuations: list[str]) -> None:
    try:
        pattern = compile_oniguruma(source)
    except UnsupportedFeature:
        assume(False)
    assume(not isinstance(settled_matches(pattern), str))
    for more in ("", "a", "s", "\n", " ", *continuations):
        check(pattern, None, lambda text: pattern_matches(pattern, text), text, more)


@pytest.mark.parametrize("name", EVERY)
def test_of_a_published_pattern_no_continuation_changes_what_is_final(name: str) -> None:
    random = Random(name)
    if name in HELD or "(?: \\p{L}\\p{M}*)*" in name:
        assert isinstance(settled_matches(*EVERY[name][:2]), str)
        return
    for text in [*map("".join, random.sample([*product(TELLING, repeat=3)], 60)), "HELLO'll", "a'r", " \n 12"]:
        for more in ("", *random.sample(TELLING, 3), "'s", "ll"):
            check(*EVERY[name], text, more)


@pytest.mark.parametrize(
    ("source", "text", "spans", "settled"),
    [
        ("a+", "a", [], 0),
        ("a+", "ab", [(0, 1)], 2),
        ("abc|a", "aab", [(0, 1)], 1),
        (r"\d{1,3}", "1234", [(0, 3)], 3),
        (r"\d{2}", "12", [(0, 2)], 2),
        ("ab|abc", "ab", [(0, 2)], 2),
        ("(?>ab|c)|abc", "ab", [(0, 2)], 2),
        ("a(?!b)", "a", [], 0),
        ("a$", "a", [], 0),
        (r"a\Z", "a\n\n", [], 3),
        ("(?i)ss", "s", [], 0),
        ("(?i)ß", "s", [], 0),
        (r"\R", "\r", [], 0),
        (r"\bab", "abab ab", [(0, 2), (5, 7)], 7),
        (r"ab\b", "ab ab", [(0, 2)], 3),
        ("(?<=b)a", "aba", [(2, 3)], 3),
        ("^b", "b\n", [(0, 1)], 2),
        (GPT2_PATTERN, "I'll go  ", [(0, 1), (1, 4), (4, 7)], 7),
    ],
)
def test_what_is_final_is_known_at_once(source: str, text: str, spans: list[Span], settled: int) -> None:
    final = settled_matches(compile_oniguruma(source))
    assert not isinstance(final, str)
    assert final(text) == (spans, settled)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (r"(a|b)\1", "it refers to what a group has matched"),
        (r"a\Kb", "it asks where a match begins"),
        (r"\Gab", "it asks where a match begins"),
        ("(?<!b{65})a", "it looks at the text before"),
        ("a*", "it may match nothing"),
        ("(?:a+|b)+c", "it repeats a repetition, and may take very long"),
        ("(?:a+?b)?c", "it repeats a group with a lazy or possessive part"),
    ],
)
def test_why_nothing_is_final_before_the_end_is_told(source: str, reason: str) -> None:
    found = settled_matches(compile_oniguruma(source))
    assert isinstance(found, str)
    assert repr(source) in found
    assert found.endswith(reason)


def test_a_dollar_in_a_class_of_rust_is_itself() -> None:
    found = settled_matches(rust_pattern(regex.compile(r"[$]+|b\Z|\\Z", regex.V0)))
    assert not isinstance(found, str)
    assert found(r"$$a\Zb") == ([(0, 2), (3, 5)], 5)


@given(st.text("ab", min_size=1, max_size=4), st.lists(st.text("ab", max_size=4), max_size=6))
def test_a_string_is_replaced_in_chunks_as_in_the_whole_text(literal: str, chunks: list[str]) -> None:
    rewrite = replacing(literal, "-").rewrite
    given, tail = "", ""
    for chunk in chunks:
        ready, size = rewrite(tail + chunk, given, False)
        given, tail = given + ready, (tail + chunk)[size:]
    assert given + rewrite(tail, given, True)[0] == "".join(chunks).replace(literal, "-")
