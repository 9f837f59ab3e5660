"""Matches that are given out before they have ended."""

from __future__ import annotations

from random import Random

import pytest
import regex
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import reftok.engine.patterns.automaton as automaton_module
from reftok.engine.encode.splits import stream_byte_level, stream_regex_split, stream_split, stream_whitespace
from reftok.engine.patterns import patterns as patterns_module
from reftok.engine.patterns.automaton import State, reached
from reftok.engine.patterns.patterns import stream_matches
from reftok.engine.patterns.streamable import streamable
from reftok.errors import UnsupportedFeature
from reftok.regex_dialects.pattern import Pattern, compile_oniguruma, rust_pattern
from reftok.rules.huggingface.pre_tokenizers import GPT2_PATTERN, WORDS, ByteLevel, Split, Whitespace
from reftok.rules.llama_cpp.pre_tokenizers import RegexSplit
from reftok.rules.text import Behavior

from ...official import Json
from ...pipeline_comparison import Input
from ...regex_dialects.oniguruma.test_random_patterns import PATTERNS
from ...rules.test_patterns import patterns as plain_patterns
from ...tokenizers_strategies import questions
from ..encode.test_splits import BEHAVIORS
from ..encode.test_stream import check_pipeline
from ..recording import cut_at
from ..stage_comparison import PartRecorder, check_stage, pre_tokenizer_stage
from ..steps import steps
from ..streamed_matches import fragmented, streamed, whole_matches
from .test_automaton import match_at
from .test_patterns import EVERY_PUBLISHED

ONES = st.sampled_from(["a", "b", "ab", "[ab]", "[^a]", r"\s", r"\S", r"\w", ".", "(?i:[ks])", "(?i:s)", "(?:ab|a)?"])
SIGNS = st.sampled_from(["", "", "+", "*", "?", "++", "*+", "?+", "+?", "*?", "??", "{1,2}", "{2,}", "{1,3}+", "{,2}"])
TAILS = ["", "", "", r"(?!\S)", "(?!a)", "(?=b)", r"\Z", r"\b", "(?<=a)", "(?>ab|a)", "(?i:'s|ss|k)?"]
RUNS = st.tuples(ONES, SIGNS).map(lambda drawn: "".join(drawn) if drawn[0][-1] != "?" else drawn[0])
BRANCHES = st.tuples(st.lists(RUNS, min_size=1, max_size=3).map("".join), st.sampled_from(TAILS)).map("".join)
OF_RUNS = st.lists(BRANCHES, min_size=1, max_size=4).map("|".join)
ANY_PATTERN = OF_RUNS | OF_RUNS.map(lambda pattern: pattern.replace(r"\Z", r"\z")) | PATTERNS | plain_patterns
TEXTS = st.text(st.sampled_from("aaaabb s k\n'Kſß1\u200d\u0295\U0001e6c0"), min_size=1, max_size=12)


