"""Faults whose parameters are learnt from wrong answers: which characters, which length, which token."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from typing import TypeAlias

from conformance.causes.catalogue import Answer, Asked, Sample
from conformance.causes.edits import (
    DecodingFault,
    Fault,
    of_changed_decodings,
    of_changed_texts,
    of_edited_patterns,
    of_flags,
    of_missing_entries,
    of_sample,
    of_unknown_ids,
    of_unknown_tokens,
)
from conformance.causes.edits.decoders import of_skipped_tokens
from conformance.causes.edits.limits import kinds_of_words
from conformance.causes.edits.pre_tokenizers import MOST_CHARACTERS, doubtful_characters, of_characters
from conformance.causes.edits.samples import LONGEST_TEXT
from conformance.core.observation import Decoded
from reftok import Tokenizer

LONGEST_SAMPLE = 300
MOST_LEARNT = 40
"""Samples from which faults are learnt that take what they change from several."""
MOST_LEARNT_ALONE, LONG, MOST_LONG = 8, 60, 3
"""Samples from which faults are learnt that take what they change from one, and how many of them may have more code
points than so many: that takes its time."""
HELD_AGAINST, LEAST_FITTED = 10, 2
"""Long samples that a limit is held against, and how many it must fit: dozens of limits fit one answer alone."""

TextSample: TypeAlias = Sample[str, tuple[int, ...]]
IdsSample: TypeAlias = Sample[tuple[int, ...], Decoded]


def learnt_of_texts(
    tokenizer: Tokenizer,
    fits: Callable[[Fault, TextSample], bool],
    differing: Sequence[TextSample],
    unexplained: Sequence[TextSample],
) -> Iterator[Fault]:
    """The faults that do one thing to some characters, each with all characters to which it seems to be done.

    And those that follow from one answer alone, from samples of each kind that nothing explains.

    fits: whether a fault gives what the subject gave.
    """
    characters: dict[str, dict[str, None]] = {}
    samples = varied(differing)
    for sample in samples[:MOST_LEARNT]:
        for character in doubtful_characters(sample.asked)[:MOST_CHARACTERS]:
            for fault in of_characters(tokenizer, character):
                if fits(fault, sample):
                    characters.setdefault(fault.rule, {})[character] = None
    every = ((rule, of_characters(tokenizer, "".join(found))) for rule, found in characters.items())
    yield from (fault for rule, some in every for fault in some if fault.rule == rule)
    yield from of_unknown_tokens(tokenizer, map(_answer, samples))
    left = varied(unexplained)
    yield from of_changed_texts(tokenizer, map(_answer, left[:MOST_LEARNT]))
    short = [one for one in left if len(one.asked) <= LONG]
    yield from of_flags(tokenizer, map(_answer, short[:MOST_LEARNT]))
    yield from of_edited_patterns(tokenizer, map(_answer, short[:MOST_LEARNT_ALONE]))
    yield from of_missing_entries(tokenizer, map(_answer, short[:MOST_LEARNT]))
    long = [one for one in left if LONG < len(one.asked) <= LONGEST_TEXT][:HELD_AGAINST]
    few = [one for one in left if len(one.asked) <= LONG or one in long[:MOST_LONG]][:MOST_LEARNT_ALONE]
    words = kinds_of_words(tokenizer)
    alone = (of_sample(tokenizer, one.asked, one.expected, one.observed, words) for one in few)
    seen = set[tuple[str, str]]()
    for fault in chain.from_iterable(alone):
        if (fault.stage, fault.rule) not in seen:
            seen.add((fault.stage, fault.rule))
            is_alone = fault.learnt == "limit" and sum(fits(fault, one) for one in long) < LEAST_FITTED
            if not is_alone or len(long) <= MOST_LONG:
                yield fault


def learnt_of_ids(
    tokenizer: Tokenizer, differing: Sequence[IdsSample], unexplained: Sequence[IdsSample]
) -> Iterator[DecodingFault]:
    """The same of decoding."""
    yield from of_unknown_ids(tokenizer, map(_answer, varied(differing)[:MOST_LEARNT]))
    yield from of_skipped_tokens(tokenizer, map(_answer, varied(unexplained)[:MOST_LEARNT]))
    yield from of_changed_decodings(tokenizer, map(_answer, varied(unexplained)[:MOST_LEARNT]))


def varied(samples: Iterable[Sample[Asked, Answer]]) -> list[Sample[Asked, Answer]]:
    """The samples by turns from each stratum, the shortest of it first.

    A stratum is how the answer differs, and how long the input is: one mistake may own all the short inputs, and what
    is wrong with the long ones would never be looked at.

    >>> right, cut = "right", "ri"
    >>> [len(one.asked) for one in varied(Sample("a" * n, right, cut if n > 60 else "x") for n in (1, 2, 3, 70, 80))]
    [1, 2, 70, 3, 80]
    """
    strata: dict[object, list[Sample[Asked, Answer]]] = {}
    for sample in sorted(samples, key=lambda one: len(one.asked)):
        strata.setdefault((_shape(sample), len(sample.asked).bit_length() // 2), []).append(sample)
    return [one for turn in zip_longest(*strata.values()) for one in turn if one is not None]


def _shape(sample: Sample[Asked, Answer]) -> tuple[object, ...]:
    """How an answer differs from the right one: what it is a part of, and whether it is shorter or longer."""
    right, given = (one.kept if isinstance(one, Decoded) else one for one in (sample.expected, sample.observed))
    if not isinstance(right, str | tuple) or not isinstance(given, str | tuple):
        return (type(given),)
    size = len(given)
    is_head, is_tail = given == right[:size], given == right[len(right) - size :] and size <= len(right)
    return is_head, is_tail, (size > len(right)) - (size < len(right))


def _answer(sample: Sample[Asked, Answer]) -> tuple[Asked, Answer, Answer]:
    return sample.asked, sample.expected, sample.observed
