from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.errors import UnsupportedFeature
from reftok.rules.huggingface.wordpiece import WordPiece
from reftok.rules.longest_first import EntriesByBeginning

from ...official import Json, assert_same_encoding, own, tokenizer_json, wordpiece

BERT = ["[UNK]", "un", "una", "##able", "##ble", "##a", "é", "##é", "##中", "b"]
TOKENS: dict[str, tuple[Json, str, list[str]]] = {
    "the longest beginning is taken": (wordpiece(BERT), "unable", ["una", "##ble"]),
    "though a shorter one would lead on": (wordpiece([*BERT, "unab"]), "unable", ["[UNK]"]),
    "one part that fits no token makes the word unknown": (wordpiece(BERT), "uné中x", ["[UNK]"]),
    "the length of a word is in code points": (
        wordpiece(BERT, max_input_chars_per_word=3), "éé中", ["é", "##é", "##中"],
    ),
    "a word that is too long is unknown": (wordpiece(BERT, max_input_chars_per_word=3), "éé中é", ["[UNK]"]),
    "the prefix alone is never taken": (wordpiece(["[UNK]", "a", "##"]), "ab", ["[UNK]"]),
    "nor is nothing": (wordpiece(["[UNK]", "a", ""], continuing_subword_prefix=""), "aab", ["[UNK]"]),
    "without a prefix tokens begin and continue words": (
        wordpiece(["[UNK]", "a", "ab"], continuing_subword_prefix=""), "aaba", ["a", "ab", "a"],
    ),
    "a prefix of a million characters": (
        wordpiece(["[UNK]", "a"], continuing_subword_prefix="#" * 1_000_000), "a" * 50, ["[UNK]"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TOKENS)
def test_a_word_has_the_tokens_of_the_library(name: str) -> None:
    model, text, tokens = TOKENS[name]
    assert assert_same_encoding(tokenizer_json(model), text).tokens == tokens


@settings(max_examples=300)
@given(st.lists(st.text("ab", max_size=5)), st.text("ab", max_size=8), st.integers(0, 8))
def test_every_entry_that_a_text_goes_on_with_is_found_the_longest_first(
    entries: list[str], text: str, start: int
) -> None:
    unique = set(entries)
    expected = sorted((entry for entry in unique if entry and text.startswith(entry, start)), key=len, reverse=True)
    assert list(EntriesByBeginning(unique).at(text, start)) == expected


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
