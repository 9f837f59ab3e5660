"""Words that are special in programming languages and data formats: object keys, null values, booleans, numbers."""

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
"""Keys that every JavaScript object inherits, null values and booleans of CSV and YAML, numbers in other notations."""
_BEFORE, _BEHIND = ("", "", "\n", "\t", "(", " ", "."), ("", "", "\n", ":", "(", " ", ".")


@dataclass(frozen=True, slots=True)
class ReservedWords(Generator):
    """A reserved word, alone or next to a delimiter: a cache or vocab kept in a plain `{}` finds some by mistake."""

    name = "words with a meaning"

    @classmethod
    def of(cls, knowledge: ModelKnowledge) -> ReservedWords:
        """The same for every model."""
        return cls()

    def draw(self, chance: Random) -> str:
        return pick(chance, _BEFORE) + pick(chance, WORDS) + pick(chance, _BEHIND)