@pytest.fixture(autouse=True)
def every_match_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a match may be given out from its first character on."""
    monkeypatch.setattr(patterns_module, "LONG", 0)


def start_of(pattern: str) -> State:
    try:
        found = streamable(compile_oniguruma(pattern))
    except UnsupportedFeature:
        assume(False)
        raise
    if isinstance(found, str):
        assume(False)
        raise AssertionError
    return found.automaton.start


@settings(max_examples=400, deadline=None)
@given(ANY_PATTERN, TEXTS, st.lists(TEXTS, max_size=4))
def test_no_continuation_makes_a_match_end_before_where_it_is_sure_to_reach(
    pattern: str, text: str, continuations: list[str]
) -> None:
    start = start_of(pattern)
    compiled = compile_oniguruma(pattern)
    growth, end = reached(start, text)
    if not growth.is_sure:
        return
    for continuation in [*continuations, "", "a", "b", "s", " ", "\n"]:
        match = match_at(compiled, text + continuation, 0)
        match_end = match[1] if match else 0
        assert match_end >= end
        if not growth.alive:
            assert match_end == end
    if growth.alive and growth.ends_with_text:
        assert match_at(compiled, text, 0) == (0, len(text))


@settings(max_examples=400, deadline=None)
@given(ANY_PATTERN, fragmented(TEXTS))
def test_a_match_in_pieces_is_the_match_of_the_whole(pattern: str, fragments: list[str]) -> None:
    try:
        compiled = compile_oniguruma(pattern)
    except UnsupportedFeature:
        assume(False)
    matcher = stream_matches(compiled, opens=True)
    for _ in range(2):
        assert streamed(matcher, fragments) == whole_matches(compiled, "".join(fragments))


def of_rust(pattern: str) -> Pattern:
    """Any pattern that `regex` takes: more than the reader of rank files, which refuses what may mean another thing."""
    return rust_pattern(regex.compile(pattern))


@settings(max_examples=400, deadline=None)
@given(OF_RUNS, fragmented(TEXTS))
def test_a_match_in_pieces_of_a_pattern_of_rust_is_the_match_of_the_whole(pattern: str, fragments: list[str]) -> None:
    compiled = of_rust(pattern)
    matcher = stream_matches(compiled, opens=True)
    assert streamed(matcher, fragments) == whole_matches(compiled, "".join(fragments))


@pytest.mark.parametrize("name", EVERY_PUBLISHED)
def test_a_published_pattern_matches_the_same_in_pieces(name: str) -> None:
    make, matches = EVERY_PUBLISHED[name]
    random = Random(name)
    runs = [
        "a",
        "Ab",
        "é",
        "中",
        "12",
        ".",
        "\n",
        " ",
        " \r\n",
        "'s",
        "'",
        "\u0301",
        "\u0295",
        "\U0001e6c0",
        "\u200d",
        "K",
    ]
    for _ in range(4):
        text = "".join(random.choice(runs) * random.choice([1, 1, 2, 40]) for _ in range(8))
        expected = [(text[start:end], is_match) for start, end, is_match in matches(text)]
        for size in (1, 5, 100):
            assert streamed(make(True), cut_at(text, range(0, len(text), size))) == expected


HELD = {
    # These look further ahead, or behind.
    "digits from the right": "1",
    "words, and digits from the right": "a中.1 ",
    "camel case": "a中1",
    r"(?<!\s)\s+\Z": "\n ",
    # A repeated group; a repetition of very many.
    r"(?: \p{L}": "a中.\n ",
    "{256}": " ",
}
"""What is held of the published patterns whose names have this; of the others nothing is."""


@pytest.mark.parametrize("name", EVERY_PUBLISHED)
def test_a_published_pattern_holds_little_of_a_run(name: str) -> None:
    expected = [characters for part, characters in HELD.items() if part in name]
    held = ""
    for character in "a中.1\n ":
        matcher = EVERY_PUBLISHED[name][0](True)
        for _ in range(100):
            matcher.feed(character)
        held += character * (matcher.held > 1)
    assert held == max(expected, key=len, default="")


@pytest.mark.parametrize(
    ("pattern", "text", "sure"),
    [
        ("a+", "aaa", 3),
        ("a+?b", "aab", 3),
        (r"\s+(?!\S)|\s+", "   ", 2),
        (r"\s++$|\s*[\r\n]|\s+(?!\S)|\s", "   ", 2),
        (r"\s++$|\s*[\r\n]|\s+(?!\S)|\s", " \n\n", 3),
        (r"\s*[\r\n]+|\s+(?!\S)|\s+", "  \n  ", 3),
        (r"[a-z]+(?i:'s|'t)?", "abc'", 3),
        ("a++b*+", "aabb", 4),
        ("a++(?!b)|a", "aa", 1),
        ("(?=a)b|a+", "aaa", 3),
        ("(?=a)ab?|a+", "aaa", 0),
        ("a+(?=b)|a+", "aaa", 0),
        (r"a+\b|a+", "aaa", 0),
        ("(?<=b)a+|a+", "aaa", 0),
        ("(?>ab?)+|a+", "aaa", 0),
        ("(?>a|ab)b*", "abb", 0),
        ("(?:a|b)+", "aba", 0),
        ("a{300}|a+", "aaa", 0),
        (r"a+\Z|a", "aaa", 0),
    ],
)
def test_what_is_given_out_of_a_match_that_goes_on(pattern: str, text: str, sure: int) -> None:
    matcher = stream_matches(compile_oniguruma(pattern), opens=True)
    pieces = [piece for character in text for piece in matcher.feed(character)]
    assert "".join(piece for piece, _ in pieces) == text[:sure]
    assert matcher.held == len(text) - sure


@pytest.mark.parametrize("pattern", [r"a{2}?b|a+", r"(?:a{1,}+|b)a|[ab]+", r"a{2}+a|a+"])
def test_a_pattern_that_rust_reads_otherwise_is_given_out_whole(pattern: str) -> None:
    matcher = stream_matches(of_rust(pattern), opens=True)
    assert all(not matcher.feed("a") or not matcher.is_open for _ in range(100))


@pytest.mark.parametrize(
    "pattern",
    ["(?i:ss)b|[a-zß]+", "(?i:[ß])b|[a-zß]+", "(?i:[ks]s)|[a-zßſK]+b", r"[a-z]+\Z|[a-z]", "(?i:i+)", "(?i:[hi]+)"],
)
@pytest.mark.parametrize("text", ["ßbb", "ssbb", "ſsbb", "Ksab", "ab\n", "iİıIh"])
def test_a_pattern_of_rust_ignores_case_as_regex_does(pattern: str, text: str) -> None:
    compiled = of_rust(pattern)
    assert streamed(stream_matches(compiled, opens=True), list(text)) == whole_matches(compiled, text)


@pytest.mark.parametrize("text", ["aa\u200dbb", "a\u200d", "a\u0295\U0001e6c0", "aſK", "a²b", "a¼", "a_²"])
def test_a_word_in_pieces_has_the_characters_of_the_whole_word(text: str) -> None:
    assert streamed(stream_matches(WORDS, opens=True), list(text)) == whole_matches(WORDS, text)


def test_a_match_that_is_short_comes_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns_module, "LONG", 32)
    matcher = stream_matches(compile_oniguruma(GPT2_PATTERN), opens=True)
    assert [matcher.feed("a") for _ in range(32)] == [[]] * 32
    assert (matcher.feed("a"), matcher.is_open, matcher.held) == ([("a" * 33, True)], True, 0)
    assert (matcher.feed("bc"), matcher.feed(" d")) == ([("bc", True)], [("", True)])
    assert (matcher.is_open, matcher.held, matcher.finish()) == (False, 2, [(" d", True)])


def test_a_long_fragment_that_ends_within_a_match_is_given_out_at_once() -> None:
    matcher = stream_matches(compile_oniguruma(GPT2_PATTERN), opens=True)
    assert matcher.feed("some words " + "a" * 100) == [("some", True), (" words", True), (" " + "a" * 100, True)]
    assert matcher.is_open


@pytest.mark.parametrize("text", ["faa", "eff", "dffe", "abba", "ffffa"])
def test_a_path_with_many_conditions_is_in_doubt(text: str) -> None:
    compiled = compile_oniguruma("(?!a)(?!b)(?!c)(?!d)[a-f]++(?!f)|[a-d]|e+|f{2}")
    assert streamed(stream_matches(compiled, opens=True), list(text)) == whole_matches(compiled, text)


def test_what_comes_behind_a_match_in_pieces_knows_what_is_before_it() -> None:
    compiled = compile_oniguruma(r"a+|(?<=aa)b|(?=b)|\Bc")
    for text in ("aab", "aabb", "ab", "aac", "a", "aa\n"):
        assert streamed(stream_matches(compiled, opens=True), list(text)) == whole_matches(compiled, text)


def test_what_is_not_sure_is_looked_at_again_when_it_has_grown(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not with every character, which would take the square of its length."""
    looks: list[int] = []

    def counted(state: State, text: str, place: int = 0) -> tuple[State, int]:
        looks.append(len(text))
        return reached(state, text, place)

    monkeypatch.setattr(patterns_module, "reached", counted)
    matcher = stream_matches(compile_oniguruma(r"(?=a)a+|a+"), opens=True)
    for _ in range(10_000):
        assert matcher.feed("a") == []
    assert sum(looks) < 60_000


