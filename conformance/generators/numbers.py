"""Numbers: digits of all scripts, grouping, fractions, signs, and numbers that are letters."""

from __future__ import annotations

from random import Random

from conformance.generators.alphabets import by_category
from conformance.generators.base import Generator, few, pick, picks

_SIGNS = ("", "-", "+", "$", "€", "−", " ", "x", "№")
_BEHIND = ("", "%", "th", "°C", "e-7", " ", ".", "km²", "½", "'s")
_GROUPING = (",", ".", "'", "\u202f", "_", " ", ":", "/", "٬")
_LONGEST = 10


class Numbers(Generator):
    """Up to four parts of a number, each of up to ten digits: patterns cut them by one, by three, or not at all."""

    name = "numbers"

    def draw(self, chance: Random) -> str:
        digits = [_digits(chance) for _ in range(few(chance, 4))]
        return pick(chance, _SIGNS) + pick(chance, _GROUPING).join(digits) + pick(chance, _BEHIND)


def _digits(chance: Random) -> str:
    kind = chance.random()
    if kind < 0.6:
        return "".join(picks(chance, "0123456789", _LONGEST))
    if kind < 0.8:
        zero = ord(pick(chance, by_category()["Nd"])) & ~0xF
        return "".join(chr(zero + chance.randrange(16)) for _ in range(few(chance, 4)))
    pool = by_category()[pick(chance, ("Nd", "Nl", "No"))]
    return "".join(picks(chance, pool, 4))
