"""The Viterbi search of all unigram models: to each place of a text the path with the highest sum of scores.

Sums are float64 in tokenizers (models/unigram.py) and llama.cpp's UGM (llama/ugm.py), and float32 in sentencepiece
(sentencepiece/unigram.py, sentencepiece/n_best.py).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from math import inf, nan
from typing import TypeAlias

UNK_PENALTY = 10.0
"""By how much an unknown character scores less than the lowest piece."""

LARGEST_FLOAT32 = 3.4028234663852886e38

PieceMatch: TypeAlias = tuple[int, int, float]
"""Where a piece ends, its id and its score."""

PathPiece: TypeAlias = tuple[int, int, int]
"""Where a piece of a path starts and ends, and its id."""


@dataclass(frozen=True, slots=True)
class Best:
    """The best path to a place: its score, where its last piece starts, and that piece's id."""

    score: float
    start: int
    id: int


BEGINNING = Best(0.0, -1, -1)
UNREACHED = Best(nan, -1, -1)


def to_float32(number: float) -> float:
    """The nearest float32; arrays of type 'f' round what is stored in them, which is the fastest way to do it.

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
    """For each place from 0 to `size` the best path that ends there; on equal scores the one that was found first.

    matches: the pieces that start at a place; places come in order.
    rounded: the type of the sums, float64 or float32 (`to_float32`).
    threshold: from a place with a score beyond it, paths count from 0 again, and as much is taken off those that
    already end farther on.
    unreached: the path to a place that no piece has reached. With the start -1 any path replaces it; with another one
    only a path of a higher score does, as in llama.cpp.
    score: of the path before the text.

    >>> pieces = {0: [(1, 7, -1.0), (2, 9, -1.5)], 1: [(2, 8, -1.0)]}
    >>> best_paths(2, pieces.__getitem__)[1:]
    [Best(score=-1.0, start=0, id=7), Best(score=-1.5, start=0, id=9)]
    """
    best = [replace(BEGINNING, score=score), *repeat(unreached, size)]
    farthest = 0
    for start in range(size):
        before = best[start].score
        if abs(before) > threshold:
            for end in range(start + 1, farthest + 1):
                best[end] = replace(best[end], score=rounded(best[end].score - before))
            before = 0.0
        for end, token_id, piece_score in matches(start):
            score, current = rounded(before + piece_score), best[end]
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
    end = len(best) - 1
    while end > 0:
        path.append((best[end].start, end, best[end].id))
        end = best[end].start
    return path[::-1]


def with_runs_joined(path: Iterable[PathPiece], unk_id: int | None) -> list[PathPiece]:
    """The path with each run of the unknown piece as one.

    >>> with_runs_joined([(0, 1, 0), (1, 3, 0), (3, 4, 1)], 0)
    [(0, 3, 0), (3, 4, 1)]
    """
    joined: list[PathPiece] = []
    for start, end, token_id in path:
        if joined and token_id == unk_id == joined[-1][2]:
            start = joined.pop()[0]
        joined.append((start, end, token_id))
    return joined
