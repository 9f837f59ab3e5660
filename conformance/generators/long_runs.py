"""Long runs of one character or of a few: what is slow, what is cached by length, what overflows."""

from __future__ import annotations

from random import Random

from conformance.generators.alphabets import SPACES, TROUBLE, alphabet
from conformance.generators.base import Generator, pick, picks

_LENGTHS = (8, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65)
_RARE_LENGTHS = (127, 128, 255, 256, 257, 300, 511, 513, 1025)
_RARELY = 0.06


class LongRuns(Generator):
    """A part of one to three characters over and over, about as often as a power of two, with something at its ends."""

    name = "long runs"

    def draw(self, chance: Random) -> str:
        pool = pick(chance, ("aAeé", "0189", "-=_.*#", SPACES, TROUBLE, "中あ한", alphabet()))
        part = "".join(picks(chance, pool, 3))
        length = pick(chance, _RARE_LENGTHS if chance.random() < _RARELY else _LENGTHS)
        return pick(chance, ("", "", "a", " ")) + (part * length)[:length] + pick(chance, ("", "", "b", "\n"))
