"""The weight of findings in words."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.core.finding import Finding
from conformance.core.weight import Share, Weight, WeightClass

MOST_SHARES = 3
"""So many languages, domains and forms are named; the others are counted."""
WIDESPREAD = 0.1
"""From this share of all natural texts on, that is told, and no single language."""
LEAST_ASKED = 50
"""The share of a language or domain of which fewer were asked is no headline: two of six texts are chance."""

_WRONG: dict[WeightClass, str] = {
    "natural text": "wrong on natural text",
    "not weighed": "",
    "added and special tokens": "wrong with added and special tokens",
    "rare text": "wrong on rare text",
    "edge of Unicode": "wrong at the edge of Unicode",
    "streams": "wrong in streams",
    "ids and options at the edge": "wrong on ids and options at the edge",
    "policy": "another choice where no format makes one",
}


def percent(share: Share) -> str:
    """A share in percent; 0 % and 100 % only where it is just that.

    >>> [percent(Share("", "texts", changed, 1000)) for changed in (0, 31, 314, 999, 1000)]
    ['0 %', '3.1 %', '31 %', '99 %', '100 %']
    >>> percent(Share("", "texts", 1, 9000))
    'under 0.1 %'
    """
    rate = 100 * share.rate
    if share.changed in (0, share.asked):
        return f"{rate:.0f} %"
    if rate < 0.1:
        return "under 0.1 %"
    return f"{rate:.1f} %" if rate < 10 else f"{min(rate, 99):.0f} %"


def of_what(share: Share) -> str:
    """What a share is of.

    >>> of_what(Share("Arabic", "words", 1, 9)), of_what(Share("", "texts", 1, 9)), of_what(Share("sql", "texts", 1, 9))
    ('Arabic words', 'natural texts', 'sql texts')
    """
    return f"{share.of or 'natural'} {share.what}"


def worst_words(weight: Weight) -> str:
    """The weight in a few words; "" for what was not weighed.

    >>> worst_words(Weight("natural text", (Share("", "texts", 9, 900), Share("Arabic", "words", 6, 192))))
    'wrong on 3.1 % of Arabic words'
    >>> worst_words(Weight("natural text", (Share("", "texts", 9, 900), Share("diff", "texts", 1, 6))))
    'wrong on 1.0 % of natural texts'
    >>> worst_words(Weight("streams", (Share("", "texts", 0, 900),)))
    'wrong in streams, and in none of 900 natural texts'
    """
    whole = weight.whole
    if whole is not None and weight.kind == "natural text":
        parts = () if whole.rate >= WIDESPREAD else weight.parts
        telling = next((part for part in parts if part.asked >= LEAST_ASKED), whole)
        return f"wrong on {percent(telling)} of {of_what(telling)}"
    is_none = whole is not None and not whole.changed
    return _WRONG[weight.kind] + (f", and in none of {whole.asked:,} natural texts" if whole and is_none else "")


def brief_words(weight: Weight) -> str:
    """The weight in the fewest words; "" for what was not weighed.

    >>> brief_words(Weight("edge of Unicode", (Share("", "texts", 0, 900),)))
    'wrong at the edge of Unicode'
    """
    return worst_words(weight).partition(", and in none of ")[0]


def weight_words(weight: Weight) -> str:
    """The class and the shares; "" for what was not weighed.

    >>> weight_words(Weight("natural text", (Share("", "texts", 9, 900), Share("Arabic", "words", 6, 192))))
    'natural text: 3.1 % of Arabic words (6 of 192); of all natural texts 9 of 900'
    >>> weight_words(Weight("edge of Unicode", (Share("", "texts", 0, 900),)))
    'edge of Unicode: none of 900 natural texts is changed'
    """
    whole = weight.whole
    if weight.kind == "not weighed" and whole is None:
        return ""
    if whole is None:
        return weight.kind
    if not whole.changed:
        return f"{weight.kind}: none of {whole.asked:,} natural texts is changed"
    named = [shared(share) for share in weight.parts[:MOST_SHARES]]
    more = len(weight.parts) - MOST_SHARES
    told = ", ".join(named) + (f" and {more:,} more; " if more > 0 else "; " if named else "")
    return f"{weight.kind}: {told}of all natural texts {whole.changed:,} of {whole.asked:,}"


def shared(share: Share) -> str:
    """A share with its numbers.

    >>> shared(Share("Arabic", "words", 6, 192))
    '3.1 % of Arabic words (6 of 192)'
    """
    return f"{percent(share)} of {of_what(share)} ({share.changed:,} of {share.asked:,})"


def in_natural_text(findings: Sequence[Finding]) -> str:
    """How many of the findings are in natural text; "" where one is not weighed."""
    kinds = [finding.weight.kind for finding in findings]
    if not kinds or "not weighed" in kinds:
        return ""
    return f"{kinds.count('natural text') or 'none'} in natural text"
