"""Contents looked for in a text as it stands (added tokens, symbols): whole, cut, overlapping, within one another."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal

from conformance.generators.base import few, pick

NEIGHBOURS: tuple[str, ...] = ("", " ", "  ", *"\t\n\u3000\xa0aÉ_1½.-\u0301\u200d\u1c89▁中")
"""The characters that flags look at: white space, and those of a word for single_word, of which one is new."""
FORMS: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")
_LONGEST_COMPETITOR = 64
"""In code points: all beginnings of a longer one would take memory that grows with the square of its length."""
_MOST_COMPETITORS = 8
"""Of the contents that begin with the same characters, so many are held against each end of another."""


@dataclass(frozen=True, slots=True)
class Contents:
    """Contents between neighbours.

    every: all contents. pools: their sorts, of which a rare one is drawn as often as the others.
    competing: texts of several at one place. written_otherwise: what a normalization form makes of a content.
    """

    every: tuple[str, ...] = field(repr=False)
    pools: tuple[tuple[str, ...], ...] = field(repr=False)
    competing: tuple[str, ...] = field(repr=False)
    written_otherwise: tuple[str, ...] = field(repr=False)

    @classmethod
    def of(cls, pools: Iterable[Sequence[str]]) -> Contents | None:
        """None where no pool has any content."""
        kept = tuple(found for pool in pools if (found := tuple(filter(None, pool))))
        every = tuple(content for pool in kept for content in pool)
        return cls(every, kept, tuple(competing(every)), tuple(_written_otherwise(every))) if kept else None

    def draw(self, chance: Random) -> str:
        """One to three parts between neighbours."""
        parts = [pick(chance, NEIGHBOURS)]
        for _ in range(few(chance, 3)):
            parts += [self.part(chance), pick(chance, NEIGHBOURS) if chance.random() < 0.7 else ""]
        return "".join(parts)

    def part(self, chance: Random) -> str:
        """A content, or what is nearly one."""
        kind = chance.random()
        if kind < 0.15 and self.competing:
            return pick(chance, self.competing)
        if kind < 0.25 and self.written_otherwise:
            return pick(chance, self.written_otherwise)
        content = self.whole(chance)
        if kind < 0.65:
            return content
        cut = chance.randrange(len(content) + 1)
        other = self.whole(chance)
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

    def whole(self, chance: Random) -> str:
        """A content as it is."""
        return pick(chance, self.every if chance.random() < 0.5 else pick(chance, self.pools))


def competing(contents: Sequence[str]) -> Iterator[str]:
    """Texts that begin with two contents, or in which the end of one is the beginning of another.

    >>> sorted(competing(["token", "token_1", "ab|cd", "cd|ef"]))
    ['ab|cd|ef', 'token_1']
    """
    beginnings: dict[str, list[str]] = defaultdict(list)
    compared = dict.fromkeys(content for content in contents if len(content) <= _LONGEST_COMPETITOR)
    for content in compared:
        for length in range(1, len(content)):
            beginnings[content[:length]].append(content)
    for content in compared:
        for start in range(len(content)):
            for other in beginnings.get(content[start:], ())[:_MOST_COMPETITORS]:
                if start or other != content:
                    yield content[:start] + other


def _written_otherwise(contents: Iterable[str]) -> Iterator[str]:
    for content in contents:
        forms = (unicodedata.normalize(form, content) for form in FORMS)
        yield from dict.fromkeys(form for form in forms if form != content)
