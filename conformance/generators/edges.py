"""The two ends of a text, where ports strip, stop and look for marks."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from conformance.generators.base import Generator, NothingToDo, pick
from conformance.generators.knowledge import ModelKnowledge

_ENDS = ("\ufeff", "\ufffe", "\x00", "\u200b", "\u200d", "\xad", " ", "\n", "\r\n", "\t", "\xa0", "\x1a", "\u0301", "▁")


@dataclass(frozen=True, slots=True)
class Edges(Generator):
    """An entry of the vocab with one or two characters before it, behind it or both. texts: the entries, or some."""

    texts: tuple[str, ...] = field(repr=False)
    name = "edges"

    @classmethod
    def of(cls, knowledge: ModelKnowledge) -> Edges | NothingToDo:
        return cls(knowledge.texts or ("a", "é"))

    def draw(self, chance: Random) -> str:
        before, behind = pick(chance, _ENDS), pick(chance, _ENDS)
        text = pick(chance, self.texts)
        forms = (before + text, text + behind, before + text + behind, before + behind + text, text + before + behind)
        return pick(chance, (*forms, before, before + behind, text + before + text))
