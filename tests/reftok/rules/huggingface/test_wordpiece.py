from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.rules.huggingface.wordpiece import WordPiece
from reftok.rules.longest_first import EntriesByBeginning

from ...official import Json, assert_same_encoding, official, outcome, own, tokenizer_json, wordpiece
from ...tokenizers_strategies import wordpiece_models, words
from .rows import byte_rows

BERT = ["[UNK]", "un", "una", "##able", "##ble", "##a", "é", "##é", "##中", "b"]


def assert_same(model: Json, text: str) -> list[str]:
    return list(assert_same_encoding(tokenizer_json(model), text).tokens)


@settings(max_examples=400)
@given(wordpiece_models(), st.lists(words, min_size=1, max_size=5))
def test_every_model_gives_the_tokens_and_offsets_of_the_library(model: Json, inputs: list[str]) -> None:
    ours, theirs = own(tokenizer_json(model)).rules.model, official(tokenizer_json(model)).model
    for text in inputs:
        assert outcome(partial(byte_rows, ours, text)) == outcome(partial(byte_rows, theirs, text))


@settings(max_examples=300)
@given(st.lists(st.text("ab", max_size=5)), st.text("ab", max_size=8), st.integers(0, 8))
def test_every_entry_that_a_text_goes_on_with_is_found_the_longest_first(
    entries: list[str], text: str, start: int
) -> None:
    unique = set(entries)
    expected = sorted((entry for entry in unique if entry and text.startswith(entry, start)), key=len, reverse=True)
    assert list(EntriesByBeginning(unique).at(text, start)) == expected


def test_the_longest_beginning_is_taken_though_a_shorter_one_would_lead_on() -> None:
    assert assert_same(wordpiece(BERT), "unable") == ["una", "##ble"]
    assert assert_same(wordpiece([*BERT, "unab"]), "unable") == ["[UNK]"]


def test_a_word_with_one_part_that_no_token_fits_is_unknown_as_a_whole() -> None:
    encoding = assert_same_encoding(tokenizer_json(wordpiece(BERT)), "uné中x")
    assert (encoding.tokens, encoding.offsets) == (["[UNK]"], [(0, 5)])


def test_offsets_count_code_points_and_leave_the_prefix_out() -> None:
    assert assert_same_encoding(tokenizer_json(wordpiece(BERT)), "éé中").offsets == [(0, 1), (1, 2), (2, 3)]


def test_the_length_of_a_word_is_counted_in_code_points() -> None:
    model = wordpiece(BERT, max_input_chars_per_word=3)
    assert assert_same(model, "éé中") == ["é", "##é", "##中"]
    assert assert_same(model, "éé中é") == ["[UNK]"]


def test_a_token_that_is_nothing_but_the_prefix_is_never_taken() -> None:
    assert assert_same(wordpiece(["[UNK]", "a", "##"]), "ab") == ["[UNK]"]
    assert assert_same(wordpiece(["[UNK]", "a", ""], continuing_subword_prefix=""), "aab") == ["[UNK]"]


def test_without_a_prefix_the_same_tokens_begin_and_continue_words() -> None:
    assert assert_same(wordpiece(["[UNK]", "a", "ab"], continuing_subword_prefix=""), "aaba") == ["a", "ab", "a"]


def test_an_unknown_token_outside_the_vocab_is_an_error_where_it_is_needed() -> None:
    config = tokenizer_json(wordpiece(["a"]))
    assert assert_same_encoding(config, "a").ids == [0]
    assert outcome(lambda: official(config).encode("b")) == "refused"
    with pytest.raises(ModelFormatError, match=r"^tokenizer\.json: model\.unk_token: '\[UNK\]' is not in the vocab"):
        own(config).encode("b")


def test_tokens_longer_than_any_word_cost_nothing() -> None:
    model = WordPiece({"[UNK]": 0, "a" * 10_000_000: 1, "##a": 2, "a": 3})
    assert [token.id for token in model.tokenize("aa")] == [3, 2]


def test_a_hostile_token_in_words_of_any_length_is_refused() -> None:
    model = wordpiece(["[UNK]", "a" * 100_000], max_input_chars_per_word=(1 << 64) - 1)
    with pytest.raises(UnsupportedFeature, match=r"model\.vocab: pieces are too long: the longest has 100000"):
        own(tokenizer_json(model))


def test_a_long_word_takes_no_time_that_grows_with_its_square() -> None:
    model = wordpiece(["[UNK]", "a", "##a", "##" + "a" * 5000 + "b"], max_input_chars_per_word=1 << 63)
    assert len(own(tokenizer_json(model)).encode_ids("a" * 20_000)) == 20_000


def test_a_prefix_of_a_million_characters_is_read() -> None:
    model = wordpiece(["[UNK]", "a"], continuing_subword_prefix="#" * 1_000_000)
    assert assert_same(model, "a" * 50) == ["[UNK]"]
