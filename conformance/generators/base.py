"""A generator of inputs: one definition, from which runs and sessions draw in bulk, and tests with Hypothesis.

generator.draw(Random("seed:place"))        what `conformance.strategies` makes shrink
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar, TypeAlias, TypeVar

from conformance.generators.knowledge import ModelKnowledge

Drawn: TypeAlias = str | bytes | tuple[int, ...]
"""A text to encode, bytes to encode that need not be UTF-8, or ids to decode."""

_Item = TypeVar("_Item")
_Key = TypeVar("_Key")


class Generator(ABC):
    """A source of inputs of one sort. What it draws depends on `chance` and on what it was built from alone.

    name: as sessions and reports have it. turns: how many inputs it gives for each one of another generator.
    """

    name: ClassVar[str]
    turns: ClassVar[int] = 1

    @classmethod
    def of(cls, knowledge: ModelKnowledge) -> Generator | NothingToDo:
        """The generator for a model; as it stands here, of one that needs to know nothing."""
        return cls()

    @abstractmethod
    def draw(self, chance: Random) -> Drawn:
        """One input. A text has no lone surrogates."""


@dataclass(frozen=True, slots=True)
class NothingToDo:
    """In place of a generator that has nothing to work on with this model; reason: what the model lacks."""

    name: str
    reason: str


def in_turn(found: Iterable[Generator | NothingToDo]) -> list[Generator]:
    """The generators, each as often as it has its turn; those with nothing to do are left out."""
    return [one for one in found if not isinstance(one, NothingToDo) for _ in range(one.turns)]


def pick(chance: Random, items: Sequence[_Item]) -> _Item:
    """One of the items; as `Random.choice`, in half the time.

    >>> pick(Random(0), "a")
    'a'
    """
    return items[int(chance.random() * len(items))]


def picks(chance: Random, items: Sequence[_Item], most: int) -> list[_Item]:
    """From 1 to `most` of the items, one of them perhaps several times.

    >>> picks(Random(0), "ab", 3)
    ['b', 'a', 'a']
    """
    return [pick(chance, items) for _ in range(few(chance, most))]


def grouped(pairs: Iterable[tuple[_Key, _Item]]) -> dict[_Key, list[_Item]]:
    """The second parts of pairs, by the first.

    >>> grouped((("a", "b"), ("c", "d"), ("a", "c")))
    {'a': ['b', 'c'], 'c': ['d']}
    """
    found: defaultdict[_Key, list[_Item]] = defaultdict(list)
    for key, item in pairs:
        found[key].append(item)
    return dict(found)


def few(chance: Random, most: int) -> int:
    """A number from 1 to `most`, small ones more often.

    >>> few(Random(0), 1)
    1
    """
    return 1 + int(chance.random() ** 2 * most)
