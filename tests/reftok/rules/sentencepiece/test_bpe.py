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


def normal(*pieces: str, score: float = -1.0) -> list[PieceTuple]:
    return [(piece, score, NORMAL) for piece in pieces]


TOKENS: dict[str, tuple[bytes, str, list[str]]] = {
    "the highest score merges first": (bpe(("ab", -2.0, NORMAL), *normal("bc")), "abc", ["a", "bc"]),
    "of equal scores the leftmost": (bpe(*normal("ab", "bc", "aa")), "aaabc", ["aa", "ab", "c"]),
    "minus zero is less than zero": (bpe(("ab", -0.0, NORMAL), ("bc", 0.0, NORMAL)), "abc", ["a", "bc"]),
    "a user-defined symbol never merges": (
        bpe(("ab", 0.0, USER_DEFINED), *normal("abc"), *normal("c", score=-2.0), *normal("cc", score=-1.5)),
        "abccab", ["ab", "cc", "ab"],
    ),
    "control pieces never match text": (
        bpe(("ab", 0.0, CONTROL), *normal("a"), ("c", 0.0, CONTROL)), "abc", ["a", "bc"],
    ),
    "an unused piece is split again": (
        bpe(("abc", -0.5, UNUSED), ("ab", -1.0, UNUSED), *normal(*"abc", score=-9.0)),
        "abcab", ["a", "b", "c", "a", "b"],
    ),
    "unknown neighbours are one token even across words": (bpe(*normal("a")), "ax y▁za", ["a", "x▁y▁z", "a"]),
    "an unknown character falls back to its bytes": (
        bpe(*normal("a"), byte_fallback=True), "aéa", ["a", "<0xC3>", "<0xA9>", "a"],
    ),
}  # fmt: skip
"""By what they show: a model, a text and its tokens."""


@pytest.mark.parametrize("name", TOKENS)
def test_a_text_has_the_tokens_of_the_library(name: str) -> None:
    data, text, tokens = TOKENS[name]
    assert assert_same(data, text) == tokens


def test_the_last_byte_of_an_unknown_character_has_its_span() -> None:
    data = bpe(*normal("a"), byte_fallback=True)
    assert load_both(data)[0].encode("aéa").offsets == [(0, 1), (1, 1), (1, 2), (2, 3)]


def test_an_unused_piece_is_split_as_it_was_last_seen_anywhere_in_the_text() -> None:
    pieces = [*normal(*"▁abcd", score=-9.0), ("ab", -2.0, NORMAL), ("bc", -3.0, NORMAL), *normal("dd")]
    pieces.append(("abc", -4.0, UNUSED))
    assert assert_same(bpe(*pieces), "abc") == ["ab", "c"]
    for text in ("abc▁bc", "abc▁abc", "bc▁dabc", "abcbc"):
        assert_same(bpe(*pieces), text)


def test_letters_that_never_merge_behind_two_spaces_are_no_recursion_error() -> None:
    assert assert_same(bpe(*normal("▁", "▁▁", "a", "b")), "▁▁" + "ab" * 1500)[:3] == ["▁▁", "a", "b"]


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
