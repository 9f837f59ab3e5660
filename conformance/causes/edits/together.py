"""Several faults at once: the reference as a tokenizer with all of them would answer.

What a fault does to the text comes before everything else, what it does to the ids after; of the stages, each fault
changes its own, even after another fault has changed the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain, combinations
from typing import Any, TypeVar

from conformance.causes.edits import faults as every_fault
from conformance.causes.edits.fault import DecodingFault, Fault, predicted
from conformance.causes.edits.pre_tokenizers import edited_patterns
from reftok import Tokenizer
from reftok.rules.pipeline import Pipeline

Ordered = TypeVar("Ordered", Fault, DecodingFault)

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
    """The faults at once; None if one cannot be put beside another.

    If two change the same stage, the second is built again for the reference that the first has changed.

    >>> import reftok
    >>> from conformance.causes.edits.fault import of_ids, of_text
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
    changed = tokenizer
    for fault in inner:
        stages = _made_upon(changed, tokenizer, fault)
        if stages is None:
            return None
        changed = Tokenizer(replace(changed.rules, **stages), changed) if stages else changed
    core = inner[0].ids if len(inner) == 1 else changed.rules.encode_ids if inner else tokenizer.encode_ids
    return Together(tuple(faults), changed, core)


def _made_upon(changed: Tokenizer, right: Tokenizer, fault: Fault) -> dict[str, Any] | None:
    """What a fault changes in a reference that other faults have changed; None if it does not apply there."""
    if fault.rules is None:
        return {}
    stages = _differing(fault.rules(), right.rules)
    if stages.keys().isdisjoint(_differing(changed.rules, right.rules)):
        return stages
    others = chain(every_fault(changed), edited_patterns(changed))
    alike = (one for one in others if (one.stage, one.rule) == (fault.stage, fault.rule))
    made = next((rules for one in alike if one.rules and (rules := predicted(one.rules))), None)
    return None if made is None else _differing(made, changed.rules)


def _differing(rules: Pipeline, right: Pipeline) -> dict[str, Any]:
    """The stages that differ, by name."""
    stages = {one.name: getattr(rules, one.name) for one in fields(Pipeline)}
    return {name: stage for name, stage in stages.items() if stage is not getattr(right, name)}


def orders(faults: Sequence[Ordered]) -> Iterator[tuple[Ordered, ...]]:
    """Yields combinations of two faults, then of three; in both orders if several change the text or the ids.

    >>> from conformance.causes.edits.fault import of_text
    >>> one, other = (Fault("Model", rule, list) for rule in "ab")
    >>> [[fault.rule for fault in some] for some in orders([one, other])]
    [['a', 'b']]
    """
    for count in range(2, min(len(faults), MOST_AT_ONCE) + 1):
        for some in combinations(faults, count):
            yield some
            if any(sum(getattr(one, name, None) is not None for one in some) > 1 for name in ("before", "after")):
                yield some[::-1]
