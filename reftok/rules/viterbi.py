"""The Viterbi search of all unigram models: the segmentation of a text with the highest sum of scores.

Sums are float64 in tokenizers (huggingface/unigram.py) and in llama.cpp (llama_cpp/ugm.py), float32 in sentencepiece
(sentencepiece/unigram.py). A score is the logarithm of a probability, so a sum is that of the whole path.
Source: Kudo 2018, "Subword Regularization", section 3.1; the libraries' sources stand in those modules.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from math import inf, nan
from typing import TypeAlias

UNK_PENALTY = 10.0
"""An unknown character scores so much less than the lowest piece, in all three libraries."""

LARGEST_FLOAT32 = 3.4028234663852886e38

PieceMatch: TypeAlias = tuple[int, int, float]
"""Where a piece ends, its id and its score."""

PathPiece: TypeAlias = tuple[int, int, int]
"""Where a piece of a path starts and ends, and its id."""


@dataclass(frozen=True, slots=True)
class Best:
    """The best path to a place: its score, and the start and the id of its last piece."""

    score: float
    start: int
    id: int


BEGINNING = Best(0.0, -1, -1)
UNREACHED = Best(nan, -1, -1)  # a NaN, so that a sum that starts from it by mistake shows


def to_float32(number: float) -> float:
    """The nearest float32. Storing into an array of C floats rounds to nearest, ties to even, as the libraries do.

    >>> to_float32(0.1) == 0.1, to_float32(0.5) == 0.5
    (False, True)
    """
    return array("f", (number,))[0]


def best_paths(
    size: int,
    matches: Callable[[int], Iterable[PieceMatch]],
    rounded: Callable[[float], float] = float,
    threshold: float = inf,
    unreached: Best = UNREACHED,
    score: float = 0.0,
) -> list[Best]:
    """For each place from 0 to `size` the best path that ends there; of equal scores the one found first.

    matches: the pieces that start at a place; called once for each place, in order.
    rounded: rounds a sum to the type of the sums, float64 or float32 (`to_float32`).
    threshold: at a place with a score beyond it, scores start from 0 again.
    unreached: stands for a place that no piece has reached. If its start is -1, any path replaces it; else only a path
        with a higher score does, as in llama.cpp.
    score: of the path before the text.

    >>> pieces = {0: [(1, 7, -1.0), (2, 9, -1.5)], 1: [(2, 8, -1.0)]}
    >>> best_paths(2, pieces.__getitem__)[1:]
    [Best(score=-1.0, start=0, id=7), Best(score=-1.5, start=0, id=9)]
    """
    best = [replace(BEGINNING, score=score), *repeat(unreached, size)]
    farthest = 0
    for start in range(size):
        before = best[start].score  # final: all pieces that end here start before
        if abs(before) > threshold:
            # Float32 loses the digits behind the point as sums grow. What the paths that end farther on have summed up
            # so far is reduced by the same amount, so that they stay comparable with the new ones.
            for end in range(start + 1, farthest + 1):
                best[end] = replace(best[end], score=rounded(best[end].score - before))
            before = 0.0
        for end, token_id, piece_score in matches(start):
            score, current = rounded(before + piece_score), best[end]
            # Not `>=`: of equal paths the one whose last piece starts first stays, that is with the longest last piece.
            if current.start < 0 or score > current.score:
                best[end] = Best(score, start, token_id)
                if end > farthest:
                    farthest = end
    return best


def path_to_end(best: Sequence[Best]) -> list[PathPiece]:
    """The pieces of the best path to the last place.

    >>> path_to_end([BEGINNING, Best(-1.0, 0, 7), Best(-2.0, 0, 8), Best(-3.0, 2, 9)])
    [(0, 2, 8), (2, 3, 9)]
    """
    path: list[PathPiece] = []
    end = len(best) - 1  # each path knows its last piece only, so it is followed backwards
    while end > 0:
        path.append((best[end].start, end, best[end].id))
        end = best[end].start
    return path[::-1]


def with_runs_joined(path: Iterable[PathPiece], unk_id: int | None) -> list[PathPiece]:
    """The path with each run of the unknown piece joined into one.

    >>> with_runs_joined([(0, 1, 0), (1, 3, 0), (3, 4, 1)], 0)
    [(0, 3, 0), (3, 4, 1)]
    """
    joined: list[PathPiece] = []
    for start, end, token_id in path:
        if joined and token_id == unk_id == joined[-1][2]:
            start = joined.pop()[0]
        joined.append((start, end, token_id))
    return joined
