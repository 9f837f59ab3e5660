"""Texts in which merges compete for the same symbol, follow from one another, or could be made in several orders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from conformance.generators.base import Generator, NothingToDo, grouped, pick, picks
from conformance.generators.knowledge import ModelKnowledge, Pair

_LONGEST_CHAIN = 4
_MOST_REPEATS = 6
_ENDS_OFTEN, _ENDS = 0.05, 4
"""A loop that starts late or stops early misses the first or the last merges, so these are drawn more often."""


@dataclass(frozen=True, slots=True)
class Merges(Generator):
    """The two symbols of a merge, then what the second of them merges with as well.

    knowledge: writes symbols as text. pairs: the merges. seconds: what each symbol merges with on its right.
    several: tokens that more than one merge makes. doubled: merges of a symbol with itself.
    """

    knowledge: ModelKnowledge = field(repr=False)
    seconds: Mapping[str, list[str]] = field(repr=False)
    several: tuple[str, ...] = field(repr=False)
    doubled: tuple[str, ...] = field(repr=False)
    name = "merges"

    @classmethod
    def of(cls, knowledge: ModelKnowledge) -> Merges | NothingToDo:
        pairs = knowledge.pairs
        if not pairs:
            return NothingToDo(cls.name, "the model has no merges")
        made = Counter(first + second for first, second in pairs)
        several = tuple(token for token, count in made.items() if count > 1)
        doubled = tuple(first for first, second in pairs if first == second)
        return cls(knowledge, grouped(pairs), several, doubled)

    def draw(self, chance: Random) -> str:
        part = chance.random()
        if part < 0.15 and self.doubled:
            return self.knowledge.text(pick(chance, self.doubled) * chance.randrange(2, 2 + _MOST_REPEATS))
        if part < 0.3 and self.several:
            return self.knowledge.text("".join(picks(chance, self.several, 3)))
        if part < 0.3 + _ENDS_OFTEN:
            pairs = self.knowledge.pairs
            return self.knowledge.text("".join(pick(chance, [*pairs[:_ENDS], *pairs[-_ENDS:]])))
        return self.knowledge.text(self._chain(chance))

    def _chain(self, chance: Random) -> str:
        """Symbols each of which merges with the next: what stands between two merges can go with either."""
        pairs = self.knowledge.pairs
        first, second = _early(chance, pairs) if chance.random() < 0.5 else pick(chance, pairs)
        symbols = [first, second]
        for _ in range(chance.randrange(1, _LONGEST_CHAIN)):
            after = self.seconds.get(symbols[-1]) or self.seconds.get(symbols[-1][-1:])
            if not after:
                break
            symbols.append(pick(chance, after))
        return "".join(symbols)


def _early(chance: Random, pairs: tuple[Pair, ...]) -> Pair:
    """One of the merges that come first, which win wherever they can be made."""
    return pairs[int(chance.random() ** 3 * len(pairs))]
