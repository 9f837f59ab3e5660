"""Steps that are looked up, held to the search that they stand for: the best path by trying every one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.models import undecided_text
from reftok.models.piece_gains import Gains
from reftok.models.piece_trie import PieceTrie
from reftok.models.undecided_text import LONGEST, LOST, Path, UndecidedText, UndecidedTexts, Unknown

UNKNOWN_SCORE = -20.0
scored = st.dictionaries(
    st.text("ab", min_size=1, max_size=5), st.integers(-90, 0).map(lambda score: score / 8), min_size=1, max_size=12
)


def texts_of(scores: Mapping[str, float], rounding: float = 1e-9) -> UndecidedTexts:
    pieces = {piece: (index, scores[piece]) for index, piece in enumerate(sorted(scores))}
    lengths = {index: len(piece) for piece, (index, _) in pieces.items()} | {99: 1}
    return UndecidedTexts(
        PieceTrie.of(pieces.items()), Unknown(UNKNOWN_SCORE, lambda character: (99,)), lengths, rounding
    )


def paths(scores: Mapping[str, float], text: str) -> Iterator[tuple[float, Path]]:
    """Every path through a text, with its score."""
    if not text:
        yield 0.0, ()
    for index, piece in enumerate(sorted(scores)):
        if text.startswith(piece):
            for score, path in paths(scores, text[len(piece) :]):
                yield score + scores[piece], (index, *path)
    if text and text[0] not in scores:
        for score, path in paths(scores, text[1:]):
            yield score + UNKNOWN_SCORE, (99, *path)


def walk(texts: UndecidedTexts, text: str) -> tuple[UndecidedText, Path]:
    """What is undecided of a text, and what is decided."""
    undecided, decided = texts.start, tuple[int, ...]()
    for character in text:
        undecided, more = undecided[character]
        decided += more
    return undecided, decided


@settings(max_examples=300)
@given(scored, st.text("aabbx", max_size=9))
def test_what_is_decided_and_undecided_is_the_best_path(scores: dict[str, float], text: str) -> None:
    undecided, decided = walk(texts_of(scores), text)
    if undecided.path is not None and undecided is not LOST:
        best = max(score for score, _ in paths(scores, text))
        assert [path for score, path in paths(scores, text) if score == best] == [decided + undecided.path]
        assert text.endswith(undecided.text)


@settings(max_examples=300)
@given(scored, st.text("aabbx", max_size=6), st.text("aabbx", max_size=5))
def test_no_continuation_changes_what_is_decided(scores: dict[str, float], text: str, more: str) -> None:
    undecided, decided = walk(texts_of(scores), text)
    if undecided is not LOST:
        every = list(paths(scores, text + more))
        best = max(score for score, _ in every)
        assert all(path[: len(decided)] == decided for score, path in every if score == best)


@settings(max_examples=300)
@given(scored, st.text("aabbx", max_size=8))
def test_where_a_rounded_sum_could_choose_another_path_the_step_is_lost(scores: dict[str, float], text: str) -> None:
    rounding = 0.25
    undecided, decided = walk(texts_of(scores, rounding), text)
    if undecided.path is not None and undecided is not LOST:
        ordered = sorted(paths(scores, text), reverse=True)
        assert all(ordered[0][0] - score > rounding for score, _ in ordered[1:])
        assert ordered[0][1] == decided + undecided.path


def test_equal_scores_are_lost() -> None:
    assert walk(texts_of({"a": -1.0, "b": -1.0, "ab": -2.0}), "ab")[0] is LOST
    assert LOST["a"] == (LOST, ())


def test_equal_scores_are_an_open_choice_until_a_step_decides_it() -> None:
    texts = texts_of({"a": -1.0, "b": -1.0, "ab": -2.0, "abx": -1.0, "x": -9.0, "y": -1.0})
    undecided, decided = walk(texts, "ab")
    assert (undecided.text, undecided.path, decided) == ("ab", None, ())
    assert undecided["x"] == (texts.start, (2,))
    assert undecided["y"] == (LOST, ())


def test_a_piece_that_cannot_win_any_more_leaves_nothing_undecided() -> None:
    for score, expected in ((-9.0, ("", (1,))), (-2.0, ("ab", ()))):
        undecided, decided = walk(texts_of({"a": -1.0, "b": -1.0, "ab": -1.5, "abb": score}), "ab")
        assert (undecided.text, decided) == expected


def test_a_text_that_stays_undecided_too_long_is_lost() -> None:
    scores = {"a": -1.0, "a" * (LONGEST + 9): -0.5}
    assert len(walk(texts_of(scores), "a" * LONGEST)[0].text) == LONGEST
    assert walk(texts_of(scores), "a" * (LONGEST + 1))[0] is LOST


def test_the_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(undecided_text, "_MOST_STEPS", 50)
    texts = texts_of({"a": -1.0, "b": -1.5, "ab": -2.0, "ba": -2.25, "abab": -3.0})
    expected = walk(texts_of({"a": -1.0, "b": -1.5, "ab": -2.0, "ba": -2.25, "abab": -3.0}), "abbaab" * 9)
    for code in range(300):
        walk(texts, "ab" + chr(0x4E00 + code))
        assert len(texts.start) <= 50
    found = walk(texts, "abbaab" * 9)
    assert (found[0].text, found[1]) == (expected[0].text, expected[1])


@given(scored)
def test_a_gain_is_the_most_that_a_begun_piece_can_get_ahead(scores: dict[str, float]) -> None:
    trie = PieceTrie.of((piece, (0, score)) for piece, score in scores.items())
    gains = Gains(trie, UNKNOWN_SCORE, 0.0)
    for begun in {piece[:end] for piece in scores for end in range(1, len(piece))}:
        place = trie
        for character in begun:
            place = place.children[character]
        expected = max(
            score - max(alone for alone, _ in paths(scores, piece[len(begun) :]))
            for piece, score in scores.items()
            if piece.startswith(begun) and piece != begun
        )
        assert gains[place] == expected


def test_of_too_many_pieces_any_may_get_ahead() -> None:
    trie = PieceTrie.of(("a" + chr(0x4E00 + code), (code, -9.0)) for code in range(100))
    assert Gains(trie, UNKNOWN_SCORE, 0.0)[trie.children["a"]] == inf
