from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.engine.encode.splits import stream_byte_level, stream_regex_split, stream_split, stream_whitespace
from reftok.regex_dialects.pattern import Pattern, compile_oniguruma
from reftok.rules.huggingface.pre_tokenizers import ByteLevel, Split, Whitespace
from reftok.rules.llama_cpp.pre_tokenizers import Reading, RegexSplit
from reftok.rules.text import JOINED, Behavior

from ..recording import cut_at
from ..stage_comparison import PartRecorder, check_chunks, check_stage, pre_tokenizer_stage

BEHAVIORS: list[Behavior] = [*JOINED]
READINGS: list[Reading] = ["categories", "categories and Han", "code points"]
EXPRESSIONS = ["-", "a+", "a*", r"(?=b)|-", r"\s+(?!\S)|a|-+", r"(-)\1|b$", r"\ba|-\b", "a|"]
PATTERNS = ["-", "", "--", "ab", "aab", *map(compile_oniguruma, EXPRESSIONS)]
TEXTS = st.text(st.sampled_from("aab -é"), min_size=1, max_size=9)
ANY_TEXTS = st.text(min_size=1, max_size=9) | TEXTS
SEEDS = st.integers(0, 1000)
LONG = "  It's 1234 words, né?\n\n  'll go\t " * 40


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(PATTERNS), st.sampled_from(BEHAVIORS), st.booleans(), TEXTS, SEEDS)
def test_a_streamed_split_cuts_as_the_split_does(
    pattern: str | Pattern, behavior: Behavior, invert: bool, text: str, seed: int
) -> None:
    split = Split(pattern, behavior, invert)
    check_stage(lambda sink: stream_split(split, sink), pre_tokenizer_stage(split), text, seed)


@settings(max_examples=200, deadline=None)
@given(st.booleans(), st.booleans(), ANY_TEXTS, SEEDS)
def test_a_streamed_byte_level_cuts_and_writes_bytes_as_the_pre_tokenizer_does(
    add_prefix_space: bool, use_regex: bool, text: str, seed: int
) -> None:
    byte_level = ByteLevel(add_prefix_space, use_regex)
    check_stage(lambda sink: stream_byte_level(byte_level, sink), pre_tokenizer_stage(byte_level), text, seed)


@settings(max_examples=200, deadline=None)
@given(ANY_TEXTS, SEEDS)
def test_a_streamed_whitespace_cuts_as_the_pre_tokenizer_does(text: str, seed: int) -> None:
    whitespace = Whitespace()
    check_stage(lambda sink: stream_whitespace(whitespace, sink), pre_tokenizer_stage(whitespace), text, seed)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from([r"[\r\n]", r"\p{N}", r" ?\p{L}+|\p{S}", r"(?<!\s)\s+\Z", "[一-龥]+", r"\s+(?!\S)|\s+"]),
    st.sampled_from(READINGS),
    ANY_TEXTS,
    SEEDS,
)
def test_a_streamed_split_of_llama_cpp_cuts_as_the_split_does(
    expression: str, reading: Reading, text: str, seed: int
) -> None:
    split = RegexSplit(expression, reading)
    check_stage(lambda sink: stream_regex_split(split, sink), pre_tokenizer_stage(split), text, seed)


@pytest.mark.parametrize(
    ("behavior", "invert", "expected"),
    [
        ("Isolated", False, ["a", "-", "-"]),
        ("Removed", False, ["a"]),
        ("Removed", True, ["-", "-"]),
        ("Contiguous", False, ["a"]),
        ("MergedWithPrevious", False, ["a-", "-"]),
        ("MergedWithPrevious", True, ["a", "-"]),
        ("MergedWithNext", False, ["a", "-"]),
        ("MergedWithNext", True, ["a-", "-"]),
    ],
)
def test_a_part_ends_as_soon_as_both_neighbours_are_known(
    behavior: Behavior, invert: bool, expected: list[str]
) -> None:
    recorder = PartRecorder()
    stream_split(Split("-", behavior, invert), recorder).text("a--")
    assert recorder.items == expected


def test_the_text_of_a_gap_goes_on_before_the_gap_has_ended() -> None:
    recorder = PartRecorder()
    stage = stream_split(Split(compile_oniguruma(r"\d+"), "Isolated", False), recorder)
    stage.text("ab")
    assert (recorder.open, recorder.items, stage.held) == ("ab", [], 0)
    stage.text("c1")
    assert (recorder.open, stage.held) == ("abc", 1)
    stage.text(" ")
    assert recorder.items == ["abc", "1"]


@pytest.mark.parametrize("size", [1, 100, 256, len(LONG)])
def test_many_parts_at_once_are_those_that_come_one_by_one(size: int) -> None:
    places = range(size, len(LONG), size)
    byte_level = ByteLevel(add_prefix_space=True, use_regex=True)
    expected = pre_tokenizer_stage(byte_level)(LONG)
    check_chunks(lambda sink: stream_byte_level(byte_level, sink), expected, LONG, places)
    for behavior in BEHAVIORS:
        split = Split(compile_oniguruma(r"\w+"), behavior, False)
        expected = pre_tokenizer_stage(split)(LONG)
        check_chunks(lambda sink, split=split: stream_split(split, sink), expected, LONG, places)


def test_whole_parts_are_handed_on_together() -> None:
    counts: list[int] = []

    class Counting(PartRecorder):
        def pre_tokens(self, pre_tokens: list[str]) -> None:
            counts.append(len(pre_tokens))

    stage = stream_byte_level(ByteLevel(add_prefix_space=False, use_regex=True), Counting())
    for fragment in cut_at("some words " * 100, range(0, 1100, 550)):
        stage.text(fragment)
    assert counts == [100, 100]


def test_a_split_that_waits_for_the_end_of_a_part_says_why() -> None:
    recorder = PartRecorder()
    stage = stream_split(Split(compile_oniguruma(r"(a|b)\1"), "Isolated", False), recorder)
    assert r"'(a|b)\\1'" in stage.held_until_end
    stage.text("aab")
    assert (recorder.items, stage.held) == ([], 3)
    stage.end_pre_token()
    assert recorder.items == ["aa", "b"]
