from __future__ import annotations

from reftok.engine.offsets.piece_spelling import Spelling
from reftok.rules.sentencepiece.pieces import BYTE_PIECES


def test_runs_of_characters_that_are_in_no_piece_are_the_unknown_tokens() -> None:
    spelling = Spelling(["<unk>", "a", "bc"], ["a", "bc"], (), 0)
    assert spelling.tokens([0, 1, 0, 2, 0], "xyazbc\U0001f600") == ["xy", "a", "z", "bc", "\U0001f600"]


def test_where_another_character_is_unknown_the_tokens_are_not_told_or_do_not_cover_the_text() -> None:
    spelling = Spelling(["<unk>", "a", "bc"], ["a", "bc"], (), 0)
    assert spelling.tokens([0, 1], "ba") is None
    assert spelling.tokens([0, 1], "bxa") == ["x", "a"]


def test_without_a_piece_that_matches_text_all_of_it_is_unknown() -> None:
    spelling = Spelling(["<unk>"], [], (), 0)
    assert spelling.tokens([0], "a\nb") == ["a\nb"]
    assert spelling.has_unknown("\n")


def test_characters_that_mean_something_in_a_pattern_are_characters() -> None:
    spelling = Spelling(["<unk>", "]", "^", "-", "\\"], ["]", "^", "-", "\\"], (), 0)
    assert not spelling.has_unknown("]^-\\")
    assert spelling.has_unknown("_")


def test_each_length_of_utf_8_ends_with_the_byte_that_has_the_character() -> None:
    spelling = Spelling([*BYTE_PIECES, "ab"], ["ab"], range(256), 300)
    ids = [*"\u00e9\u2603a\U0001f600\x7f".encode(), 256]
    tokens = spelling.tokens(ids, "")
    assert tokens is not None
    assert list(spelling.lengths(ids, tokens)) == [0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 1, 2]


def test_a_piece_longer_than_a_code_can_say_does_not_cover_the_text() -> None:
    spelling = Spelling([*BYTE_PIECES, "a" * 250, "b" * 249], ["a" * 250, "b" * 249], range(256), 300)
    assert list(spelling.lengths([256, 257], ["a" * 250, "b" * 249])) == [0, 249]
