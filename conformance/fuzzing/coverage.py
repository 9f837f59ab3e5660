"""Semantic coverage: what inputs have made a tokenizer do, by kind. Merging is a union; order plays no part."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, TypeAlias

from conformance.core.records import Count, from_json

Key: TypeAlias = int | str
"""An id, the rank of a merge, or the name of what was reached."""

Universe: TypeAlias = Mapping[str, Collection[Key]]
"""Every key that a model could reach, by kind."""


MOST_KEYS, MOST_KEYS_OF_ALL = 1 << 22, 1 << 24
"""So many ids, merges and whatever else together has no model, nor have those of a session."""


@dataclass(slots=True)
class Coverage:
    """The keys that were reached, by kind.

    >>> coverage = Coverage()
    >>> coverage.take({"stages": ["NFC"]}).reached, coverage.take({"stages": ["NFC"]}).reached
    ({'stages': {'NFC'}}, {})
    """

    reached: dict[str, set[Key]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return any(self.reached.values())

    def of(self, kind: str) -> set[Key]:
        """The keys of one kind, which may be added to."""
        return self.reached.setdefault(kind, set())

    def take(self, found: Mapping[str, Iterable[Key]]) -> Coverage:
        """Take what was found; gives what of it is new."""
        new: dict[str, set[Key]] = {}
        for kind, keys in found.items():
            known = self.of(kind)
            if fresh := set(keys) - known:
                known |= fresh
                new[kind] = fresh
        return Coverage(new)

    def copy(self) -> Coverage:
        """The same, to go on from."""
        return Coverage({kind: set(keys) for kind, keys in self.reached.items()})

    def to_json(self) -> dict[str, list[Key]]:
        """By kind, in order; numbers that follow one another as "first-last"."""
        return {kind: _written(keys) for kind, keys in sorted(self.reached.items())}


def coverage_from_json(value: Any) -> Coverage:
    """The coverage of `Coverage.to_json`; raises ValueError for anything else.

    >>> coverage_from_json(Coverage({"merges": {1, 2, 3, 7}, "stages": {"NFC"}}).to_json()).reached["merges"]
    {1, 2, 3, 7}
    """
    spans = {kind: [*map(_read, keys)] for kind, keys in from_json(value, dict[str, list[Count | str]]).items()}
    if sum(len(span) for found in spans.values() for span in found) > MOST_KEYS:
        raise ValueError("it reached more than any model has")
    return Coverage({kind: {*chain.from_iterable(found)} for kind, found in spans.items()})


def _written(keys: Iterable[Key]) -> list[Key]:
    numbers = sorted(key for key in keys if isinstance(key, int))
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    spans: list[Key] = [first if first == last else f"{first}-{last}" for first, last in runs]
    return spans + sorted(f"={key}" for key in keys if isinstance(key, str))


def _read(key: Key) -> Collection[Key]:
    if isinstance(key, int):
        return (key,)
    if key.startswith("="):
        return (key[1:],)
    first, last = map(int, key.split("-"))
    if not 0 <= first < last < MOST_KEYS:
        raise ValueError(f"{key!r:.60} is no span of numbers")
    return range(first, last + 1)


@dataclass(frozen=True, slots=True)
class KindCoverage:
    """The coverage of one kind.

    reached, total: how many keys. examples: some that were never reached.
    """

    kind: str
    reached: int
    total: int
    examples: tuple[Key, ...] = ()


def summary(coverage: Coverage, universe: Universe, most: int = 10) -> tuple[KindCoverage, ...]:
    """Every kind that a model has, with at most so many examples of what was never reached.

    >>> summary(Coverage({"merges": {0, 2}}), {"merges": range(4)})
    (KindCoverage(kind='merges', reached=2, total=4, examples=(1, 3)),)
    """
    return tuple(
        KindCoverage(kind, len(found := coverage.of(kind) & set(keys)), len(keys), _missing(keys, found, most))
        for kind, keys in universe.items()
        if keys
    )


def _missing(keys: Collection[Key], found: Collection[Key], most: int) -> tuple[Key, ...]:
    return tuple(islice((key for key in keys if key not in found), most))
