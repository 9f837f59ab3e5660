from __future__ import annotations

from collections.abc import Callable
from itertools import product
from random import Random

import pytest
import regex
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import reftok.regex_dialects.executor as executor_module
from reftok.engine.patterns.patterns import Matcher, matcher_of, stream_matches
from reftok.engine.patterns.streamable import Streamable, streamable
from reftok.errors import InvalidText, UnsupportedFeature
from reftok.formats.llama_cpp.pre_types import PRE_TYPES
from reftok.formats.tiktoken.encodings import ENCODINGS
from reftok.regex_dialects.fancy_regex import compile_fancy_regex
from reftok.regex_dialects.pattern import compile_oniguruma, rust_pattern
from reftok.rules.huggingface.pre_tokenizers import GPT2_PATTERN, WORDS
from reftok.rules.llama_cpp.pre_tokenizers import RegexSplit
from reftok.rules.patterns import Match, pattern_matches

from ...regex_dialects.oniguruma.test_random_patterns import PATTERNS
from ...regex_dialects.test_published_patterns import PUBLISHED
from ...rules.test_patterns import patterns as plain_patterns
from ..recording import cut_at, cuts
from ..streamed_matches import fragmented, joined, streamed, whole_matches

TEXTS = st.text(
    st.sampled_from("aabbcsskfi'12 \n\r.ßſéſKŉﬃʼn\u0301\u0295\U0001e6c0\u200d_-中"), min_size=1, max_size=14
)
TELLING = "aAé1 \n\r\t'stl.,/\u0301中\u00a0\u200d\u0295\U0001e6c0ſ²ǅ(<"
"""A letter of each kind, a digit, white space of each kind, what contractions begin with, signs, and what is newer than
Unicode 16."""

Matches = Callable[[str], list[Match]]


def published() -> dict[str, tuple[Callable[..., Matcher], Matches]]:
    """Every published pattern: how to stream it, and what finds its matches in a whole text."""
    compiled = {f"tokenizers: {name}": compile_oniguruma(pattern) for name, pattern in PUBLISHED.items()}
    compiled |= {f"tiktoken: {name}": compile_fancy_regex(encoding.pattern) for name, encoding in ENCODINGS.items()}
    compiled["Whitespace"] = WORDS
    found: dict[str, tuple[Callable[..., Matcher], Matches]] = {
        name: (
            lambda opens=False, pattern=pattern: stream_matches(pattern, opens),
            lambda text, pattern=pattern: pattern_matches(pattern, text),
        )
        for name, pattern in compiled.items()
    }
    steps = {step for pre_type in PRE_TYPES.values() for step in pre_type.steps if isinstance(step, RegexSplit)}
    for step in sorted(steps, key=lambda step: (step.expression, step.reading)):
        found[f"llama.cpp: {step.reading}: {step.expression}"] = (
            lambda opens=False, step=step: matcher_of(streamable(step.pattern, step.read), step.matches, opens),
            step.matches,
        )
    return found


EVERY_PUBLISHED = published()


@settings(max_examples=100, deadline=None)
@given(PATTERNS | plain_patterns, fragmented(TEXTS))
def test_any_pattern_matches_in_fragments_what_it_matches_in_the_whole(pattern: str, fragments: list[str]) -> None:
    try:
        compiled = compile_oniguruma(pattern)
    except UnsupportedFeature:
        assume(False)
    text = "".join(fragments)
    expected = whole_matches(compiled, text)
    matcher = stream_matches(compiled)
    assert streamed(matcher, fragments) == expected
    assert streamed(matcher, [text]) == expected


@settings(max_examples=200, deadline=None)
@given(PATTERNS | plain_patterns, TEXTS, st.lists(TEXTS, min_size=1, max_size=4))
def test_what_was_given_out_is_a_beginning_for_every_continuation(
    pattern: str, beginning: str, continuations: list[str]
) -> None:
    try:
        compiled = compile_oniguruma(pattern)
    except UnsupportedFeature:
        assume(False)
    given_out = joined(stream_matches(compiled).feed(beginning))
    for continuation in continuations:
        whole = whole_matches(compiled, beginning + continuation)
        assert whole[: len(given_out[:-1])] == given_out[:-1]
        if given_out:
            text, is_match = whole[len(given_out) - 1]
            assert is_match == given_out[-1][1]
            assert text == given_out[-1][0] if is_match else text.startswith(given_out[-1][0])


