from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .official import Json, added, assert_same_encoding, bpe, chain, official_parts, own_parts, tokenizer_json
from .tokenizers_strategies import pre_tokenizers, texts

BYTE_LEVEL: Json = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
METASPACE: Json = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
WORDS: Json = {"type": "WhitespaceSplit"}


def assert_same(pre_tokenizer: Json, text: str) -> list[str]:
    parts = own_parts(pre_tokenizer, text)
    assert parts == official_parts(pre_tokenizer, text)
    return [part for part, _ in parts]


@settings(max_examples=800)
@given(st.lists(pre_tokenizers, min_size=1, max_size=3), texts)
def test_chains_of_pre_tokenizers_cut_as_in_the_library(steps: list[Json], text: str) -> None:
    pre_tokenizer = chain("pretokenizers", steps)
    assert pre_tokenizer is not None
    assert_same(pre_tokenizer, text)


@settings(max_examples=300)
@given(texts)
def test_the_pattern_of_gpt2_cuts_as_in_the_library(text: str) -> None:
    assert_same(BYTE_LEVEL, text)


def test_a_prefix_space_goes_before_every_part_that_does_not_start_with_one() -> None:
    steps = [WORDS, {**BYTE_LEVEL, "add_prefix_space": True}]
    assert assert_same({"type": "Sequence", "pretokenizers": steps}, "a b") == ["Ġa", "Ġb"]
    assert assert_same({**BYTE_LEVEL, "add_prefix_space": True}, " a") == ["Ġa"]


def test_every_byte_shares_the_span_of_its_character() -> None:
    assert own_parts({**BYTE_LEVEL, "use_regex": False}, "é") == [("Ã©", (0, 1))]


def test_contractions_are_cut_only_with_a_straight_apostrophe_and_in_lower_case() -> None:
    assert assert_same(BYTE_LEVEL, "don't DON'T")[:2] == ["don", "'t"]
    assert assert_same(BYTE_LEVEL, "DON'T") == ["DON", "'", "T"]


def test_the_last_of_several_spaces_goes_with_the_word() -> None:
    assert assert_same(BYTE_LEVEL, "a   b  ") == ["a", "ĠĠ", "Ġb", "ĠĠ"]


def test_only_the_space_becomes_a_metaspace() -> None:
    assert assert_same(METASPACE, "a\tb\u3000c d") == ["▁a\tb\u3000c", "▁d"]


def test_metaspaces_that_are_written_out_cut_too() -> None:
    assert assert_same(METASPACE, "a▁b ▁c") == ["▁a", "▁b", "▁", "▁c"]


@pytest.mark.parametrize(("scheme", "expected"), [("always", "▁b"), ("first", "b"), ("never", "b")])
def test_a_part_after_the_first_gets_a_metaspace_only_always(scheme: str, expected: str) -> None:
    pre_tokenizer = {"type": "Sequence", "pretokenizers": [WORDS, {**METASPACE, "prepend_scheme": scheme}]}
    assert assert_same(pre_tokenizer, "a b")[1] == expected


def test_first_means_first_in_the_original_text() -> None:
    pre_tokenizer: Json = {**METASPACE, "prepend_scheme": "first"}
    vocab = ["▁", "▁a", "a", "▁b", "b", "▁x", "x", " "]
    config = tokenizer_json(
        bpe(vocab, [("▁", "a"), ("▁", "b"), ("▁", "x")]),
        [added("<s>")],
        normalizer={"type": "Replace", "pattern": {"Regex": "^ +"}, "content": ""},
        pre_tokenizer=pre_tokenizer,
    )
    for text in ("a", " a", "<s>a", " <s>a b", "a<s>b"):
        assert_same_encoding(config, text)


def test_without_split_the_text_stays_whole() -> None:
    assert assert_same({**METASPACE, "split": False}, "a b") == ["▁a▁b"]


def test_white_space_goes_and_information_separators_stay() -> None:
    assert assert_same(WORDS, " a\x1cb\x85c\u2003\u3000d ") == ["a\x1cb", "c", "d"]


def test_zero_width_matches_cut() -> None:
    split: Json = {"type": "Split", "pattern": {"Regex": "(?=b)"}, "behavior": "Isolated", "invert": False}
    assert assert_same(split, "abab") == ["a", "ba", "b"]


def test_a_string_pattern_is_no_regular_expression() -> None:
    split: Json = {"type": "Split", "pattern": {"String": "."}, "behavior": "Removed", "invert": False}
    assert assert_same(split, "a.b") == ["a", "b"]


def test_inverted_the_gaps_are_the_delimiters() -> None:
    split: Json = {"type": "Split", "pattern": {"Regex": r"\p{L}+"}, "behavior": "Removed", "invert": True}
    assert assert_same(split, "1ab2c") == ["ab", "c"]
