from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.engine.offsets.byte_level import byte_level_encoding
from reftok.errors import ModelFormatError
from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.huggingface.normalizers import NFD, NFKC, Lowercase, Prepend, Replace, Strip
from reftok.rules.huggingface.pre_tokenizers import ByteLevel, Split
from reftok.rules.patterns import compile_oniguruma
from reftok.rules.stages import Normalizer
from reftok.rules.types import AddedToken, Encoding
from reftok.tokenizer import Tokenizer
from tests.models import load

ASCII = st.text(st.characters(max_codepoint=127), max_size=60)
TEXTS = (
    ASCII
    | st.text(
        st.sampled_from("ab 1.\n\u00e9\u043f\u0440\u3042\u8a9e\u0e01\u0301\u212b\U0001f600\U0001f1e6"), max_size=40
    )
    | st.text(max_size=20)
)
PATTERNS = [r"\p{L}+", r" ?\w+|\d", "a*", "(?=b)|c", "ab|.", r"\s+(?!\S)|\s", "(ab)+c?"]


@cache
def cut_by(pattern: str) -> Tokenizer:
    steps = Split(compile_oniguruma(pattern), "Isolated", False), ByteLevel(False, False)
    return Tokenizer(replace(load("bpe-qwen").rules, pre_tokenizers=steps, added_tokens=AddedVocabulary()))


def by_words(tokenizer: Tokenizer, text: str, sequence_id: int = 0) -> Encoding | None:
    """The tokens of a text from its words; None where they are not told by these."""
    return byte_level_encoding(tokenizer.engine.encoder, tokenizer.engine.fast, text, sequence_id)


@pytest.mark.parametrize("name", ["bpe-gpt2", "bpe-qwen", "bpe-llama3"])
@settings(max_examples=100)
@given(text=TEXTS, sequence_id=st.integers(0, 1))
def test_text_has_the_tokens_and_offsets_of_the_plain_way(name: str, text: str, sequence_id: int) -> None:
    tokenizer = load(name)
    found = by_words(tokenizer, text, sequence_id)
    expected = tokenizer.rules.tokens_of(text, sequence_id)
    assert found == expected


@pytest.mark.parametrize("pattern", PATTERNS)
@settings(max_examples=100)
@given(text=st.text("abc1 \n.\u00e9", max_size=12) | TEXTS)
def test_whatever_the_pattern_matches_the_words_are_those_of_the_plain_way(pattern: str, text: str) -> None:
    tokenizer = cut_by(pattern)
    found = by_words(tokenizer, text)
    expected = tokenizer.rules.tokens_of(text)
    assert found == expected


def test_a_gap_that_comes_in_two_pieces_is_one_word() -> None:
    found = by_words(cut_by("ab"), "xxa")
    assert found is not None
    assert set(found.word_ids) == {0}


NORMALIZERS = [
    (Lowercase(), NFD()),
    (Replace("a", ""), Prepend("\u00e9")),
    (Strip(True, True), NFKC()),
    (Replace("b", "\u3042x"),),
]


@pytest.mark.parametrize("normalizers", NORMALIZERS)
@settings(max_examples=100)
@given(text=st.text("ab A1\u00e9\u0301\u3042\ufb01", max_size=12) | TEXTS, has_token=st.booleans())
def test_whatever_the_normalizers_do_the_offsets_are_those_of_the_plain_way(
    normalizers: tuple[Normalizer, ...], text: str, has_token: bool
) -> None:
    vocabulary = AddedVocabulary([AddedToken("1"), AddedToken("bb", normalized=True)], {"1": 9000, "bb": 9001})
    added_tokens = vocabulary if has_token else AddedVocabulary()
    tokenizer = Tokenizer(replace(load("bpe-qwen").rules, normalizers=normalizers, added_tokens=added_tokens))
    assert by_words(tokenizer, text) == tokenizer.rules.tokens_of(text)


@pytest.mark.parametrize(
    "normalizers", [(Prepend(" b" * 510_000),), (Replace("a", "a" * 1_000), Replace("a", " b" * 510))]
)
def test_normalizers_that_blow_a_text_up_are_refused(normalizers: tuple[Normalizer, ...]) -> None:
    tokenizer = Tokenizer(replace(load("bpe-qwen").rules, normalizers=normalizers, added_tokens=AddedVocabulary()))
    with pytest.raises(ModelFormatError, match="makes 10"):
        tokenizer.encode("a")


ADDED_TOKENS = st.builds(
    AddedToken,
    st.sampled_from(["<a>", "b", " c", "\u00e9\u3042", "1 "]),
    *[st.booleans() for _ in range(5)],
)


@settings(max_examples=100)
@given(
    st.lists(ADDED_TOKENS, max_size=4, unique_by=lambda token: token.content),
    st.booleans(),
    st.lists(st.sampled_from(["<a>", "b", " c", "\u00e9\u3042", "1 ", " ", "x y", "\u8a9e"]), max_size=8).map("".join),
)
def test_around_added_tokens_there_are_the_tokens_of_the_plain_way(
    added: list[AddedToken], encode_special_tokens: bool, text: str
) -> None:
    tokenizer = load("bpe-qwen")
    vocabulary = AddedVocabulary(added, {token.content: 9000 + number for number, token in enumerate(added)})
    tokenizer = Tokenizer(
        replace(tokenizer.rules, added_tokens=vocabulary, encode_special_tokens=encode_special_tokens)
    )
    assert by_words(tokenizer, text) == tokenizer.rules.tokens_of(text)


@settings(max_examples=50)
@given(st.text("ab1 \n.\u00e9", max_size=12) | TEXTS)
def test_where_gaps_are_lost_the_tokens_are_those_of_the_plain_way(text: str) -> None:
    for pattern in (r"\w+", r"\w+|\W"):
        steps = Split(compile_oniguruma(pattern), "Removed", True), ByteLevel(False, False)
        tokenizer = Tokenizer(replace(load("bpe-llama3").rules, pre_tokenizers=steps, added_tokens=AddedVocabulary()))
        found = by_words(tokenizer, text)
        assert found is None or found == tokenizer.rules.tokens_of(text)


def test_a_gap_that_is_lost_is_no_token() -> None:
    steps = Split(compile_oniguruma(r"\w+"), "Removed", True), ByteLevel(False, False)
    tokenizer = Tokenizer(replace(load("bpe-qwen").rules, pre_tokenizers=steps))
    assert tokenizer.encode("a b").tokens == ["a", "b"]
    assert by_words(tokenizer, "ab") is not None