@settings(max_examples=200)
@given(st.text(st.sampled_from("ab"), max_size=4), fragmented(st.text(st.sampled_from("ab"), min_size=1, max_size=12)))
def test_a_literal_matches_in_fragments_what_it_matches_in_the_whole(literal: str, fragments: list[str]) -> None:
    matcher = stream_matches(literal)
    for _ in range(2):
        assert streamed(matcher, fragments) == whole_matches(literal, "".join(fragments))


@pytest.mark.parametrize("name", EVERY_PUBLISHED)
def test_a_published_pattern_does_not_wait_for_the_end(name: str) -> None:
    assert EVERY_PUBLISHED[name][0]().held_until_end == ""


@pytest.mark.parametrize("name", EVERY_PUBLISHED)
def test_a_published_pattern_matches_the_same_in_all_fragments(name: str) -> None:
    make, matches = EVERY_PUBLISHED[name]
    random = Random(name)
    matcher = make()
    pairs = random.sample(["".join(pair) for pair in product(TELLING, repeat=2)], 25)
    longer = ["".join(random.choices(TELLING, k=random.randint(3, 6))) for _ in range(10)]
    for text in [*TELLING, *pairs, *longer]:
        expected = [(text[start:end], is_match) for start, end, is_match in matches(text)]
        for fragments in [*cuts(text, 2), list(text)]:
            assert streamed(matcher, fragments) == expected, fragments


@pytest.mark.parametrize("name", EVERY_PUBLISHED)
def test_a_published_pattern_matches_the_same_in_long_fragments(name: str) -> None:
    make, matches = EVERY_PUBLISHED[name]
    random = Random(name)
    words = [
        "I'll",
        "né\u0301",
        " 1234",
        "\r\n",
        "  ",
        "...",
        "中文",
        "A\u0295",
        "\U0001e6c0",
        "\t",
        "x" * 70,
        "WordWord",
    ]
    text = "".join(random.choices(words, k=200))
    expected = [(text[start:end], is_match) for start, end, is_match in matches(text)]
    for size, opens in product((1, 7, 64, 256), (False, True)):
        assert streamed(make(opens), cut_at(text, range(0, len(text), size))) == expected


@pytest.mark.parametrize(
    ("pattern", "text", "final"),
    [
        ("a", "a", ["a"]),
        ("a+", "a", []),
        ("a+", "ab", ["a", "b"]),
        ("ab", "ca", ["c"]),
        ("abc|a", "aab", ["a"]),
        (r"\d{1,3}", "1234", ["123"]),
        (r"\d{2}", "12", ["12"]),
        ("a(?!b)", "a", []),
        ("a(?!b)", "ac", ["a", "c"]),
        ("a$", "a", []),
        (r"a\b", "a", []),
        (r"\Aa", "aa", ["a", "a"]),
        ("(?<=b)a", "aba", ["ab", "a"]),
        ("(?i)ss", "s", []),
        ("(?i)ss", "ß", ["ß"]),
        (r"\R", "\r", []),
        ("a?+b|c", "ac", ["a", "c"]),
        (GPT2_PATTERN, "I'll go  ", ["I", "'ll", " go"]),
        (GPT2_PATTERN, "go  on", ["go", " "]),
        (GPT2_PATTERN, "go'", ["go"]),
    ],
)
def test_what_no_continuation_can_change_is_given_out_at_once(pattern: str, text: str, final: list[str]) -> None:
    compiled = compile_oniguruma(pattern)
    for fragments in (list(text), [text]):
        matcher = stream_matches(compiled)
        pieces = joined(piece for fragment in fragments for piece in matcher.feed(fragment))
        assert [piece for piece, _ in pieces] == final
        assert matcher.held == len(text) - len("".join(final))


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (r"(a|b)\1", "it refers to what a group has matched"),
        (r"a\Kb", r"its matches start at \\K"),
        (r"\Ga", r"\\G asks where the search has started"),
        (r"(?<=\Ga)b", r"\\G asks where the search has started"),
        ("(?<=ba*)c", "it looks back too far"),
        ("(?:a{100}b)" * 60, "it is too large to follow all its paths"),
    ],
)
def test_what_cannot_be_decided_waits_for_the_end_of_the_part_and_says_why(pattern: str, reason: str) -> None:
    compiled = compile_oniguruma(pattern)
    matcher = stream_matches(compiled)
    assert repr(pattern[:200])[1:-1] in matcher.held_until_end
    assert matcher.held_until_end.endswith(reason.replace(r"\\", "\\"))
    assert matcher.feed("abaaab") == []
    assert matcher.held == 6
    assert matcher.finish() == whole_matches(compiled, "abaaab")
    assert matcher.finish() == []


