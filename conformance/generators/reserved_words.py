"""Words that languages and formats of tables have a meaning for: keys of every object, names of nothing, numbers."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from conformance.generators.base import Generator, pick
from conformance.generators.knowledge import ModelKnowledge

WORDS: tuple[str, ...] = (
    *("constructor", "toString", "valueOf", "hasOwnProperty", "isPrototypeOf", "__proto__", "toLocaleString"),
    *("null", "NULL", "None", "nil", "NA", "NaN", "nan", "undefined", "true", "True", "false", "yes", "no", "on"),
    *("Infinity", "-0", "1e5", "0x1F", "1_000", "#version", "#N/A", "__init__", "length", "size", "default"),
)
"""Keys of an empty object of JavaScript, what readers of CSV and YAML take for nothing or a truth value, numbers."""
_BEFORE, _BEHIND = ("", "", "\n", "\t", "(", " ", "."), ("", "", "\n", ":", "(", " ", ".")


@dataclass(frozen=True, slots=True)
class ReservedWords(Generator):
    """One of them, alone or beside what cuts it off from other words: a cache or a vocab that is `{}` has some."""

    name = "words with a meaning"

    @classmethod
    def of(cls, knowledge: ModelKnowledge) -> ReservedWords:
        """The same for every model."""
        return cls()

    def draw(self, chance: Random) -> str:
        return pick(chance, _BEFORE) + pick(chance, WORDS) + pick(chance, _BEHIND)
