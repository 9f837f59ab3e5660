"""Texts that two ways of cutting make with the same, or nearly the same, sum of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from conformance.generators.base import Generator, NothingToDo, grouped
from conformance.generators.knowledge import ModelKnowledge

_MOST_REPEATS = 7
_NEAR = 4
_PLACES = 9
"""Decimals: sums that differ by less are equal but for the order in which they are added."""


@dataclass(frozen=True, slots=True)
class ScoreTies(Generator):
    """Two pieces whose end and beginning are the same, written as one; and pieces that overlap themselves.

    pieces: by score. starting: the pieces by their first character, by score as well.
    """

    knowledge: ModelKnowledge = field(repr=False)
    pieces: tuple[str, ...] = field(repr=False)
    starting: Mapping[str, Sequence[int]] = field(repr=False)
    name = "score ties"

    @classmethod
    def of(cls, knowledge: ModelKnowledge) -> ScoreTies | NothingToDo:
        scores = knowledge.scores
        pieces = tuple(sorted(filter(None, scores), key=scores.__getitem__))
        if not pieces:
            return NothingToDo(cls.name, "the vocab has no scores")
        return cls(knowledge, pieces, grouped((piece[0], place) for place, piece in enumerate(pieces)))

    def draw(self, chance: Random) -> str:
        place = chance.randrange(len(self.pieces))
        piece = self.pieces[place]
        if chance.random() < 0.3:
            return self.knowledge.text(piece * chance.randrange(2, _MOST_REPEATS))
        if chance.random() < 0.3:
            beside = self.pieces[min(place + chance.randrange(_NEAR), len(self.pieces) - 1)]
            return self.knowledge.text(piece + beside + piece)
        return self.knowledge.text(self._overlapping(chance, place))

    def _overlapping(self, chance: Random, place: int) -> str:
        """A piece, and one of nearly the same score that begins with a character of it, from there on."""
        piece = self.pieces[place]
        cut = chance.randrange(len(piece))
        places = self.starting.get(piece[cut], ())
        if not places:
            return piece
        nearest = min(range(0, len(places), 1 + len(places) // 64), key=lambda index: abs(places[index] - place))
        return piece[:cut] + self.pieces[places[min(nearest + chance.randrange(_NEAR), len(places) - 1)]]


def near_ties(scores: Mapping[str, float], most: int) -> list[str]:
    """Texts that are two pieces in two ways, those first whose sums of scores differ least: rounding parts them.

    Two ways with the same pieces are left out: nothing parts them.

    >>> near_ties({"a": -1.0, "ab": -2.25, "bc": -2.0, "c": -0.5, "cc": -9.0}, 2)
    ['abc']
    """
    behind: dict[str, list[str]] = {}
    for piece in scores:
        for cut in range(1, len(piece)):
            if piece[cut:] in scores:
                behind.setdefault(piece[:cut], []).append(piece)
    found: dict[str, float] = {}
    for piece in scores:
        for cut in range(1, len(piece)):
            left, middle = piece[:cut], piece[cut:]
            for right in behind.get(middle, ()) if left in scores else ():
                end = right[len(middle) :]
                text = left + right
                apart = abs(scores[left] + scores[right] - scores[piece] - scores[end])
                if {left, right} != {piece, end} and apart < found.get(text, apart + 1):
                    found[text] = round(apart, _PLACES)
    return sorted(found, key=lambda text: (found[text], text))[:most]
