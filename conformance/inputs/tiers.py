"""Tiers: how much a tokenizer is asked, by a name, where a test or a workflow does not say it in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from conformance.core.errors import UsageError
from conformance.inputs.corpora import PARTS, QUICK_PARTS
from conformance.inputs.shards import DEFAULT_SOURCES

TierName: TypeAlias = Literal["smoke", "core", "full"]


@dataclass(frozen=True, slots=True)
class Tier:
    """The corpora, the sources of inputs (some of `SOURCES`), and how many inputs are made."""

    corpora: tuple[str, ...]
    sources: tuple[str, ...]
    fuzz: int


TIERS: Mapping[TierName, Tier] = MappingProxyType(
    {
        "smoke": Tier(("known_bugs",), ("corpora",), 0),
        "core": Tier(QUICK_PARTS, ("corpora", "seams", "fuzz"), 500),
        "full": Tier(PARTS, DEFAULT_SOURCES, 1_500),
    }
)
"""Published bugs; edge cases, seams and made inputs as well, as `conformance.run` asks; what the command asks."""


def tier_named(name: str) -> Tier:
    """The tier with a name; raises UsageError where there is none.

    >>> tier_named("smoke").sources
    ('corpora',)
    """
    for known, tier in TIERS.items():
        if known == name:
            return tier
    raise UsageError(f"there is no tier {name!r:.100}, but {', '.join(TIERS)}")
