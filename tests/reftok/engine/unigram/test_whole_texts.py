from __future__ import annotations

import random
from math import inf
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reftok.engine.encode.models import stream_model
from reftok.engine.encode.segment_ids import ids_of_segments
from reftok.engine.unigram.fast_sentencepiece_unigram import FastSentencePieceUnigram
from reftok.engine.unigram.search import ConvergingPaths
from reftok.engine.unigram.trie import PieceTrie
from reftok.engine.unigram.undecided_text import UndecidedText, UndecidedTexts
from reftok.engine.unigram.whole_texts import WholeTexts, bounds
from reftok.rules.sentencepiece.pieces import BYTE_PIECES, Piece, PieceTable, PieceType
from reftok.rules.sentencepiece.unigram import SentencePieceUnigram
from reftok.rules.viterbi import PieceMatch, best_paths, to_float32

scored = st.dictionaries(st.text("ab", min_size=1, max_size=5), st.integers(-400, 0).map(lambda score: score / 64))


@settings(max_examples=200)
@given(
    scored,
    st.text("abx", min_size=1, max_size=30),
    st.sampled_from(["d", "f"]),
    st.sampled_from([0.0, -70_000.0]),
    st.sampled_from([inf, 0.0, 5.0, 25.0, 70_005.0]),
)
def test_the_paths_are_those_of_the_plain_search(
    scores: dict[str, float], text: str, typecode: Literal["d", "f"], before: float, threshold: float
) -> None:
    scores = {piece: to_float32(score * 1.1) for piece, score in scores.items()}
    entries = {piece: (token_id, score) for token_id, (piece, score) in enumerate(scores.items())}

    def matches(start: int) -> list[PieceMatch]:
        if start == 0:
            return [(1, -1, before)]
        rest = text[start - 1 :]
        found = [(start + len(piece), *entry) for piece, entry in entries.items() if rest.startswith(piece)]
        return found if any(end == start + 1 for end, _, _ in found) else [*found, (start + 1, -1, -20.0)]

    plain = best_paths(len(text) + 1, matches, to_float32 if typecode == "f" else float, threshold)[1:]
    best, starts = WholeTexts(entries, -20.0, typecode, threshold).paths(text, before)
    assert [*best] == [path.score for path in plain]
    assert [*starts[1:]] == [path.start - 1 for path in plain[1:]]


def test_a_choice_that_rounding_may_turn_over_is_not_sure() -> None:
    entries = {"a": (1, -1.0), "b": (2, -1.0), "ab": (3, -1.999), "c": (4, -1.0)}
    texts = WholeTexts(entries, -11.0, "f")
    assert texts.sure_starts("abc", rounding=0.01) is None
    exact = texts.sure_starts("abc", rounding=0.0)
    assert exact is not None
    assert [*bounds(exact, 3)] == [(0, 2), (2, 3)]


def test_a_doubtful_place_that_the_best_path_goes_round_does_not_count() -> None:
    entries = {"a": (1, -1.0), "b": (2, -1.0), "ab": (3, -2.0), "c": (4, -1.0), "abc": (5, -1.0)}
    starts = WholeTexts(entries, -11.0, "f").sure_starts("abc", rounding=0.01)
    assert starts is not None
    assert [*bounds(starts, 3)] == [(0, 3)]


@pytest.mark.parametrize("size", [1, 1_000, 40_000])
def test_the_work_for_random_digits_is_in_proportion_to_their_number(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By steps each of them met a text that nobody had seen: random digits took hundreds of times the library's."""
    generator = random.Random(0)
    lengths = (1, 1, 1, 2, 2, 3, 3, 4)
    digits = {"".join(generator.choices("0123456789", k=length)) for length in lengths for _ in range(60)}
    pieces = [Piece(text, -9.0 - len(text) * generator.random()) for text in sorted(digits)]
    table = PieceTable([Piece("<unk>", 0.0, PieceType.UNKNOWN), *pieces])
    model = FastSentencePieceUnigram(SentencePieceUnigram(table))
    steps, searched = 0, 0
    step, by_character, paths = UndecidedTexts.step, ConvergingPaths.step, WholeTexts.paths

    def counted_step(self: UndecidedTexts, undecided: UndecidedText, character: str) -> object:
        nonlocal steps
        steps += 1
        return step(self, undecided, character)

    def counted_paths(self: WholeTexts, text: str, score: float = 0.0) -> object:
        nonlocal searched
        searched += len(text)
        return paths(self, text, score)

    def counted_character(self: ConvergingPaths, character: str) -> None:
        nonlocal steps
        steps += 1
        by_character(self, character)

    monkeypatch.setattr(UndecidedTexts, "step", counted_step)
    monkeypatch.setattr(ConvergingPaths, "step", counted_character)
    monkeypatch.setattr(WholeTexts, "paths", counted_paths)
    text = "".join(generator.choices("0123456789", k=size))
    stage = stream_model(model, [])
    stage.text(text)
    stage.end_pre_token()
    # By steps goes what a text ends with.
    assert steps <= 64
    assert searched <= 1.2 * size


@pytest.mark.parametrize(
    ("text", "falls_to_bytes"),
    [
        ("▁axx▁xxa" * 50, False),
        ("▁" + "abx" * 100, False),
        ("▁abab▁xx" * 1_000, False),
        ("▁мама" * 700, True),
    ],
    ids=["joined unknown ones", "a long word", "more words than the score has room for", "bytes"],
)
def test_a_text_that_was_seen_is_not_searched_again(
    text: str, falls_to_bytes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Texts of 59 languages took twice as long when they were known as they did when they were searched by steps."""
    pieces = [Piece("<unk>", 0.0, PieceType.UNKNOWN), Piece("▁", -9.0), Piece("a", -9.0), Piece("b", -9.0)]
    pieces += [Piece(piece, 0.0, PieceType.BYTE) for piece in BYTE_PIECES if falls_to_bytes]
    pieces += [Piece("ab", -15.0), Piece("▁a", -16.0)]
    model = FastSentencePieceUnigram(SentencePieceUnigram(PieceTable(pieces, byte_fallback=falls_to_bytes)))
    ids: list[int] = []
    stage = stream_model(model, ids)
    searched = 0
    paths = WholeTexts.paths

    def counted_paths(self: WholeTexts, text: str, score: float = 0.0) -> object:
        nonlocal searched
        searched += len(text)
        return paths(self, text, score)

    monkeypatch.setattr(WholeTexts, "paths", counted_paths)
    for _ in range(2):
        searched = 0
        stage.text(text)
        stage.end_pre_token()
    # But for some words each time that the score comes near to its threshold.
    assert searched <= len(text) // 20
    expected = ids_of_segments(model.model.table, model.model.segments(text))
    assert ids == 2 * expected


def test_the_tree_of_pieces_is_found_as_far_as_it_is_asked() -> None:
    made = 0

    class Pieces(dict[str, tuple[int, float]]):
        def __getitem__(self, piece: str) -> tuple[int, float]:
            nonlocal made
            made += 1
            return super().__getitem__(piece)

    letters = [chr(0x4E00 + code) for code in range(50)]
    trie = PieceTrie.of(Pieces({first + second: (1, -1.0) for first in letters for second in letters}))
    assert [*trie.children] == letters
    assert made == 0
    assert [*trie.children[letters[3]].children] == letters
    assert made == 50
    assert trie.children[letters[3]].entry is None
