"""Added tokens: each flag beside each neighbour; overlapping, cut short, within one another, in other words."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from conformance.generators.base import Generator, NothingToDo, grouped
from conformance.generators.contents import Contents
from conformance.generators.knowledge import ModelKnowledge
from reftok.rules.types import AddedToken


@dataclass(frozen=True, slots=True)
class AddedTokens(Generator):
    """Contents of added tokens between neighbours: of each combination of flags as often as of the others."""

    contents: Contents = field(repr=False)
    name = "added tokens"
    turns = 2

    @classmethod
    def of(cls, knowledge: ModelKnowledge) -> AddedTokens | NothingToDo:
        contents = Contents.of(grouped((flags_of(token), token.content) for token in knowledge.added).values())
        return NothingToDo(cls.name, "the model has no added tokens") if contents is None else cls(contents)

    def draw(self, chance: Random) -> str:
        return self.contents.draw(chance)


def flags_of(token: AddedToken) -> tuple[bool, ...]:
    """The flags of an added token: single_word, lstrip, rstrip, normalized, special."""
    return token.single_word, token.lstrip, token.rstrip, token.normalized, token.special


_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")


def flag_names(flags: tuple[bool, ...]) -> str:
    """The names of the flags that are set, in the order of `flags_of`.

    >>> flag_names((False, True, False, False, True))
    'lstrip, special'
    """
    return ", ".join(name for name, is_set in zip(_FLAGS, flags, strict=True) if is_set) or "no flag"
