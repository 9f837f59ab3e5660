"""The best path through a new word, of all unigram models.

The rule stands in rules/viterbi.py. Here the pieces that begin at a place are looked up by their first two characters:
most pairs of characters begin pieces of a few lengths only, so that a word needs few look-ups and no tree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise, repeat
from math import inf
from operator import add, sub

from reftok.rules.types import Span

LONGEST_PIECE = 256
"""With longer pieces the plain rules are faster: each length that two characters begin is looked up."""

_FLOAT32_ROUNDING = 2.0**-24
"""A float32 sum is wrong by at most this share of its value: half of its last digit."""

_NO_LENGTHS: tuple[int, ...] = ()


class Pieces:
    """The pieces of one model and their scores, none of them '' or longer than `LONGEST_PIECE`.

    scores: by piece. unknown_score: of a character that is no piece.

    >>> pieces = Pieces({"a": -1.0, "b": -1.5, "ab": -2.0}, unknown_score=-12.0)
    >>> [*spans_of_path(pieces.paths("abxb").starts)]
    [(0, 2), (2, 3), (3, 4)]
    """

    def __init__(self, scores: Mapping[str, float], unknown_score: float) -> None:
        self._scores = scores
        self._unknown_score = unknown_score
        lengths: defaultdict[str, int] = defaultdict(int)
        for piece in scores:
            lengths[piece[:2]] |= 1 << len(piece)
        by_bits = {bits: tuple(length for length in range(3, bits.bit_length()) if bits >> length & 1)
                   for bits in {*lengths.values()}}  # fmt: skip
        score_of = scores.get
        # By two characters: the score of the first alone, of both as a piece if they are one, and the other lengths.
        self._pairs: Mapping[str, tuple[float, float | None, tuple[int, ...]]] = {
            pair: (score_of(pair[0], unknown_score), score_of(pair), by_bits[bits])
            for pair, bits in lengths.items()
            if len(pair) == 2
        }

    def paths(self, text: str) -> Paths:
        """The best paths to all places of a text, in float64; of equal scores the one that was found first."""
        size = len(text)
        best = [0.0, *repeat(-inf, size)]
        second = [-inf] * (size + 1)
        starts = [-1] * (size + 1)
        known_pair, score_of, unknown_score = self._pairs.get, self._scores.get, self._unknown_score
        for start, pair in enumerate(map(add, text, chain(text[1:], ("",)))):
            before = best[start]
            end = start + 1
            first, both, lengths = known_pair(pair) or (score_of(text[start], unknown_score), None, _NO_LENGTHS)
            total = before + first
            if total > best[end]:
                second[end], best[end], starts[end] = best[end], total, start
            elif total > second[end]:
                second[end] = total
            if both is not None:
                end += 1
                total = before + both
                if total > best[end]:
                    second[end], best[end], starts[end] = best[end], total, start
                elif total > second[end]:
                    second[end] = total
            for length in lengths:
                end = start + length
                if end > size:
                    break
                found = score_of(text[start:end])
                if found is not None:
                    total = before + found
                    if total > best[end]:
                        second[end], best[end], starts[end] = best[end], total, start
                    elif total > second[end]:
                        second[end] = total
        return Paths(best, second, starts)


class Paths:
    """The best paths to all places of a text.

    best, second: the highest score to each place, and the next one by another last piece.
    starts: where the last piece of the best path begins.
    """

    __slots__ = ("best", "second", "starts")

    def __init__(self, best: Sequence[float], second: Sequence[float], starts: Sequence[int]) -> None:
        self.best = best
        self.second = second
        self.starts = starts

    def are_sure(self, farthest: float) -> bool:
        """Whether float32 sums give the same best path to the end, as long as all of them are nearer to 0 than this.

        Each addition is wrong by half of the last digit at most. So a place is in doubt where the best path to it is
        not ahead of the second by more than the additions of both can be wrong. A place in doubt has the score of
        either path, of as many additions as there are characters before it. It matters only on the best path: another
        path that goes through it has lost by more than that, since every place of the best path is checked.
        """
        best, second = self.best, self.second
        size = len(best) - 1
        rounding = farthest * _FLOAT32_ROUNDING
        # Most words: no place is in doubt, even if each character were an addition.
        if min(map(sub, best[1:], second[1:]), default=inf) > 2 * size * rounding:
            return True
        additions = [0] * (size + 1)
        in_doubt: list[int] = []
        most = 1
        for place in range(1, size + 1):
            if best[place] - second[place] > 2 * most * rounding:
                count = additions[self.starts[place]] + 1
            else:
                in_doubt.append(place)
                count = place
            additions[place] = count
            most = max(most, count + 1)
        return not in_doubt or {end for _, end in spans_of_path(self.starts)}.isdisjoint(in_doubt)


def spans_of_path(starts: Sequence[int]) -> Iterator[Span]:
    """Where the pieces of the best path to the end start and end."""
    place = len(starts) - 1
    path = [place]
    while place:
        place = starts[place]
        path.append(place)
    path.reverse()
    return pairwise(path)
