"""White space by its grammar: runs of one and of many kinds, before and behind words, marks, quotes and line ends."""

from __future__ import annotations

from random import Random

from conformance.generators.alphabets import NEARLY_SPACES, SPACES
from conformance.generators.base import Generator, few, pick, picks

_COMMON = ("  ", " ", "\n", "\t", "\r\n", "\r", " \n", "\n ", "\n\n", " \t")
_BESIDE = ("a", "the", "1", ".", "'", "'s", '"', "é", "中", "\u0301", "-", "", "", "")
_MOST_PARTS = 5
_LONGEST_RUN = 12


class WhiteSpace(Generator):
    """Runs of white space, of what is taken for it, and what may stand beside them."""

    name = "white space"

    def draw(self, chance: Random) -> str:
        parts: list[str] = []
        for _ in range(few(chance, _MOST_PARTS)):
            parts += [pick(chance, _BESIDE), _run(chance), pick(chance, _BESIDE)]
        return "".join(parts)


def _run(chance: Random) -> str:
    kind = chance.random()
    if kind < 0.5:
        return pick(chance, _COMMON) * few(chance, 4)
    if kind < 0.8:
        return pick(chance, SPACES) * few(chance, _LONGEST_RUN)
    pool = SPACES if kind < 0.9 else SPACES + NEARLY_SPACES
    return "".join(picks(chance, pool, 5))
