"""The Unicode normalization forms as changes of a text, character by character.

Source: crate unicode-normalization-alignments 0.1 (decompose.rs, recompose.rs), which tokenizers 0.23 uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from reftok.unicode.characters import combining_class, composition, decomposition

Change: TypeAlias = tuple[str, int]
"""One character of a transformed text, and how it relates to the old text: 0 replaces the next old character,
1 is inserted, -n replaces the next old character and removes the n that follow it."""


def decompose(text: str, compatible: bool) -> Iterator[Change]:
    r"""Decompose each character and bring runs of marks into canonical order.

    The first character of a decomposition replaces the old one, the others are inserted; each keeps its change
    when the marks are sorted.

    >>> list(decompose("\u00e9\u0323", compatible=False))
    [('e', 0), ('\u0323', 0), ('\u0301', 1)]
    """
    pending: list[tuple[int, Change]] = []
    for character in text:
        for index, part in enumerate(decomposition(character, compatible)):
            ccc = combining_class(part)
            if ccc == 0:
                yield from _in_canonical_order(pending)
                pending.clear()
            pending.append((ccc, (part, min(index, 1))))
    yield from _in_canonical_order(pending)


def _in_canonical_order(pending: list[tuple[int, Change]]) -> Iterator[Change]:
    return (change for _, change in sorted(pending, key=lambda item: item[0]))


def recompose(changes: Iterable[Change]) -> Iterator[Change]:
    """Compose each starter with the marks after it that are not blocked.

    A composed character takes one old character less than its parts: the changes add up, minus one.
    """
    starter: Change | None = None
    held: list[Change] = []
    last_class: int | None = None
    for character, change in changes:
        ccc = combining_class(character)
        if starter is None:
            if ccc:
                yield character, change
            else:
                starter = character, change
            continue
        if last_class is None or last_class < ccc:
            composed = composition(starter[0], character)
            if composed is not None:
                starter = composed, starter[1] + change - 1
                continue
        if ccc == 0:
            yield starter
            yield from held
            held.clear()
            starter, last_class = (character, change), None
        else:
            held.append((character, change))
            last_class = ccc
    if starter is not None:
        yield starter
    yield from held
