"""A text for each alternative of the patterns that the model cuts by, and for each seam between two of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import ClassVar

from conformance.generators.alphabets import SPACES, alphabet
from conformance.generators.base import NothingToDo, few, pick
from conformance.generators.knowledge import ModelKnowledge
from conformance.generators.pattern_texts import branches_of, matching_text
from reftok.oniguruma.syntax_tree import Node

_MOST_BRANCHES = 4


@dataclass(frozen=True, slots=True)
class SplitPattern:
    """What some alternatives match, one after the other; one may be cut short, or another character come between.

    patterns: the alternatives of each pattern.
    """

    patterns: tuple[tuple[Node, ...], ...] = field(repr=False)
    name: ClassVar[str] = "split pattern"

    @classmethod
    def of(cls, knowledge: ModelKnowledge) -> SplitPattern | NothingToDo:
        if not knowledge.patterns:
            return NothingToDo(cls.name, "no pre-tokenizer cuts by a pattern")
        return cls(tuple(map(branches_of, knowledge.patterns)))

    def draw(self, chance: Random) -> str:
        branches = pick(chance, self.patterns)
        parts = [self._part(branches, chance) for _ in range(1 + few(chance, _MOST_BRANCHES))]
        if chance.random() < 0.2:
            parts.insert(1, pick(chance, SPACES if chance.random() < 0.5 else alphabet()))
        return "".join(parts) or " "

    def _part(self, branches: tuple[Node, ...], chance: Random) -> str:
        text = matching_text(pick(chance, branches), chance)
        return text[:-1] if chance.random() < 0.1 else text
