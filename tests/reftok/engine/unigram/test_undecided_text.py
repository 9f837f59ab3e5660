"""Steps that are looked up, held to the search that they stand for: the best path by trying every one."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.engine.unigram import undecided_text
from reftok.engine.unigram.trie import Ids, PieceTrie
from reftok.engine.unigram.undecided_text import LONGEST, LOST, Gains, UndecidedText, UndecidedTexts, Unknown

UNKNOWN_SCORE = -20.0
scored = st.dictionaries(
    st.text("ab", min_size=1, max_size=5), st.integers(-90, 0).map(lambda score: score / 8), min_size=1, max_size=12
)


def texts_of(scores: Mapping[str, float], rounding: float = 1e-9) -> UndecidedTexts:
    pieces = {piece: (index, scores[piece]) for index, piece in enumerate(sorted(scores))}
    return UndecidedTexts(PieceTrie.of(pieces), Unknown(UNKNOWN_SCORE, lambda character: (99,)), rounding)


def paths(scores: Mapping[str, float], text: str) -> Iterator[tuple[float, Ids]]:
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


def walk(texts: UndecidedTexts, text: str) -> tuple[UndecidedText, Ids]:
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
def test_where_a_rounded_sum_could_choose_another_path_it_is_lost_or_an_open_choice(
    scores: dict[str, float], text: str
) -> None:
    rounding = 0.25
    undecided, decided = walk(texts_of(scores, rounding), text)
    if undecided.path is not None and undecided is not LOST:
        ordered = sorted(paths(scores, text), reverse=True)
        assert all(ordered[0][0] - score > rounding for score, _ in ordered[1:])
        assert ordered[0][1] == decided + undecided.path


@settings(max_examples=300)
@given(scored, st.text("aabbx", max_size=9), st.integers(0, 1 << 20), st.sampled_from([0.02, 0.1]))
def test_however_sums_are_rounded_the_path_is_the_same(
    scores: dict[str, float], text: str, seed: int, rounding: float
) -> None:
    undecided, decided = walk(texts_of(scores, rounding), text)
    chance = random.Random(seed)
    for _ in range(8):
        path = best_with_roundings(scores, text, lambda: chance.uniform(-rounding, rounding))
        assert path[: len(decided)] == decided
        if undecided is not LOST and undecided.path is not None:
            assert path == decided + undecided.path


def best_with_roundings(scores: Mapping[str, float], text: str, rounding: Callable[[], float]) -> Ids:
    """The path of a search each sum of which is wrong by a rounding."""
    best: list[tuple[float, Ids]] = [(0.0, ())] + [(-inf, ())] * len(text)
    for end in range(1, len(text) + 1):
        for start in range(end):
            piece = text[start:end]
            known = piece in scores
            if known or end == start + 1:
                before, path = best[start]
                score = before + (scores[piece] if known else UNKNOWN_SCORE) + rounding()
                if score > best[end][0]:
                    best[end] = score, (*path, sorted(scores).index(piece) if known else 99)
    return best[len(text)][1]


def test_behind_an_open_choice_there_may_be_as_many_sums_as_code_points() -> None:
    letters = dict.fromkeys("abcdefgh", -1.0)
    near = {"ij": -1.0, "i": -3.0, "j": -3.0, "k": -1.0, "abcdefghi": -9.0, "abcdefghij": -9.0, "jk": -0.94}
    undecided, _ = walk(texts_of({**letters, **near}, 0.01), "abcdefghij")
    assert undecided.threshold == pytest.approx(0.22)
    assert undecided["k"][0] is LOST


def test_a_choice_that_an_unknown_character_loses_does_not_ask_for_its_path() -> None:
    def refused(character: str) -> Ids:
        raise AssertionError(character)

    trie = PieceTrie.of({"a": (0, 10.0), "ab": (1, -20.0)})
    undecided, _ = UndecidedTexts(trie, Unknown(-30.0, refused), 1e-9).start["a"]
    assert undecided["b"][0] is LOST


def test_a_sum_that_is_not_a_number_is_lost() -> None:
    huge = {"bbab": 1.7e308, "aa": 1.7e308, "baba": -1.7e308, "b": 1e308, "ba": 1.7e308, "baa": 1.7e308}
    trie = PieceTrie.of({piece: (len(piece), score) for piece, score in huge.items()})
    texts = UndecidedTexts(trie, Unknown(-1.7e308, lambda character: (1,)), 1e-9)
    assert walk(texts, "xbbabaxbbxab")[0] is LOST


def test_equal_scores_are_lost_where_nothing_else_is_open() -> None:
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


def test_a_piece_that_rounded_sums_could_let_win_stays_undecided() -> None:
    scores = {"a": -1.0, "b": -1.0, "c": -1.0, "abc": -3.25}
    assert walk(texts_of(scores, 0.1), "ab")[1] == ()
    assert walk(texts_of(scores, 0.01), "ab")[1] == (0, 2)


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
    trie = PieceTrie.of({piece: (0, score) for piece, score in scores.items()})
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
    trie = PieceTrie.of({"a" + chr(0x4E00 + code): (code, -9.0) for code in range(100)})
    assert Gains(trie, UNKNOWN_SCORE, 0.0)[trie.children["a"]] == inf
