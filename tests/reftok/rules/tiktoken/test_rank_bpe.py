from __future__ import annotations

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.rules.byte_level import to_byte_characters
from reftok.rules.merging import merge_all
from reftok.rules.tiktoken.rank_bpe import RankBPE

BYTES = [bytes([byte]) for byte in range(256)]


@st.composite
def rank_vocabs(draw: st.DrawFn) -> dict[bytes, int]:
    """All bytes and some strings of a few bytes, ranked at random; a string may have no way to come about."""
    grown = draw(
        st.lists(st.binary(min_size=2, max_size=6).map(lambda data: bytes(b"ab\xc3\xa9"[x % 4] for x in data)))
    )
    tokens = draw(st.permutations([*BYTES[97:99], b"\xc3", b"\xa9", *dict.fromkeys(grown)]))
    rest = [byte for byte in BYTES if byte not in tokens]
    return {token: rank for rank, token in enumerate([*tokens, *rest])}


def own_ids(vocab: dict[bytes, int], data: bytes) -> list[int]:
    model = RankBPE({to_byte_characters(token): rank for token, rank in vocab.items()})
    return [token.id for token in model.tokenize(to_byte_characters(data))]


def official_ids(vocab: dict[bytes, int], data: bytes) -> list[int]:
    return tiktoken.Encoding("tiny", pat_str=r"[\s\S]+", mergeable_ranks=vocab, special_tokens={})._encode_single_piece(
        data
    )


@settings(max_examples=400)
@given(rank_vocabs(), st.lists(st.sampled_from([b"a", b"b", b"ab", "é".encode(), b"x"]), min_size=1, max_size=14))
def test_every_vocab_gives_the_ids_of_the_library(vocab: dict[bytes, int], parts: list[bytes]) -> None:
    data = b"".join(parts)
    assert own_ids(vocab, data) == official_ids(vocab, data)


@settings(max_examples=30)
@given(rank_vocabs(), st.integers(0, 3))
def test_long_words_give_the_ids_of_the_library(vocab: dict[bytes, int], shift: int) -> None:
    data = (b"ab" * 150 + "éa".encode() * 100 + b"aab" * 100)[shift:]
    assert own_ids(vocab, data) == official_ids(vocab, data)


def test_a_word_of_the_vocab_is_taken_as_it_is_even_where_no_merge_leads_to_it() -> None:
    vocab = {token: rank for rank, token in enumerate([*BYTES, b"abab"])}
    assert own_ids(vocab, b"abab") == official_ids(vocab, b"abab") == [256]
    assert own_ids(vocab, b"xabab") == official_ids(vocab, b"xabab")


@pytest.mark.parametrize(
    ("text", "expected"), [("aaa", ["aa", "a"]), ("aaaaa", ["aaaa", "a"]), ("baaa", ["b", "aa", "a"])]
)
def test_the_leftmost_of_equal_ranks_merges_first(text: str, expected: list[str]) -> None:
    merged = merge_all(text, RankBPE({"a": 0, "b": 1, "aa": 2, "aaaa": 3}).merge_of)
    assert [symbol for _, symbol in merged] == expected


def test_spans_count_the_byte_characters() -> None:
    model = RankBPE({"a": 0, "b": 1, "ab": 2})
    assert [token.span_normalized for token in model.tokenize("abb")] == [(0, 2), (2, 3)]
    assert (model.id_to_token(2), model.id_to_token(3)) == ("ab", None)
