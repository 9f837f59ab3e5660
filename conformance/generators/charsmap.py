"""Keys of the charsmap, alone and beside their replacements."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from conformance.generators.alphabets import marks
from conformance.generators.base import Generator, NothingToDo, few, pick
from conformance.generators.knowledge import ModelKnowledge, Pair


@dataclass(frozen=True, slots=True)
class CharsmapRules(Generator):
    """Keys of the charsmap: whole, cut short, with a mark behind them, beside replacements of others."""

    rules: tuple[Pair, ...] = field(repr=False)
    name = "charsmap"

    @classmethod
    def of(cls, knowledge: ModelKnowledge) -> CharsmapRules | NothingToDo:
        return cls(knowledge.rules) if knowledge.rules else NothingToDo(cls.name, "the model has no charsmap")

    def draw(self, chance: Random) -> str:
        return "".join(self._part(chance) for _ in range(few(chance, 4))) or "a"

    def _part(self, chance: Random) -> str:
        key, replacement = pick(chance, self.rules)
        forms = (key, key, key, replacement, key[:-1], key + pick(chance, marks()), f"a{key} ", f" {key}")
        return pick(chance, forms)
