"""The fewest faults that explain what a subject does, each of them borne out where it would show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Generic

from conformance.causes.catalogue import Answer, Asked, Candidate, Sample, agree

BELIEVED = 0.95
"""The share of the answers in its scope that a fault must foretell to be named."""
MOST_PARTS = 120
"""Samples, the shortest, that are looked for in others."""


@dataclass(frozen=True, slots=True)
class Weighed(Generic[Candidate]):
    """A fault, held against samples, which are told by their places.

    scope: where it gives another answer than the right one. fits: where that is what the subject gave.
    refuted: where the subject gave the right one instead. beside: where the subject gave a third one, and something
    else is at work: a part of what was asked differs too, which is out of the scope, or has a third answer itself.
    """

    fault: Candidate
    scope: frozenset[int]
    fits: frozenset[int]
    refuted: frozenset[int]
    beside: frozenset[int] = frozenset()

    @property
    def third(self) -> frozenset[int]:
        """Where the subject gave neither its answer nor the right one."""
        return self.scope - self.fits - self.refuted

    @property
    def is_credible(self) -> bool:
        """Whether it fits at all, and the subject hardly ever gives the right answer where it would not."""
        return bool(self.fits) and len(self.refuted) <= (1 - BELIEVED) * (len(self.fits) + len(self.refuted))


_NOT_ASKED, _SILENT, _RIGHT, _GIVEN, _OTHER = range(5)
"""Outcomes of a fault on a sample: not computed, no answer, the right answer, the subject's answer, another one."""


def weighed(
    fault: Candidate,
    samples: Sequence[Sample[Asked, Answer]],
    predict: Callable[[Candidate, Asked], Answer | None],
    concerns: Callable[[Candidate, Asked], bool] = lambda fault, asked: True,
    answered: bytearray | None = None,
    differing: frozenset[int] | None = None,
) -> Weighed[Candidate]:
    """Compares a fault with samples. predict: its answer, None if it gives none. concerns: see `Catalogue`.

    Right answers are looked at first: of one that would change too many of these, nothing more is asked.
    answered: cache of the outcomes, one byte per sample; extended in place. differing: the places of the wrong samples;
        computed if None.
    """
    answered = bytearray() if answered is None else answered
    answered.extend(bytes(len(samples) - len(answered)))
    if differing is None:
        differing = frozenset(place for place, one in enumerate(samples) if not agree(one.expected, one.observed))
    scope, fits, refuted, third = set[int](), set[int](), set[int](), list[int]()
    others: list[Asked] = []
    most_refuted = (1 - BELIEVED) / BELIEVED * len(differing)
    for place in chain((place for place in range(len(samples)) if place not in differing), sorted(differing)):
        sample = samples[place]
        if not answered[place]:
            is_concerned = concerns(fault, sample.asked)
            answered[place] = _outcome(predict(fault, sample.asked), sample) if is_concerned else _RIGHT
        outcome = answered[place]
        if outcome == _RIGHT and place in differing:
            others.append(sample.asked)
        if outcome in (_SILENT, _RIGHT):
            continue
        scope.add(place)
        if outcome == _GIVEN:
            fits.add(place)
        elif place in differing:
            third.append(place)
        else:
            refuted.add(place)
            if len(refuted) > most_refuted:
                return Weighed(fault, frozenset(scope), frozenset(), frozenset(refuted))
    beside = frozenset[int]()
    if len(third) <= len(fits):
        beside = _that_have_parts(samples, third, others) | _that_have_others(samples, third)
    return Weighed(fault, frozenset(scope), frozenset(fits), frozenset(refuted), beside)


def _outcome(answer: Answer | None, sample: Sample[Any, Answer]) -> int:
    if answer is None:
        return _SILENT
    return _RIGHT if agree(answer, sample.expected) else _GIVEN if agree(answer, sample.observed) else _OTHER


def _that_have_parts(
    samples: Sequence[Sample[Asked, Answer]], places: Iterable[int], parts: Iterable[Asked]
) -> frozenset[int]:
    """The places of the samples that hold one of the parts, of which the shortest are looked for; none is empty."""
    shortest = sorted(filter(len, parts), key=len)[:MOST_PARTS]
    return frozenset(place for place in places if any(_is_within(one, samples[place].asked) for one in shortest))


