"""A text for each alternative of the patterns that the model cuts by, and for each seam between two of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from conformance.generators.alphabets import SPACES, alphabet
from conformance.generators.base import Generator, NothingToDo, few, pick
from conformance.generators.continuations import Continuations
from conformance.generators.knowledge import ModelKnowledge
from conformance.generators.pattern_texts import Maker, branches_of, text_maker

_MOST_BRANCHES = 4


@dataclass(frozen=True, slots=True)
class SplitPattern(Generator):
    """Matches of some alternatives, one after the other; one may be cut short, or another character come between.

    patterns: what draws a text of each alternative, by pattern. continuations: so that tokens reach across a seam.
    """

    patterns: tuple[tuple[Maker, ...], ...] = field(repr=False)
    continuations: Continuations = field(repr=False)
    name = "split pattern"

    @classmethod
    def of(cls, knowledge: ModelKnowledge) -> SplitPattern | NothingToDo:
        if not knowledge.patterns:
            return NothingToDo(cls.name, "no pre-tokenizer cuts by a pattern")
        makers = (tuple(map(text_maker, branches_of(tree))) for tree in knowledge.patterns)
        return cls(tuple(makers), Continuations.of(knowledge.texts))

    def draw(self, chance: Random) -> str:
        makers = pick(chance, self.patterns)
        parts = [self._part(makers, chance) for _ in range(1 + few(chance, _MOST_BRANCHES))]
        if chance.random() < 0.2:
            parts.insert(1, pick(chance, SPACES if chance.random() < 0.5 else alphabet()))
        return "".join(parts) or " "

    def _part(self, makers: tuple[Maker, ...], chance: Random) -> str:
        text = pick(chance, makers)(chance)
        kind = chance.random()
        if kind < 0.4:
            return text + self.continuations.after(text, chance)
        return text[:-1] if kind < 0.5 else text
