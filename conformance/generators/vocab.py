"""Entries of the vocab: whole, cut short, put together, and nearly right."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from conformance.generators.alphabets import TROUBLE
from conformance.generators.base import Generator, NothingToDo, few, pick
from conformance.generators.knowledge import ModelKnowledge

_MOST_TOGETHER = 5
_UNMERGED_OFTEN = 0.2
_BESIDE = ("", "", "", " ", "\n", ".")


@dataclass(frozen=True, slots=True)
class VocabEntries(Generator):
    """Some entries one after the other; any may be cut short, or begin elsewhere than at its start.

    unmerged: those that no merge makes, which are also drawn alone: a whole pre-token may be found all the same.
    """

    texts: tuple[str, ...] = field(repr=False)
    unmerged: tuple[str, ...] = field(repr=False)
    name = "vocab entries"

    @classmethod
    def of(cls, knowledge: ModelKnowledge) -> VocabEntries | NothingToDo:
        if not knowledge.texts:
            return NothingToDo(cls.name, "no entry of the vocab is a text")
        return cls(knowledge.texts, knowledge.unmerged)

    def draw(self, chance: Random) -> str:
        if self.unmerged and chance.random() < _UNMERGED_OFTEN:
            return pick(chance, _BESIDE) + pick(chance, self.unmerged) + pick(chance, _BESIDE)
        return "".join(self._part(chance) for _ in range(1 + few(chance, _MOST_TOGETHER)))

    def _part(self, chance: Random) -> str:
        text = pick(chance, self.texts)
        if chance.random() < 0.7 or len(text) < 2:
            return text
        cut = chance.randrange(1, len(text))
        return text[:cut] if chance.random() < 0.7 else text[cut:]


@dataclass(frozen=True, slots=True)
class NearMisses(Generator):
    """An entry with one character too many, too few, in another case, doubled, or put in place of another."""

    texts: tuple[str, ...] = field(repr=False)
    name = "near-misses of vocab entries"

    @classmethod
    def of(cls, knowledge: ModelKnowledge) -> NearMisses | NothingToDo:
        return cls(knowledge.texts) if knowledge.texts else NothingToDo(cls.name, "no entry of the vocab is a text")

    def draw(self, chance: Random) -> str:
        text = pick(chance, self.texts)
        place = chance.randrange(len(text))
        before, character, after = text[:place], text[place], text[place + 1 :]
        other = pick(chance, pick(chance, self.texts))
        changes = (
            before + after,
            before + character + character + after,
            before + other + after,
            before + character + other + after,
            before + character.swapcase() + after,
            before + pick(chance, TROUBLE) + character + after,
            before + " " + character + after,
            text.swapcase(),
            text.strip() + text,
        )
        return pick(chance, changes)