def test_the_steps_of_a_long_match_grow_with_its_length() -> None:
    def taken(length: int) -> int:
        matcher = stream_matches(compile_oniguruma(GPT2_PATTERN + "|x*y"), opens=True)
        return steps(lambda: [matcher.feed(" ") for _ in range(length)])

    assert taken(4_000) < 5 * taken(1_000)


def test_an_automaton_forgets_its_states_and_goes_on_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(automaton_module, "MOST_STEPS", 3)
    compiled = compile_oniguruma(r"b{5}|[a-c]+(?!d)|x")
    text = "abcabcaacbdx" * 5
    assert streamed(stream_matches(compiled, opens=True), list(text)) == whole_matches(compiled, text)


SPLIT_TEXTS = st.text(st.sampled_from("aaab  -é\n"), min_size=1, max_size=10)
SEEDS = st.integers(0, 1000)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(["a+", r"\w+|\s+(?!\S)", "[ab-]+", "(?=b)|a+b?", r"a+\b|b"]) | OF_RUNS,
    st.sampled_from(BEHAVIORS),
    st.booleans(),
    SPLIT_TEXTS,
    SEEDS,
)
def test_a_split_of_matches_in_pieces_cuts_as_the_split_does(
    pattern: str, behavior: Behavior, invert: bool, text: str, seed: int
) -> None:
    try:
        split = Split(compile_oniguruma(pattern), behavior, invert)
    except UnsupportedFeature:
        assume(False)
    check_stage(lambda sink: stream_split(split, sink), pre_tokenizer_stage(split), text, seed)


