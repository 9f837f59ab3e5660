from __future__ import annotations

import pytest

from reftok.rules.merging import merge_all
from reftok.rules.sentencepiece.bpe import SentencePieceBPE
from reftok.rules.sentencepiece.pieces import Piece, PieceTable, PieceType

from ...protobuf_writer import BPE, UNKNOWN, PieceTuple, byte_pieces, model_bytes
from ...sentencepiece_strategies import load_both, official_encoding, own_encoding

NORMAL, CONTROL, USER_DEFINED, UNUSED = PieceType.NORMAL, PieceType.CONTROL, PieceType.USER_DEFINED, PieceType.UNUSED


def bpe(*pieces: PieceTuple, byte_fallback: bool = False) -> bytes:
    more = byte_pieces() if byte_fallback else []
    return model_bytes([UNKNOWN, *pieces, *more], BPE, trainer={35: byte_fallback}, normalizer={3: False})


def assert_same(data: bytes, text: str) -> list[str]:
    tokenizer, official = load_both(data)
    assert own_encoding(tokenizer, text) == official_encoding(official, text)
    return list(tokenizer.encode(text).tokens)


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


def with_pieces(*pieces: str) -> SentencePieceBPE:
    """The first has the highest score."""
    normal = [Piece(piece, -float(index)) for index, piece in enumerate(pieces)]
    return SentencePieceBPE(PieceTable([Piece("<unk>", 0.0, PieceType.UNKNOWN), *normal]))


def test_candidates_that_others_were_merged_into_are_stale() -> None:
    assert merge_all("aaaa", with_pieces("aaa", "aa").merge_of) == [(0, "aaa"), (3, "a")]


LONG_RUNS = ["a" * 4000, "ab" * 2000, "▁" * 4000, "x" * 4000, "a▁b" * 1500]


@pytest.mark.parametrize("text", LONG_RUNS)
def test_a_long_run_is_cut_into_tokens_that_spell_it(text: str) -> None:
    model = with_pieces("aa", "ab", "aaaa", "abab", "▁▁", "▁b", "ba")
    assert "".join(token.value for token in model.tokenize(text)) == text
