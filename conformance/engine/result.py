"""The result of a shard: counts, and mismatches gathered by cause."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial

from conformance.core.finding import SEVERITIES, Mismatch
from conformance.core.records import Count
from conformance.inputs.shards import Shard

EXAMPLES_PER_GROUP = 3


@dataclass(slots=True)
class Group:
    """Mismatches of one shard with the same cause."""

    stage: str
    rule: str
    count: int = 0
    languages: set[str] = field(default_factory=set)
    examples: list[Mismatch] = field(default_factory=list)

    def add(self, mismatch: Mismatch) -> None:
        """Count a mismatch; the smallest few are kept as examples."""
        self.count += 1
        if mismatch.case.language:
            self.languages.add(mismatch.case.language)
        self.examples.append(mismatch)
        self.examples.sort(key=telling)
        del self.examples[EXAMPLES_PER_GROUP:]


@dataclass(slots=True)
class Counts:
    """Of one subject and check: answers compared, mismatched, left out by rule, and not given at all."""

    compared: Count = 0
    mismatched: Count = 0
    not_applicable: Count = 0
    failures: Count = 0


@dataclass(slots=True)
class ShardResult:
    """The result of a shard.

    answers: how many answers of subjects were compared. methods: by subject, the methods that its streams were asked
    for, and whether it has them.
    """

    shard: Shard
    cases: int = 0
    answers: int = 0
    seconds: float = 0.0
    counts: dict[tuple[str, str], Counts] = field(default_factory=partial(defaultdict, Counts))
    languages: dict[tuple[str, str], list[int]] = field(default_factory=partial(defaultdict, partial(list, (0, 0))))
    groups: dict[tuple[str, str, str, str], Group] = field(default_factory=dict)
    unavailable: dict[str, str] = field(default_factory=dict)
    methods: dict[str, dict[str, bool]] = field(default_factory=partial(defaultdict, dict))


def telling(mismatch: Mismatch) -> tuple[int, int, str]:
    """The order of examples: the worst first, of equals the smallest case, then by origin."""
    case = mismatch.case
    return SEVERITIES.index(mismatch.severity), len(case.text) + len(case.data) + len(case.ids), case.origin
