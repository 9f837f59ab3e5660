"""User-defined symbols, which nothing may change or cut; and the names of pieces that no text may become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from conformance.generators.base import Generator, NothingToDo, few, grouped, pick
from conformance.generators.contents import NEIGHBOURS, Contents
from conformance.generators.continuations import Continuations
from conformance.generators.knowledge import ModelKnowledge


@dataclass(frozen=True, slots=True)
class Symbols(Generator):
    """Symbols and names written out: with what a token would take of them, and as what the charsmap makes them of.

    sources: what the charsmap turns into a character, by that character.
    """

    contents: Contents = field(repr=False)
    continuations: Continuations = field(repr=False)
    sources: Mapping[str, Sequence[str]] = field(repr=False)
    name = "symbols"
    turns = 2

    @classmethod
    def of(cls, knowledge: ModelKnowledge) -> Symbols | NothingToDo:
        contents = Contents.of((knowledge.symbols, *knowledge.reserved))
        if contents is None:
            return NothingToDo(cls.name, "the vocab has no symbols and no reserved pieces")
        sources = grouped((replacement, key) for key, replacement in knowledge.rules if len(replacement) == 1)
        return cls(contents, Continuations.of(knowledge.texts), sources)

    def draw(self, chance: Random) -> str:
        parts = [pick(chance, NEIGHBOURS)]
        for _ in range(few(chance, 3)):
            part = self.contents.part(chance)
            if self.sources and chance.random() < 0.2:
                part = "".join(self._source(character, chance) for character in part)
            behind = self.continuations.after(part, chance) if chance.random() < 0.5 else pick(chance, NEIGHBOURS)
            parts += [part, behind]
        return "".join(parts)

    def _source(self, character: str, chance: Random) -> str:
        found = self.sources.get(character)
        return pick(chance, found) if found and chance.random() < 0.5 else character
