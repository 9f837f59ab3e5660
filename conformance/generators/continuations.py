"""Continuations of a text by which a token would reach across the place where it ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from conformance.generators.base import grouped, pick


@dataclass(frozen=True, slots=True)
class Continuations:
    """The rests of entries of the vocab after the first character, by that character.

    A cut at the wrong place shows in the ids only where a token reaches across it.

    >>> Continuations.of(["some", "a", "été"]).after("'s", Random(0))
    'ome'
    """

    rests: Mapping[str, Sequence[str]] = field(repr=False)

    @classmethod
    def of(cls, texts: Iterable[str]) -> Continuations:
        """texts: what the entries of the vocab stand for."""
        return cls(grouped((text[0], text[1:]) for text in texts if len(text) > 1))

    def after(self, text: str, chance: Random) -> str:
        """The rest of an entry that begins with the last character of the text; "" where there is none."""
        found = self.rests.get(text[-1:])
        return pick(chance, found) if found else ""
