"""Added tokens: each flag beside each neighbour; overlapping, cut short, within one another, in other words."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import ClassVar

from conformance.generators.base import NothingToDo, few, pick
from conformance.generators.knowledge import ModelKnowledge
from reftok.types import AddedToken

NEIGHBOURS = (
    "",
    " ",
    "  ",
    "\t",
    "\n",
    "\u3000",
    "\xa0",
    "a",
    "É",
    "_",
    "1",
    "½",
    ".",
    "-",
    "\u0301",
    "\u200d",
    "▁",
    "中",
)
"""What the flags look at: white space for lstrip and rstrip, characters of a word for single_word."""


@dataclass(frozen=True, slots=True)
class AddedTokens:
    """Contents of added tokens between neighbours.

    by_flags: the contents for each combination of flags, so that the rare ones are drawn as often as the others.
    """

    by_flags: tuple[tuple[str, ...], ...] = field(repr=False)
    name: ClassVar[str] = "added tokens"

    @classmethod
    def of(cls, knowledge: ModelKnowledge) -> AddedTokens | NothingToDo:
        contents: dict[tuple[bool, ...], list[str]] = {}
        for token in knowledge.added:
            contents.setdefault(flags_of(token), []).append(token.content)
        if not contents:
            return NothingToDo(cls.name, "the model has no added tokens")
        return cls(tuple(map(tuple, contents.values())))

    def draw(self, chance: Random) -> str:
        parts = [pick(chance, NEIGHBOURS)]
        for _ in range(few(chance, 3)):
            parts += [self._part(chance), pick(chance, NEIGHBOURS) if chance.random() < 0.7 else ""]
        return "".join(parts)

    def _part(self, chance: Random) -> str:
        content = self._content(chance)
        kind = chance.random()
        if kind < 0.6:
            return content
        cut = chance.randrange(len(content) + 1)
        other = self._content(chance)
        forms = (
            content[:cut],
            content[cut:],
            content[:cut] + other + content[cut:],
            content[:cut] + content,
            content + other[len(other) // 2 :],
            content.swapcase(),
            content[:cut] + pick(chance, NEIGHBOURS) + content[cut:],
        )
        return pick(chance, forms)

    def _content(self, chance: Random) -> str:
        return pick(chance, pick(chance, self.by_flags))


def flags_of(token: AddedToken) -> tuple[bool, ...]:
    """The flags of an added token: single_word, lstrip, rstrip, normalized, special."""
    return token.single_word, token.lstrip, token.rstrip, token.normalized, token.special
