"""A pre-tokenizer cuts a stream as it cuts the whole, wherever the stream is cut, and says so at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.engine.encode.pre_tokenizers import stream_pre_tokenizer
from reftok.engine.sinks import TextSink
from reftok.rules.huggingface.pre_tokenizers import (
    BertPreTokenizer,
    CharDelimiterSplit,
    Digits,
    FixedLength,
    Metaspace,
    PrependScheme,
    Punctuation,
    UnicodeScripts,
    WhitespaceSplit,
)
from reftok.rules.llama_cpp.pre_tokenizers import ByteCharacters, DigitGroups, ThousandsSplit
from reftok.rules.llama_cpp.wpm import BertWords, stands_alone
from reftok.rules.stages import PreTokenizer
from reftok.rules.text import JOINED, Part

from ...tokenizers_strategies import texts
from ..stage_comparison import PartRecorder, check_stage, pre_tokenizer_stage

SCHEMES: list[PrependScheme] = ["first", "never", "always"]
METASPACES = [Metaspace(*options) for options in product("▁é", SCHEMES, (True, False))]
PUNCTUATIONS = [Punctuation(behavior) for behavior in JOINED]
CUTTERS = [
    *PUNCTUATIONS,
    Digits(True),
    Digits(False),
    WhitespaceSplit(),
    CharDelimiterSplit("a"),
    CharDelimiterSplit("-"),
    BertPreTokenizer(),
    UnicodeScripts(),
    FixedLength(1),
    FixedLength(2),
    FixedLength(5),
]
OF_LLAMA = [ByteCharacters(), BertWords(), DigitGroups(), ThousandsSplit()]
EVERY = [*METASPACES, *CUTTERS, *OF_LLAMA]

CUT_TEXT = st.text(st.sampled_from([*"  aé▁-.,$12½٣ж漢かー\t\n\u3000\u0301\u0378😀אب\u1100\x1c\x85_"]), max_size=16)
NUMBERS = st.text(st.sampled_from([*"1234567 a½٣"]), max_size=30)


def check(pre_tokenizer: PreTokenizer, text: str, seed: int = 0) -> None:
    stage = pre_tokenizer_stage(pre_tokenizer)
    check_stage(lambda sink: stream_pre_tokenizer(pre_tokenizer, sink), stage, text, seed)


@settings(max_examples=150)
@given(st.sampled_from(EVERY), texts | CUT_TEXT, st.integers(0, 999))
def test_any_chunks_are_cut_as_the_whole_is(pre_tokenizer: PreTokenizer, text: str, seed: int) -> None:
    check(pre_tokenizer, text, seed)


@settings(max_examples=100)
@given(st.sampled_from([DigitGroups(), ThousandsSplit()]), NUMBERS, st.integers(0, 999))
def test_numbers_are_grouped_from_their_end(pre_tokenizer: PreTokenizer, text: str, seed: int) -> None:
    check(pre_tokenizer, text, seed)


@given(st.lists(st.sampled_from(EVERY), min_size=2, max_size=3), CUT_TEXT, st.integers(0, 999))
def test_pre_tokenizers_behind_each_other_cut_as_the_whole_is(
    steps: Sequence[PreTokenizer], text: str, seed: int
) -> None:
    class Line:
        def pre_tokenize(self, splits: Sequence[Part]) -> list[Part]:
            for step in steps:
                splits = step.pre_tokenize(splits)
            return list(splits)

    def stream(sink: TextSink) -> TextSink:
        for step in reversed(steps):
            sink = stream_pre_tokenizer(step, sink)
        return sink

    check_stage(stream, pre_tokenizer_stage(Line()), text, seed)


def fed(pre_tokenizer: PreTokenizer, *fragments: str) -> tuple[list[str], str]:
    """The parts that have ended, and the one that has not."""
    recorder = PartRecorder()
    stage = stream_pre_tokenizer(pre_tokenizer, recorder)
    for fragment in fragments:
        stage.text(fragment)
        assert stage.held == 0
    return [item for item in recorder.items if not isinstance(item, int)], recorder.open


def test_nothing_is_held_and_a_part_ends_as_soon_as_it_is_decided() -> None:
    assert fed(Metaspace("▁", "always", True), "a b", " ") == (["▁a", "▁b"], "▁")
    assert fed(Metaspace("▁", "always", False), "a b", " ") == ([], "▁a▁b▁")
    assert fed(WhitespaceSplit(), "a b", " ") == (["a", "b"], "")
    assert fed(Digits(True), "a12") == (["a", "1", "2"], "")
    assert fed(Digits(False), "a12") == (["a"], "12")
    assert fed(Punctuation("MergedWithPrevious"), "a.", "b") == (["a."], "b")
    assert fed(Punctuation("MergedWithNext"), "a.", "b") == (["a"], ".b")
    assert fed(BertPreTokenizer(), "a, b") == (["a", ","], "b")
    assert fed(UnicodeScripts(), " Go ", "ж ") == (["Go "], "ж ")
    assert fed(FixedLength(2), "abc") == (["ab"], "c")


def test_a_run_of_numbers_waits_for_its_end() -> None:
    recorder = PartRecorder()
    stage = stream_pre_tokenizer(DigitGroups(), recorder)
    stage.text("ab12")
    stage.text("34")
    assert (recorder.open, stage.held) == ("ab", 4)
    stage.text("c")
    assert (recorder.items, recorder.open, stage.held) == (["ab1", "234"], "c", 0)


def test_a_run_of_numbers_of_one_part_is_not_held_in_the_next() -> None:
    recorder = PartRecorder()
    stage = stream_pre_tokenizer(DigitGroups(), recorder)
    for _ in range(2):
        stage.text("12")
        assert stage.held == 2
        stage.end_pre_token()
        assert stage.held == 0


def test_an_unknown_pre_tokenizer_holds_each_part_and_is_named() -> None:
    class Whole:
        def pre_tokenize(self, splits: Sequence[Part]) -> list[Part]:
            return list(splits)

    stage = stream_pre_tokenizer(Whole(), PartRecorder())
    assert stage.held_until_end == "Whole is not streamed"


@pytest.mark.parametrize("pre_tokenizer", EVERY, ids=str)
def test_nothing_here_held_until_end(pre_tokenizer: PreTokenizer) -> None:
    assert stream_pre_tokenizer(pre_tokenizer, PartRecorder()).held_until_end == ""


def test_no_character_of_the_higher_planes_stands_alone() -> None:
    assert not any(stands_alone(chr(code)) for code in range(0x30000, 0x110000))
