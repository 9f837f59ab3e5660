from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.inputs.corpora import corpus_files, read_corpus

from ...official import Json, added, assert_same_encoding, bpe, chain, official_parts, own_parts, tokenizer_json
from ...tokenizers_strategies import NORMALIZERS, pre_tokenizers, texts

BYTE_LEVEL: Json = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
METASPACE: Json = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
WORDS: Json = {"type": "WhitespaceSplit"}
WORDS_AND_SIGNS: Json = {"type": "Whitespace"}
BERT: Json = {"type": "BertPreTokenizer"}
PUNCTUATION: Json = {"type": "Punctuation", "behavior": "Isolated"}
DIGITS: Json = {"type": "Digits", "individual_digits": True}
NUMBERS: Json = {"type": "Digits", "individual_digits": False}
DELIMITER: Json = {"type": "CharDelimiterSplit", "delimiter": "a"}
SCRIPTS: Json = {"type": "UnicodeScripts"}
FIXED: Json = {"type": "FixedLength", "length": 2}


def assert_same(pre_tokenizer: Json, text: str) -> list[str]:
    parts = own_parts(pre_tokenizer, text)
    assert parts == official_parts(pre_tokenizer, text)
    return [part for part, _ in parts]


def sequence(*steps: Json) -> Json:
    return {"type": "Sequence", "pretokenizers": list(steps)}


@settings(max_examples=800)
@given(st.lists(pre_tokenizers, min_size=1, max_size=3), texts)
def test_chains_of_pre_tokenizers_cut_as_in_the_library(steps: list[Json], text: str) -> None:
    pre_tokenizer = chain("pretokenizers", steps)
    assert pre_tokenizer is not None
    assert_same(pre_tokenizer, text)


@settings(max_examples=250)
@given(st.lists(st.sampled_from(NORMALIZERS), min_size=1, max_size=2), pre_tokenizers, texts)
def test_normalized_text_is_cut_and_aligned_as_in_the_library(
    normalizers: list[Json], pre_tokenizer: Json, text: str
) -> None:
    a_token_a_character = bpe(["<unk>"], unk_token="<unk>")
    normalizer = chain("normalizers", normalizers)
    assert_same_encoding(tokenizer_json(a_token_a_character, normalizer=normalizer, pre_tokenizer=pre_tokenizer), text)


@cache
def corpora() -> list[str]:
    """The lines of the project's texts in all languages, and its edge cases."""
    cases = [case for path in corpus_files(("languages", "edge_cases")) for case in read_corpus(path)]
    return [case.readable_text for case in cases if ":" in case.origin]


@pytest.mark.parametrize(
    "pre_tokenizer", [WORDS_AND_SIGNS, BERT, NUMBERS, SCRIPTS, FIXED], ids=lambda component: component["type"]
)
def test_the_corpora_are_cut_as_by_the_library(pre_tokenizer: Json) -> None:
    for text in corpora():
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


def test_numbers_are_whole_or_digit_by_digit() -> None:
    assert assert_same(NUMBERS, "a12b3") == ["a", "12", "b", "3"]
    assert assert_same(DIGITS, "a12b3") == ["a", "1", "2", "b", "3"]


def test_fractions_superscripts_and_letters_that_are_numbers_are_digits() -> None:
    assert assert_same(NUMBERS, "½²Ⅳ٣ 一") == ["½²Ⅳ٣", " 一"]


def test_numbers_that_are_new_in_unicode_17_are_digits() -> None:
    assert assert_same(NUMBERS, "a\U00011de0\U00016ff4") == ["a", "\U00011de0\U00016ff4"]


def test_a_delimiter_goes_each_time() -> None:
    assert assert_same({**DELIMITER, "delimiter": "."}, ".a..b c.") == ["a", "b c"]


def test_the_symbols_of_ascii_are_punctuation_and_others_are_not() -> None:
    assert assert_same(PUNCTUATION, "a$b€c—d") == ["a", "$", "b€c", "—", "d"]


def test_punctuation_that_is_new_in_unicode_9_is_none() -> None:
    for component in (PUNCTUATION, BERT):
        assert assert_same(component, "a\u2e43\U0001e95e") == ["a\u2e43\U0001e95e"]


def test_bert_drops_white_space_and_isolates_punctuation() -> None:
    assert assert_same(BERT, " a,b...\u3000c ") == ["a", ",", "b", ".", ".", ".", "c"]


def test_words_have_marks_joiners_and_underscores_but_no_superscripts() -> None:
    words = ["a_1e\u0301\u200d", ",", "b", "²\x1c"]
    assert assert_same(WORDS_AND_SIGNS, "a_1e\u0301\u200d, b²\x1c") == words


def test_letters_that_are_new_in_unicode_17_are_in_no_word() -> None:
    assert assert_same(WORDS_AND_SIGNS, "a\U0001e6c0") == ["a", "\U0001e6c0"]


def test_there_is_a_cut_where_the_script_changes() -> None:
    assert assert_same(SCRIPTS, "漢字かなカナーaж1.e\u0301t") == ["漢字かなカナー", "a", "ж", "1.", "e", "\u0301", "t"]


def test_what_has_no_script_goes_with_the_part_before_it_and_is_lost_at_the_start() -> None:
    assert assert_same(SCRIPTS, " \u0560a b\u0560 ж ") == ["a b\u0560 ", "ж "]
    assert assert_same(SCRIPTS, " ") == []


def test_a_fixed_length_counts_code_points() -> None:
    assert assert_same(FIXED, "é中😀a\u0301") == ["é中", "😀a", "\u0301"]


def test_a_length_may_be_as_great_as_the_library_takes_it() -> None:
    assert assert_same({**FIXED, "length": (1 << 64) - 1}, "abc") == ["abc"]


def test_sequences_in_sequences_run_in_the_order_of_their_members() -> None:
    inner = sequence(FIXED, NUMBERS)
    assert assert_same(inner, "a12b") == ["a", "1", "2", "b"]
    assert assert_same(sequence(NUMBERS, sequence(), inner, WORDS), "a12b c") == ["a", "12", "b", "c"]
