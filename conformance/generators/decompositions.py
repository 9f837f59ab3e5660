"""Characters that the normalization forms change, what they decompose into, and marks in the wrong order."""

from __future__ import annotations

import unicodedata
from random import Random

from conformance.generators.alphabets import by_age, decomposable, marks, marks_by_class
from conformance.generators.base import Generator, few, pick, picks
from conformance.generators.contents import FORMS

_JAMO = "\u1100\u1112\u1161\u1175\u11a8\u11c2\ud7a3\uac00\uac01\u1160\u11a7"


class Decompositions(Generator):
    """For every model: one that normalizes nothing must leave these texts as they are."""

    name = "decompositions"

    def draw(self, chance: Random) -> str:
        return "".join(self._part(chance) for _ in range(few(chance, 4)))

    def _part(self, chance: Random) -> str:
        character = pick(chance, decomposable())
        kind = chance.random()
        if kind < 0.4:
            return unicodedata.normalize(pick(chance, FORMS), character)
        if kind < 0.6:
            return character
        if kind < 0.65:
            base = unicodedata.normalize("NFD", character)[0]
            return base + "".join(picks(chance, marks(), 3))
        if kind < 0.8:
            return pick(chance, "aé") + "".join(pick(chance, pick(chance, marks_by_class())) for _ in range(2))
        if kind < 0.9:
            return "".join(picks(chance, _JAMO, 3))
        newest = pick(chance, tuple(by_age().values()))
        return pick(chance, "ae ") + pick(chance, newest) + pick(chance, marks())
