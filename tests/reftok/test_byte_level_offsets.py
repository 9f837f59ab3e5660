from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reftok
from reftok.added_tokens import AddedVocabulary
from reftok.byte_level_offsets import byte_level_encoding
from reftok.patterns import compile_oniguruma
from reftok.pretokenizers import ByteLevel, Split
from reftok.trace import to_encoding

ASCII = st.text(st.characters(max_codepoint=127), max_size=60)
TEXTS = (
    ASCII
    | st.text(
        st.sampled_from("ab 1.\n\u00e9\u043f\u0440\u3042\u8a9e\u0e01\u0301\u212b\U0001f600\U0001f1e6"), max_size=40
    )
    | st.text(max_size=20)
)
PATTERNS = [r"\p{L}+", r" ?\w+|\d", "a*", "(?=b)|c", "ab|.", r"\s+(?!\S)|\s", "(ab)+c?"]


@pytest.mark.parametrize("name", ["bpe-gpt2", "bpe-qwen", "bpe-llama3"])
@settings(max_examples=100)
@given(text=TEXTS, sequence_id=st.integers(0, 1))
def test_text_has_the_tokens_and_offsets_of_the_plain_way(name: str, text: str, sequence_id: int) -> None:
    tokenizer = reftok.load(name)
    found = byte_level_encoding(tokenizer, text, sequence_id)
    expected = to_encoding(tokenizer._splits(text, None), sequence_id)
    assert found == expected or (found is None and unicodedata.normalize("NFC", text) != text)


@pytest.mark.parametrize("pattern", PATTERNS)
@settings(max_examples=100)
@given(text=st.text("abc1 \n.\u00e9", max_size=12) | TEXTS)
def test_whatever_the_pattern_matches_the_words_are_those_of_the_plain_way(pattern: str, text: str) -> None:
    steps = Split(compile_oniguruma(pattern), "Isolated", False), ByteLevel(False, False)
    tokenizer = replace(reftok.load("bpe-qwen"), pre_tokenizers=steps, added_tokens=AddedVocabulary())
    found = byte_level_encoding(tokenizer, text)
    expected = to_encoding(tokenizer._splits(text, None))
    assert found == expected or (found is None and unicodedata.normalize("NFC", text) != text)


def test_a_gap_that_comes_in_two_pieces_is_one_word() -> None:
    steps = Split(compile_oniguruma("ab"), "Isolated", False), ByteLevel(False, False)
    tokenizer = replace(reftok.load("bpe-qwen"), pre_tokenizers=steps, added_tokens=AddedVocabulary())
    found = byte_level_encoding(tokenizer, "xxa")
    assert found is not None
    assert set(found.word_ids) == {0}


@pytest.mark.parametrize("text", ["he\u0301", "a<|endoftext|>b"])
def test_text_that_is_normalized_and_added_tokens_go_the_plain_way(text: str) -> None:
    tokenizer = reftok.load("bpe-qwen")
    assert byte_level_encoding(tokenizer, text) is None
    assert tokenizer.encode(text).ids == tokenizer.encode_ids(text)