def _that_have_others(samples: Sequence[Sample[Asked, Answer]], places: Iterable[int]) -> frozenset[int]:
    """The places of the samples that hold another one of these: what is at work there is at work in them."""
    smallest: list[Asked] = []
    found: set[int] = set()
    for place in sorted(places, key=lambda one: len(samples[one].asked)):
        asked = samples[place].asked
        if any(_is_within(one, asked) for one in smallest):
            found.add(place)
        elif len(asked) and len(smallest) < MOST_PARTS:
            smallest.append(asked)
    return frozenset(found)


def _is_within(part: Sequence[object], whole: Sequence[object]) -> bool:
    """Whether a text is in another, or is another from which half at most is left out in one place; ids, likewise.

    >>> _is_within("e", "The End"), _is_within((2, 3), (1, 2, 3)), _is_within("ad", "abcd")
    (True, True, True)
    >>> _is_within("ad", "abccd"), _is_within((1, 4), (1, 2, 3, 3, 4))
    (False, False)
    """
    size, others = len(part), len(whole) - len(part)
    if isinstance(part, str) and isinstance(whole, str):
        if part in whole:
            return True
    elif any(whole[start] == part[0] and whole[start : start + size] == part for start in range(others + 1)):
        return True
    if not 0 < others <= size:
        return False
    alike = next((place for place in range(size) if part[place] != whole[place]), size)
    return part[alike:] == whole[alike + others :]


def fewest(candidates: Iterable[Weighed[Candidate]], differing: frozenset[int]) -> list[Weighed[Candidate]]:
    """Few of the candidates that explain as many of the differing samples as can be, those that explain most first.

    Of two that explain the same, the one that is contradicted less often is taken, then the first. Where several faults
    are at work at once, the answer is none of theirs: a sample in the scope of another that was taken speaks against
    nobody.

    >>> one = Weighed("one", frozenset({0, 1, 2}), frozenset({0, 1}), frozenset())
    >>> other = Weighed("other", frozenset({2, 3}), frozenset({3}), frozenset())
    >>> [taken.fault for taken in fewest([other, one], frozenset({0, 1, 2, 3}))]
    ['one', 'other']
    """
    pool = [one for one in candidates if one.is_credible]
    taken: list[Weighed[Candidate]] = []
    left = differing
    while pool:
        of_one, of_several = _scopes(taken)
        best = max(pool, key=lambda one: _merit(one, left, of_one, of_several))
        if best.fits & left <= of_several:  # the causes that were taken may be at work there at once
            break
        taken.append(best)
        pool.remove(best)
        left -= best.fits
    for one in taken[::-1]:
        others = [other for other in taken if other is not one]
        explained = frozenset[int]().union(*(other.fits for other in others))
        if one.fits <= explained or not is_borne_out(one, others):
            taken.remove(one)
    return taken


def _scopes(taken: Iterable[Weighed[Candidate]]) -> tuple[frozenset[int], frozenset[int]]:
    """The samples in the scope of one of the causes at least, and of several."""
    times = Counter(place for one in taken for place in one.scope)
    return frozenset(times), frozenset(place for place, count in times.items() if count > 1)


def _merit(
    one: Weighed[Candidate], left: frozenset[int], of_one: frozenset[int], of_several: frozenset[int]
) -> tuple[int, int, int]:
    """What a fault explains where no cause is at work, how little speaks against it, and what it explains besides.

    Beside lower-casing, a table of a TAB and some capitals explains more than "tabs become spaces" does, where both are
    at work. Where no fault explains anything alone, what it explains besides comes first.
    """
    alone, besides = len((one.fits & left) - of_one), len((one.fits & left) - of_several)
    against = -len(one.scope - one.fits)
    return (alone, against, besides) if alone else (alone, besides, against)


def is_borne_out(one: Weighed[Candidate], others: Iterable[Weighed[Candidate]]) -> bool:
    """Whether it foretells enough of the answers in its scope, without those where others are at work as well."""
    alone = one.scope - one.beside.union(*(other.scope for other in others))
    return len(one.fits & alone) >= BELIEVED * len(alone)
