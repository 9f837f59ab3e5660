"""Several faults at once: the reference as a tokenizer with all of them would answer.

What a fault does to the text comes before everything else, what it does to the ids after; of the stages, each fault
changes its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations
from typing import Any

from conformance.faults.fault import Fault
from reftok import Tokenizer
from reftok.rules.pipeline import Pipeline

MOST_AT_ONCE = 3
"""Faults that show in one answer."""


@dataclass(frozen=True, slots=True)
class Together:
    """Faults that are at work at once, in the order in which they change the text.

    tokenizer: the reference with the changes to its stages. core: the ids of a text with these changes.
    """

    faults: tuple[Fault, ...]
    tokenizer: Tokenizer
    core: Callable[[str], Sequence[int]]

    def prepared(self, text: str) -> str:
        """The text as it comes to the first stage."""
        for fault in self.faults:
            text = text if fault.before is None else fault.before(text)
        return text

    def finished(self, ids: Sequence[int]) -> tuple[int, ...]:
        """The ids of the last stage as they are given out."""
        for fault in self.faults:
            ids = ids if fault.change is None else fault.change(ids)
        return tuple(ids)

    def ids(self, text: str) -> tuple[int, ...]:
        """The ids of a text; raises what a changed reference may raise."""
        return self.finished(self.core(self.prepared(text)))


def together(tokenizer: Tokenizer, faults: Sequence[Fault]) -> Together | None:
    """The faults at once; None if two of them change the same stage, or one cannot be put beside another.

    >>> import reftok
    >>> from conformance.faults.fault import of_ids, of_text
    >>> tokenizer = reftok.load("bpe-qwen")
    >>> lower = of_text("Input", "lower case", tokenizer, str.lower)
    >>> twice = of_ids("Model", "twice", tokenizer, lambda ids: [*ids, *ids])
    >>> both = together(tokenizer, [lower, twice])
    >>> list(both.ids("A")) == 2 * tokenizer.encode_ids("a")
    True
    """
    inner = [fault for fault in faults if fault.before is None and fault.change is None]
    if len(inner) > 1 and any(fault.rules is None for fault in inner):
        return None
    if len(inner) == 1:
        return Together(tuple(faults), _with_rules(tokenizer, inner), inner[0].ids)
    if not inner:
        return Together(tuple(faults), tokenizer, tokenizer.encode_ids)
    try:
        changed = _with_rules(tokenizer, inner)
    except ValueError:
        return None
    return Together(tuple(faults), changed, changed.rules.encode_ids)


def _with_rules(tokenizer: Tokenizer, faults: Sequence[Fault]) -> Tokenizer:
    """The reference with the stages of all these faults; raises ValueError if two change the same."""
    changes: dict[str, Any] = {}
    for fault in faults:
        if fault.rules is None:
            return tokenizer
        others = fault.rules()
        own = {
            one.name: getattr(others, one.name)
            for one in fields(Pipeline)
            if getattr(others, one.name) is not getattr(tokenizer.rules, one.name)
        }
        if own.keys() & changes:
            raise ValueError
        changes |= own
    return Tokenizer(replace(tokenizer.rules, **changes), tokenizer) if changes else tokenizer


def orders(faults: Sequence[Fault]) -> Iterator[tuple[Fault, ...]]:
    """Two of the faults, then more; those that change the text, in either order.

    >>> from conformance.faults.fault import of_text
    >>> one, other = (Fault("Model", rule, list) for rule in "ab")
    >>> [[fault.rule for fault in some] for some in orders([one, other])]
    [['a', 'b']]
    """
    for count in range(2, min(len(faults), MOST_AT_ONCE) + 1):
        for some in combinations(faults, count):
            yield some
            if sum(fault.before is not None for fault in some) > 1:
                yield some[::-1]
