"""Contractions and quotes: every apostrophe, every case, at every edge of a word."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from conformance.generators.base import Generator, NothingToDo, few, pick
from conformance.generators.continuations import Continuations
from conformance.generators.knowledge import ModelKnowledge

_APOSTROPHES = ("'", "'", "'", "’", "‘", "`", "´", "ʼ", "′", "＇", "''")
_ENDINGS = ("s", "t", "re", "ve", "m", "ll", "d", "S", "T", "RE", "Ve", "M", "LL", "D", "ſ", "ll'", "x", "em", "")
_WORDS = ("I", "you", "It", "WE", "don", "n", "o", "été", "dell", "L", "1", "中", "", " ", "\n", "(", ")", "_")
_QUOTES = ("'", '"', "“", "”", "«", "»", "„", "「", "」", "``", "''", "’")


@dataclass(frozen=True, slots=True)
class Contractions(Generator):
    """Words with an apostrophe and an ending, some of them in quotes.

    continuations: so that tokens reach across the end of a contraction.
    """

    continuations: Continuations = field(repr=False)
    name = "contractions and quotes"

    @classmethod
    def of(cls, knowledge: ModelKnowledge) -> Contractions | NothingToDo:
        return cls(Continuations.of(knowledge.texts))

    def draw(self, chance: Random) -> str:
        parts: list[str] = []
        for _ in range(few(chance, 3)):
            ending = pick(chance, _ENDINGS)
            behind = self.continuations.after(ending, chance) if chance.random() < 0.4 else pick(chance, _WORDS)
            word = pick(chance, _WORDS) + pick(chance, _APOSTROPHES) + ending + behind
            quoted = chance.random() < 0.2
            parts.append(pick(chance, _QUOTES) + word + pick(chance, _QUOTES) if quoted else word)
        return pick(chance, (" ", "", "-", "\n")).join(parts)
