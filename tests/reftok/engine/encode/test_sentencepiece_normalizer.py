"""The normalizer of sentencepiece makes the same text of a stream as of the whole, wherever it is cut."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.engine.encode.sentencepiece_normalizer import StreamedSentencePieceNormalizer
from reftok.rules.sentencepiece.normalizer import NormalizerOptions, SentencePieceNormalizer
from reftok.rules.sentencepiece.pieces import PrefixMatcher
from reftok.unicode.charsmap import Charsmap

from ...protobuf_writer import compile_charsmap
from ...sentencepiece_strategies import charsmap, inputs, rules
from ..stage_comparison import PartRecorder, check_stage

ALL_OPTIONS = [NormalizerOptions(*flags) for flags in itertools.product([False, True], repeat=4)]
SYMBOLS = st.lists(st.text("ab A▁x", min_size=1, max_size=4), max_size=4).map(PrefixMatcher)


def check(normalizer: SentencePieceNormalizer, text: str, seed: int = 0) -> None:
    def stage(part: str) -> list[str]:
        normalized, _ = normalizer.rewrite(part)
        return [normalized] if normalized else []

    check_stage(lambda sink: StreamedSentencePieceNormalizer(normalizer, sink), stage, text, seed)


def decoded(text: str | bytes) -> str:
    return text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")


@settings(max_examples=150)
@given(st.sampled_from(ALL_OPTIONS), st.booleans(), st.none() | SYMBOLS, inputs, st.integers(0, 999))
def test_any_chunks_give_what_the_whole_gives(
    options: NormalizerOptions, has_rules: bool, symbols: PrefixMatcher | None, text: str | bytes, seed: int
) -> None:
    normalizer = SentencePieceNormalizer(options, Charsmap(charsmap()) if has_rules else None, symbols)
    check(normalizer, decoded(text), seed)


@settings(max_examples=100)
@given(st.sampled_from(ALL_OPTIONS), rules, st.text("aé中\u3000 ▁", max_size=40), st.integers(0, 999))
def test_any_rules_give_what_the_whole_gives(
    options: NormalizerOptions, rules: dict[str, str], text: str, seed: int
) -> None:
    changing = {old: new for old, new in rules.items() if old != new}
    normalizer = SentencePieceNormalizer(options, Charsmap(compile_charsmap(changing)) if changing else None)
    check(normalizer, text, seed)
    check(normalizer, text, seed)


ascii_rules = st.dictionaries(
    st.text("ab \t\u0301", min_size=1, max_size=3), st.text("ab  é", max_size=3), max_size=5
).map(lambda rules: {old: new for old, new in rules.items() if old != new})
ASCII_SYMBOLS = st.lists(st.text("ab \u0301", min_size=1, max_size=3), max_size=2).map(PrefixMatcher)


def test_spaces_that_a_rule_makes_are_held_as_they_are_written_in_the_end() -> None:
    normalizer = SentencePieceNormalizer(NormalizerOptions(), Charsmap(compile_charsmap({"a": "▁ "})))
    check(normalizer, "aa")


@pytest.mark.parametrize("text", [" a", "  a", "   a  a"])
def test_the_last_space_at_the_start_may_belong_to_a_rule(text: str) -> None:
    check(SentencePieceNormalizer(NormalizerOptions(), Charsmap(compile_charsmap({" a": "b"}))), text)


@settings(max_examples=150)
@given(
    st.sampled_from(ALL_OPTIONS),
    ascii_rules,
    st.none() | ASCII_SYMBOLS,
    st.text("ab \tc", min_size=16, max_size=50),
    st.sampled_from(["", "\0", "\u0301", "é", "a\u0301  "]),
    st.integers(0, 999),
)
def test_rules_and_symbols_that_begin_in_ascii(
    options: NormalizerOptions, rules: dict[str, str], symbols: PrefixMatcher | None, text: str, end: str, seed: int
) -> None:
    normalizer = SentencePieceNormalizer(options, Charsmap(compile_charsmap(rules)) if rules else None, symbols)
    check(normalizer, text + end, seed)
    check(normalizer, text + end + text, seed)


@pytest.mark.parametrize("text", ["", " ", "   ", "▁", " ▁ ", "x", " x ", "\u200b", "… …", "a  …  b", "  ab  ab "])
@pytest.mark.parametrize("options", ALL_OPTIONS, ids=str)
def test_texts_of_which_little_is_left(options: NormalizerOptions, text: str) -> None:
    check(SentencePieceNormalizer(options, Charsmap(charsmap())), text)
    check(SentencePieceNormalizer(options), text)


def fed(normalizer: SentencePieceNormalizer, *fragments: str) -> tuple[str, int]:
    recorder = PartRecorder()
    stage = StreamedSentencePieceNormalizer(normalizer, recorder)
    for fragment in fragments:
        stage.text(fragment)
    return recorder.open, stage.held


def test_without_rules_only_spaces_wait() -> None:
    assert fed(SentencePieceNormalizer(), "  ", "a ", "b", " ", " ") == ("▁a▁b", 1)
    keeping = SentencePieceNormalizer(NormalizerOptions(remove_extra_whitespaces=False))
    assert fed(keeping, "  ", "a ", " ") == ("▁▁▁a▁▁", 0)


def test_what_a_longer_rule_may_match_waits() -> None:
    normalizer = SentencePieceNormalizer(charsmap=Charsmap(charsmap()))
    assert fed(normalizer, "b中国") == ("▁b", 2)
    assert fed(normalizer, "b中国", "b") == ("▁bbb", 0)


def test_the_last_character_of_a_long_text_waits_for_a_rule_that_goes_on_outside_ascii() -> None:
    normalizer = SentencePieceNormalizer(charsmap=Charsmap(compile_charsmap({"a\u0301": "x"})))
    assert fed(normalizer, "b" * 20 + "a") == ("▁" + "b" * 20, 1)
    assert fed(normalizer, "b" * 20 + "a", "\u0301c") == ("▁" + "b" * 20 + "xc", 0)


def test_the_beginning_of_a_symbol_waits() -> None:
    normalizer = SentencePieceNormalizer(symbols=PrefixMatcher(["<sep>"]))
    assert fed(normalizer, "a<", "se") == ("▁a", 3)
    assert fed(normalizer, "a<se", " ") == ("▁a<se", 1)