@pytest.mark.parametrize("pattern", [r"\h", "[[a]]", "a$", r"\m", "(?r)a", "(?i)a", r"\X"])
def test_a_pattern_of_rust_that_oniguruma_reads_otherwise_waits_for_the_end_of_the_part(pattern: str) -> None:
    assert "common part" in stream_matches(rust_pattern(regex.compile(pattern, regex.V0))).held_until_end


@pytest.mark.parametrize("joiner", ["\u200c", "\u200d"])
def test_a_joiner_is_a_character_of_a_word_in_a_pattern_of_rust(joiner: str) -> None:
    assert streamed(stream_matches(WORDS), ["a", joiner, "b"]) == [(f"a{joiner}b", True)]


def test_what_lies_before_the_text_that_is_left_counts() -> None:
    compiled = compile_oniguruma(r"(?<=abc)d|^d|\Ae|\bf")
    for text in ("abcd", "bcd", "xe", "xf", "x\nd", "\nd\n"):
        assert streamed(stream_matches(compiled), list(text)) == whole_matches(compiled, text)


def test_as_much_before_the_text_that_is_left_counts_as_the_longest_alternative_looks_at() -> None:
    compiled = compile_oniguruma("(?<=abc|b)d")
    for text in ("abcd", "acd", "bd", "ad"):
        assert streamed(stream_matches(compiled), list(text)) == whole_matches(compiled, text)


def test_an_empty_match_that_touches_the_match_of_an_earlier_fragment_is_skipped() -> None:
    compiled = compile_oniguruma("a|(?=b*c)")
    expected = [("a", True), ("b", False), ("", True), ("c", False)]
    assert whole_matches(compiled, "abc") == expected
    assert streamed(stream_matches(compiled), ["a", "b", "c"]) == expected


def test_a_long_match_is_looked_at_once_while_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths: list[int] = []
    decide = Streamable.decide

    def counted(self: Streamable, text: str, position: int, last_end: int) -> object:
        lengths.append(len(text))
        return decide(self, text, position, last_end)

    monkeypatch.setattr(Streamable, "decide", counted)
    for size in (1, 256):
        matcher = stream_matches(compile_oniguruma(r"\p{L}+|\s+(?!\S)|\s+"))
        for _ in range(0, 10_000, size):
            assert matcher.feed("a" * size) == []
        assert lengths == [size] * (size > 1)
        lengths.clear()
        assert matcher.feed(" ")[0][0] == "a" * (lengths.pop() - 1)


def test_a_pattern_that_takes_too_long_on_a_fragment_is_an_error_and_no_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor_module, "PATTERN_SECONDS", 0.1)
    matcher = stream_matches(compile_oniguruma("(?:a|aa)+b|(?=b)"))
    with pytest.raises(InvalidText, match="takes too long"):
        matcher.feed("a" * 500 + "c")


@pytest.mark.parametrize("pattern", ["(?i:ff)", "(?i:ff)$", "(?i:ss)", "(?i:ﬃ)+", "(?i:ŉ)x", "(?i:ΐ)", "a(?i:fi)"])
def test_a_ligature_that_stands_for_several_letters_is_one_of_the_paths(pattern: str) -> None:
    compiled = compile_oniguruma(pattern)
    for text in map("".join, product("ﬀﬃfisßŉʼnx", repeat=3)):
        for fragments in ([text], [*text]):
            assert streamed(stream_matches(compiled), fragments) == joined(whole_matches(compiled, text)), fragments
