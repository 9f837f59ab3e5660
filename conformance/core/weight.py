"""How much a finding matters: a class, and the share of natural texts that it changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from operator import add
from typing import Literal, get_args

from conformance.core.records import Count

WeightClass = Literal[
    "natural text",
    "not weighed",
    "added and special tokens",
    "rare text",
    "edge of Unicode",
    "streams",
    "ids and options at the edge",
    "policy",
]
"""What it takes to meet a finding, the heaviest first.

natural text: a text or a word of the corpora of languages, domains and forms is changed. not weighed: nothing was
asked, so that it may be any. rare text: plain ASCII that none of these texts has, such as a very long word. policy: a
documented choice, which no format makes.
"""

WEIGHT_CLASSES: tuple[WeightClass, ...] = get_args(WeightClass)

Gate = Literal["natural", "edge", "any"]
"""Which findings fail a run: those in natural text; those but for ids and options at the edge, and policy; any."""

GATES: dict[Gate, frozenset[WeightClass]] = {
    "natural": frozenset({"natural text", "not weighed"}),
    "edge": frozenset(WEIGHT_CLASSES) - {"ids and options at the edge", "policy"},
    "any": frozenset(WEIGHT_CLASSES),
}
"""The classes that fail a run."""

ALL = ""
"""What the first share of a weight is of: all languages, domains and forms together."""


@dataclass(frozen=True, slots=True)
class Share:
    """How many of the natural texts or words that were asked are changed.

    of: the English name of a language, the name of a domain or of another corpus, or `ALL`.
    """

    of: str
    what: Literal["texts", "words"]
    changed: Count
    asked: Count

    @property
    def rate(self) -> float:
        """From 0 to 1.

        >>> Share("Arabic", "words", 6, 192).rate
        0.03125
        """
        return self.changed / self.asked if self.asked else 0.0


@dataclass(frozen=True, slots=True)
class Weight:
    """The weight of a finding.

    shares: that of `ALL` first, then those of languages, domains and forms in which something is changed, the largest
        first; empty where nothing was asked.
    """

    kind: WeightClass = "not weighed"
    shares: tuple[Share, ...] = ()

    @property
    def whole(self) -> Share | None:
        """The share of all natural texts; None where nothing was asked."""
        return next((share for share in self.shares if share.of == ALL), None)

    @property
    def rate(self) -> float:
        """The share of all natural texts, from 0 to 1."""
        return self.whole.rate if self.whole else 0.0

    @property
    def parts(self) -> tuple[Share, ...]:
        """The shares of languages, domains and forms."""
        return tuple(share for share in self.shares if share.of != ALL)

    def joined(self, other: Weight, are_other_texts: bool) -> Weight:
        """Both counted together, of the same texts. are_other_texts: whether no text is counted in both."""
        join = add if are_other_texts else max
        pairs = zip(self.shares, other.shares, strict=True)
        shares = (replace(one, changed=min(join(one.changed, two.changed), one.asked)) for one, two in pairs)
        return Weight(shares=tuple(shares))

    def fails(self, gate: Gate) -> bool:
        """Whether a new finding of this weight fails a run.

        >>> Weight("streams").fails("natural"), Weight("streams").fails("edge")
        (False, True)
        """
        return self.kind in GATES[gate]


NOT_WEIGHED = Weight()


def counted_weight(changed: Mapping[str, int], asked: Mapping[str, int]) -> Weight:
    """The weight as a run counts it, not classed yet. changed, asked: natural texts, by the names of corpus files.

    >>> counted_weight({"de": 2}, {"de": 3, "fr": 4}).shares
    (Share(of='de', what='texts', changed=2, asked=3), Share(of='fr', what='texts', changed=0, asked=4))
    """
    return Weight(shares=tuple(Share(one, "texts", min(changed.get(one, 0), of), of) for one, of in asked.items()))