@settings(max_examples=100, deadline=None)
@given(st.booleans(), SPLIT_TEXTS, SEEDS)
def test_the_other_stages_with_matches_in_pieces_cut_as_they_do(prefixes: bool, text: str, seed: int) -> None:
    byte_level = ByteLevel(prefixes, use_regex=True)
    check_stage(lambda sink: stream_byte_level(byte_level, sink), pre_tokenizer_stage(byte_level), text, seed)
    check_stage(lambda sink: stream_whitespace(Whitespace(), sink), pre_tokenizer_stage(Whitespace()), text, seed)
    split = RegexSplit(r" ?\p{L}+|\s+(?!\S)|\s+")
    check_stage(lambda sink: stream_regex_split(split, sink), pre_tokenizer_stage(split), text, seed)


@settings(max_examples=100, deadline=None)
@given(questions(), st.integers(0, 1 << 20))
def test_a_random_pipeline_with_matches_in_pieces_gives_the_ids_of_the_whole_text(
    question: tuple[Json, list[Input]], seed: int
) -> None:
    check_pipeline(*question, seed)


@pytest.mark.parametrize(
    ("behavior", "invert", "open_part", "parts"),
    [
        ("Isolated", False, "aaa", ["-", "aaa", "-"]),
        ("Isolated", True, "aaa", ["-", "aaa", "-"]),
        ("Removed", False, "", ["-", "-"]),
        ("Removed", True, "aaa", ["aaa"]),
        ("Contiguous", False, "aaa", ["-", "aaa", "-"]),
        ("MergedWithPrevious", False, "-aaa", ["-aaa", "-"]),
        ("MergedWithPrevious", True, "aaa", ["-", "aaa-"]),
        ("MergedWithNext", False, "aaa", ["-", "aaa-"]),
        ("MergedWithNext", True, "-aaa", ["-aaa", "-"]),
    ],
)
def test_the_text_of_a_match_goes_on_before_it_has_ended(
    behavior: Behavior, invert: bool, open_part: str, parts: list[str]
) -> None:
    recorder = PartRecorder()
    stage = stream_split(Split(compile_oniguruma("a+"), behavior, invert), recorder)
    for character in "-aaa":
        stage.text(character)
    assert (recorder.open, stage.held) == (open_part, 0)
    stage.text("-")
    stage.end_pre_token()
    assert recorder.items == parts
