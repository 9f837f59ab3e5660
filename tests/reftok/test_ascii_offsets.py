from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reftok
from reftok.added_tokens import AddedVocabulary
from reftok.ascii_offsets import ascii_encoding
from reftok.patterns import compile_oniguruma
from reftok.pretokenizers import ByteLevel, Split
from reftok.trace import to_encoding

ASCII = st.text(st.characters(max_codepoint=127), max_size=60)
PATTERNS = [r"\p{L}+", r" ?\w+|\d", "a*", "(?=b)|c", "ab|.", r"\s+(?!\S)|\s", "(ab)+c?"]


@pytest.mark.parametrize("name", ["bpe-gpt2", "bpe-qwen", "bpe-llama3"])
@settings(max_examples=100)
@given(text=ASCII, sequence_id=st.integers(0, 1))
def test_ascii_text_has_the_tokens_and_offsets_of_the_plain_way(name: str, text: str, sequence_id: int) -> None:
    tokenizer = reftok.load(name)
    found = ascii_encoding(tokenizer, text, sequence_id)
    assert found == to_encoding(tokenizer._splits(text, None), sequence_id)


@pytest.mark.parametrize("pattern", PATTERNS)
@settings(max_examples=100)
@given(text=st.text("abc1 \n.", max_size=12) | ASCII)
def test_whatever_the_pattern_matches_the_words_are_those_of_the_plain_way(pattern: str, text: str) -> None:
    steps = Split(compile_oniguruma(pattern), "Isolated", False), ByteLevel(False, False)
    tokenizer = replace(reftok.load("bpe-qwen"), pre_tokenizers=steps, added_tokens=AddedVocabulary())
    assert ascii_encoding(tokenizer, text) == to_encoding(tokenizer._splits(text, None))


def test_a_gap_that_comes_in_two_pieces_is_one_word() -> None:
    steps = Split(compile_oniguruma("ab"), "Isolated", False), ByteLevel(False, False)
    tokenizer = replace(reftok.load("bpe-qwen"), pre_tokenizers=steps, added_tokens=AddedVocabulary())
    found = ascii_encoding(tokenizer, "xxa")
    assert found is not None
    assert set(found.word_ids) == {0}


@pytest.mark.parametrize("text", ["h\u00e9", "a<|endoftext|>b"])
def test_other_characters_and_added_tokens_go_the_plain_way(text: str) -> None:
    tokenizer = reftok.load("bpe-qwen")
    assert ascii_encoding(tokenizer, text) is None
    assert tokenizer.encode(text).ids == tokenizer.encode_ids(text)
