"""The best path through a text that is all there: without a tree of pieces, and without an object for each character.

A word of a few characters has so few parts that it is faster to look all of them up than to walk through a tree, and
most pairs of characters begin pieces of a few lengths only.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, pairwise, repeat
from math import inf
from operator import add, sub
from typing import Literal

from reftok.engine.unigram.trie import Ids

LONGEST_PIECE = 256
"""With longer pieces to look each part up takes longer than the plain rules."""

_NONE: tuple[int, ...] = ()


class WholeTexts:
    """Viterbi over a whole text, as `reftok.rules.viterbi.best_paths` does it.

    entries: the pieces with their ids and scores, none of them longer than `LONGEST_PIECE`, nor ''.
    unknown_score: of a character that is no piece.
    typecode, threshold: the type of the sums and where they begin anew, as of `Sums`.

    Sums must not get so large that they are infinite: callers see to it.

    >>> texts = WholeTexts({"a": (1, -1.0), "b": (2, -1.5), "ab": (3, -2.0)}, unknown_score=-12.0, typecode="d")
    >>> best, starts = texts.paths("abxb")
    >>> best[-1], [*bounds(starts, 4)], texts.ids("abxb", bounds(starts, 4), lambda character: (0,))
    (-15.5, [(0, 2), (2, 3), (3, 4)], [3, 0, 2])
    """

    def __init__(
        self,
        entries: Mapping[str, tuple[int, float]],
        unknown_score: float,
        typecode: Literal["d", "f"],
        threshold: float = inf,
    ) -> None:
        self._entries = entries
        self._scores = {piece: score for piece, (_, score) in entries.items()}
        self._unknown_score = unknown_score
        self._typecode = typecode
        self._threshold = threshold
        lengths: defaultdict[str, int] = defaultdict(int)
        for piece in entries:
            lengths[piece[:2]] |= 1 << len(piece)
        known = {bits: _lengths(bits) for bits in {*lengths.values()}}
        score_of = self._scores.get
        self._pairs: Mapping[str, tuple[float, float | None, tuple[int, ...]]] = {
            pair: (score_of(pair[0], unknown_score), score_of(pair), known[bits])
            for pair, bits in lengths.items()
            if len(pair) == 2
        }
        """What begins with two characters: the scores of the first alone and of both, and how long the others are."""

    def paths(self, text: str, score: float = 0.0) -> tuple[Sequence[float], Sequence[int]]:
        """For each place the score of the best path that ends there, and where its last piece starts.

        score: that the text begins with. Where one is beyond the threshold, those behind it count from there.
        """
        size = len(text)
        best = [score, *repeat(-inf, size)]
        starts = [-1] * (size + 1)
        cell = array(self._typecode, (0.0,))
        threshold = self._threshold
        known_pair, score_of, unknown_score = self._pairs.get, self._scores.get, self._unknown_score
        for start, pair in enumerate(map(add, text, chain(text[1:], ("",)))):
            before = best[start]
            if not -threshold <= before <= threshold:
                self._take_off(before, best, starts, start)
                before = 0.0
            end = start + 1
            first, both, lengths = known_pair(pair) or (score_of(text[start], unknown_score), None, _NONE)
            total = before + first
            # What is not more is not more when it is rounded, either.
            if total > best[end]:
                cell[0] = total
                total = cell[0]
                if total > best[end]:
                    best[end], starts[end] = total, start
            if both is not None:
                cell[0] = before + both
                total = cell[0]
                if total > best[end + 1]:
                    best[end + 1], starts[end + 1] = total, start
            for length in lengths:
                end = start + length
                if end > size:
                    break
                found = score_of(text[start:end])
                if found is not None:
                    total = before + found
                    if total > best[end]:
                        cell[0] = total
                        total = cell[0]
                        if total > best[end]:
                            best[end], starts[end] = total, start
        return best, starts

    def _take_off(self, score: float, best: list[float], starts: Sequence[int], place: int) -> None:
        """Take a score at a place off from all that are reached behind it: by pieces that begin before the place."""
        for end in range(place + 1, min(place + self._longest, len(best))):
            if starts[end] >= 0:
                best[end] = array(self._typecode, (best[end] - score,))[0]

    def ids(self, text: str, parts: Iterable[tuple[int, int]], of_unknown: Callable[[str], Ids]) -> list[int]:
        """The ids of the parts of a text that start and end at these places, each a piece or an unknown character."""
        entries = self._entries
        ids: list[int] = []
        for start, end in parts:
            entry = entries.get(text[start:end])
            if entry is None:
                ids += of_unknown(text[start:end])
            else:
                ids.append(entry[0])
        return ids

    def may_go_on(self, text: str) -> Iterator[int]:
        """The places in a text from which a piece may reach beyond its end: in order, and not the end itself.

        >>> [*WholeTexts({"ab": (1, -1.0), "bcd": (2, -1.0)}, -11.0, "d").may_go_on("abc")]
        [1]
        """
        for start in range(max(0, len(text) - self._longest + 1), len(text)):
            rest = text[start:]
            place = bisect_right(self._sorted, rest)
            if place < len(self._sorted) and self._sorted[place].startswith(rest):
                yield start

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self._entries)

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._entries), default=0)

    def sure_starts(self, text: str, rounding: float) -> Sequence[int] | None:
        """The same places of the best path through a text, whatever the score before it is; None where that counts.

        rounding: what one addition of a library is wrong by at most.

        The sums to a place are wrong by that for each of their additions. A place is doubtful where the best path to it
        is not ahead of the second by more than both can be wrong; its score is then that of any path, of as many
        additions as there are characters before it. What is doubtful counts on the best path only.
        """
        size = len(text)
        best = [0.0, *repeat(-inf, size)]
        second = [-inf] * (size + 1)
        starts = [-1] * (size + 1)
        known_pair, score_of, unknown_score = self._pairs.get, self._scores.get, self._unknown_score
        for start, pair in enumerate(map(add, text, chain(text[1:], ("",)))):
            before = best[start]
            end = start + 1
            first, both, lengths = known_pair(pair) or (score_of(text[start], unknown_score), None, _NONE)
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
        if min(map(sub, best[1:], second[1:]), default=inf) > 2 * size * rounding:
            return starts  # nothing is doubtful, whatever the number of additions
        return starts if _is_sure(best, second, starts, rounding) else None


def _is_sure(best: Sequence[float], second: Sequence[float], starts: Sequence[int], rounding: float) -> bool:
    """Whether no place is doubtful that counts; see `WholeTexts.sure_starts`."""
    size = len(best) - 1
    additions = [0] * size
    doubtful: list[int] = []
    most = 1
    for place in range(1, size):
        if best[place] - second[place] > 2 * most * rounding:
            count = additions[starts[place]] + 1
        else:
            doubtful.append(place)
            count = place
        additions[place] = count
        most = max(most, count + 1)
    if not best[size] - second[size] > 2 * most * rounding:
        return False
    return not doubtful or {start for start, _ in bounds(starts, size)}.isdisjoint(doubtful)


def bounds(starts: Sequence[int], end: int) -> Iterator[tuple[int, int]]:
    """Where the pieces of the best path to a place start and end."""
    path = [end]
    while end:
        end = starts[end]
        path.append(end)
    path.reverse()
    return pairwise(path)


def shared_beginning(starts: Sequence[int], places: Collection[int]) -> int:
    """Where the last piece ends that the best paths to all these places begin with.

    >>> shared_beginning([-1, 0, 1, 1, 2], {3, 4})
    1
    """
    left = {*places}
    while len(left) > 1:
        last = max(left)
        left.remove(last)
        left.add(starts[last])
    return left.pop()


def _lengths(bits: int) -> tuple[int, ...]:
    """The lengths from 3 on, the shortest first.

    >>> _lengths(0b101110)
    (3, 5)
    """
    return tuple(length for length in range(3, bits.bit_length()) if bits >> length & 1)
