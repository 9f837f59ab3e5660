from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reftok.engine.split_points.pairs import PairCuts
from reftok.spec.sentencepiece.bpe import SentencePieceBPE, merge_all
from reftok.spec.sentencepiece.pieces import Piece, PieceTable, PieceType

from .protobuf_writer import BPE, UNKNOWN, PieceTuple, byte_pieces, model_bytes
from .sentencepiece_strategies import load_both, models, official_encoding, own_encoding

NORMAL, CONTROL, USER_DEFINED, UNUSED = PieceType.NORMAL, PieceType.CONTROL, PieceType.USER_DEFINED, PieceType.UNUSED
normalized_texts = st.text("ab▁é中 x", max_size=60)


def bpe(*pieces: PieceTuple, byte_fallback: bool = False) -> bytes:
    more = byte_pieces() if byte_fallback else []
    return model_bytes([UNKNOWN, *pieces, *more], BPE, trainer={35: byte_fallback}, normalizer={3: False})


def assert_same(data: bytes, text: str) -> list[str]:
    tokenizer, official = load_both(data)
    assert own_encoding(tokenizer, text) == official_encoding(official, text)
    return list(tokenizer.encode(text).tokens)


@given(models(BPE), normalized_texts)
def test_the_fast_twin_gives_what_the_plain_one_gives(data: bytes, text: str) -> None:
    model = load_both(data)[0].model
    assert isinstance(model, SentencePieceBPE)
    for _ in range(2):
        assert list(model.segments(text)) == model.segments_plainly(text)
        assert model.token_ids(text) == [token.id for token in model.tokenize(text)]


@given(st.lists(st.text("ab▁", min_size=1, max_size=4), max_size=6), st.text("ab▁", max_size=40))
def test_no_piece_spans_a_cut(pieces: list[str], text: str) -> None:
    cuts = PairCuts(pieces)
    for parts in (cuts.words(text), cuts.parts(text)):
        assert "".join(parts) == text
        for left, right in pairwise(parts):
            assert not any(left[-1] + right[0] in piece for piece in pieces)


@given(st.lists(st.text("ab▁", min_size=1, max_size=4), max_size=6), st.text("ab▁", max_size=40))
def test_the_keys_of_a_text_are_those_of_its_words(pieces: list[str], text: str) -> None:
    cuts = PairCuts(pieces)
    first, keys, last = cuts.keys(text)
    assert [word for word in (first, *map(cuts.word, keys), last) if word] == cuts.words(text)
    assert [cuts.key(cuts.word(key)) for key in keys if cuts.word(key) != key] == [
        key for key in keys if cuts.word(key) != key
    ]


@given(models(BPE), st.lists(st.text("ab▁é中.,x", max_size=9), max_size=9).map("▁".join))
def test_words_with_punctuation_are_what_the_plain_merges_make_of_them(data: bytes, text: str) -> None:
    model = load_both(data)[0].model
    assert isinstance(model, SentencePieceBPE)
    expected = model.table.token_ids(model.segments_plainly(text))
    for _ in range(2):
        assert model.token_ids(text) == expected


def test_the_highest_score_merges_first() -> None:
    assert assert_same(bpe(("ab", -2.0, NORMAL), ("bc", -1.0, NORMAL)), "abc") == ["a", "bc"]


def test_of_equal_scores_the_leftmost_merges_first() -> None:
    assert assert_same(bpe(("ab", -1.0, NORMAL), ("bc", -1.0, NORMAL), ("aa", -1.0, NORMAL)), "aaabc") == [
        "aa",
        "ab",
        "c",
    ]


def test_minus_zero_is_less_than_zero() -> None:
    assert assert_same(bpe(("ab", -0.0, NORMAL), ("bc", 0.0, NORMAL)), "abc") == ["a", "bc"]


def test_a_user_defined_symbol_never_merges() -> None:
    pieces = [("ab", 0.0, USER_DEFINED), ("abc", -1.0, NORMAL), ("c", -2.0, NORMAL), ("cc", -1.5, NORMAL)]
    assert assert_same(bpe(*pieces), "abccab") == ["ab", "cc", "ab"]


def test_control_pieces_never_match_text() -> None:
    assert assert_same(bpe(("ab", 0.0, CONTROL), ("a", -1.0, NORMAL), ("c", 0.0, CONTROL)), "abc") == ["a", "bc"]


def test_an_unused_piece_is_split_again() -> None:
    pieces = [("abc", -0.5, UNUSED), ("ab", -1.0, UNUSED), *((c, -9.0, NORMAL) for c in "abc")]
    assert assert_same(bpe(*pieces), "abcab") == ["a", "b", "c", "a", "b"]


def test_an_unused_piece_is_split_as_it_was_last_seen_anywhere_in_the_text() -> None:
    pieces = [
        ("▁", -9.0, NORMAL),
        *((c, -9.0, NORMAL) for c in "abcd"),
        ("ab", -2.0, NORMAL),
        ("bc", -3.0, NORMAL),
        ("abc", -4.0, UNUSED),
        ("dd", -1.0, NORMAL),
    ]
    assert assert_same(bpe(*pieces), "abc") == ["ab", "c"]
    for text in ("abc▁bc", "abc▁abc", "bc▁dabc", "abcbc"):
        assert_same(bpe(*pieces), text)


def test_letters_that_never_merge_behind_two_spaces_are_no_recursion_error() -> None:
    pieces = [(piece, -1.0, NORMAL) for piece in ("▁", "▁▁", "a", "b")]
    assert assert_same(bpe(*pieces), "▁▁" + "ab" * 1500)[:3] == ["▁▁", "a", "b"]


def test_unknown_neighbours_are_one_token_even_across_words() -> None:
    assert assert_same(bpe(("a", -1.0, NORMAL)), "ax y▁za") == ["a", "x▁y▁z", "a"]


def test_an_unknown_character_falls_back_to_its_bytes_and_the_last_has_the_span() -> None:
    data = bpe(("a", -1.0, NORMAL), byte_fallback=True)
    assert assert_same(data, "aéa") == ["a", "<0xC3>", "<0xA9>", "a"]
    assert load_both(data)[0].encode("aéa").offsets == [(0, 1), (1, 1), (1, 2), (2, 3)]


@pytest.mark.parametrize("depth", [90, 99, 100, 101, 102, 130])
def test_an_unused_piece_is_split_a_hundred_levels_deep(depth: int) -> None:
    pieces: list[PieceTuple] = [("a", -1000.0, NORMAL), ("b", -1000.0, NORMAL)]
    pieces += [("a" + "b" * length, -float(length), UNUSED) for length in range(1, depth + 1)]
    assert_same(bpe(*pieces), "a" + "b" * depth)


def test_stale_candidates_are_dropped_by_their_length() -> None:
    assert merge_all("aaaa", [False] * 4, {"aa": 1, "aaa": 0}) == (["aaa", "a"], {})


@pytest.mark.parametrize("text", ["a" * 100_000, "ab" * 50_000, "▁" * 100_000, "x" * 100_000, "a▁b" * 30_000])
def test_a_long_run_is_cut_into_tokens_that_spell_it(text: str) -> None:
    pieces = [Piece("<unk>", 0.0, PieceType.UNKNOWN)]
    pieces += [
        Piece(piece, -float(index)) for index, piece in enumerate(["aa", "ab", "aaaa", "abab", "▁▁", "▁b", "ba"])
    ]
    model = SentencePieceBPE(PieceTable(pieces))
    assert "".join(token.value for token in model.tokenize(text)) == text
