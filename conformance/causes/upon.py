"""Mistakes that are never seen alone: they are sought on top of the causes that are known already."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from conformance.causes.catalogue import Catalogue, Sample
from conformance.causes.edits import DecodingFault, Fault, faults, predicted
from conformance.causes.edits.decoders import with_mixins
from conformance.causes.edits.fault import AskedIds, Text
from conformance.causes.edits.older_releases import release_faults
from conformance.causes.edits.together import Together, orders, together
from conformance.causes.learning import learnt_of_texts
from conformance.causes.witnesses import Family, Foretold, gives
from conformance.core.observation import Decoded
from reftok import Tokenizer

MOST_AROUND = 3
"""Ids that a fault puts before or behind those of the stages, less one."""


class AtOnce:
    """Faults of encoding alone and together, each with the ids that they give."""

    def __init__(self, tokenizer: Tokenizer, texts: Callable[[Fault, str], Any]) -> None:
        self._tokenizer, self._texts = tokenizer, texts
        self._together: dict[tuple[Fault, ...], Together | None] = {}

    def __call__(self, some: Sequence[Fault]) -> Iterator[tuple[tuple[Fault, ...], Foretold]]:
        for fault in some:
            yield (fault,), partial(self._texts, fault)
        for several in orders(some):
            if several not in self._together:
                self._together[several] = together(self._tokenizer, several)
            found = self._together[several]
            if found is not None:
                yield several, found.ids


def texts_upon(
    tokenizer: Tokenizer, texts: Family[Any, str, tuple[int, ...]], known: Sequence[Fault]
) -> Family[Any, str, tuple[int, ...]] | None:
    """The search for faults of encoding on top of known ones; None if none of these can be combined."""
    beneath = together(tokenizer, ())
    assert beneath is not None
    for fault in known:
        beneath = together(tokenizer, (*beneath.faults, fault)) or beneath
    changed = beneath.tokenizer
    if not beneath.faults:
        return None
    search: Catalogue[Any, str, tuple[int, ...]] = Catalogue(
        lambda: texts.search.every if changed is tokenizer else (*release_faults(changed), *faults(changed)),
        lambda fault, text: beneath.finished(fault.ids(beneath.prepared(text))),
        learnt=lambda differing, unexplained: learnt_of_texts(
            changed,
            lambda fault, sample: gives(lambda text: tuple(fault.ids(text)), sample),
            *([_within(beneath, one) for one in some] for some in (differing, unexplained)),
        ),
        concerns=lambda fault, text: fault.concerns(beneath.prepared(text)),
    )
    return Family(search, texts.case, texts.at_once, lambda text, _: beneath.ids(text))


def decodings_upon(
    tokenizer: Tokenizer, ids: Family[Any, tuple[int, ...], Decoded], known: Sequence[DecodingFault]
) -> Family[Any, tuple[int, ...], Decoded] | None:
    """A search for further faults of decoding on top of known ones; None if the known ones cannot be combined."""
    beneath: tuple[DecodingFault, ...] = ()
    for fault in known:
        beneath = (*beneath, fault) if combined(tokenizer, (*beneath, fault)) else beneath
    right = combined(tokenizer, beneath)
    if not beneath or right is None or all(_is_whole(one) for one in beneath):
        return None
    originals: dict[DecodingFault, DecodingFault] = {}
    for fault in (one for one in ids.search.every if one not in beneath):
        is_in_order = fault.before is not None or fault.after is not None
        for some in ((*beneath, fault), (fault, *beneath))[: 1 + is_in_order]:
            if text := combined(tokenizer, some):
                originals[replace(fault, text=text)] = fault
    search: Catalogue[Any, tuple[int, ...], Decoded] = Catalogue(
        lambda: [*originals], lambda fault, given: _decoded(fault.text, given)
    )
    return Family(
        search,
        ids.case,
        lambda some: (((one,), partial(_decoded, one.text)) for one in some),
        lambda asked, answer: Decoded(right(asked, True), answer.with_special and right(asked, False)),
        is_of_ids=True,
        originals=originals,
    )


def _within(beneath: Together, sample: Sample[str, tuple[int, ...]]) -> Sample[str, tuple[int, ...]]:
    """A sample as the stages see it between what faults do to the text and what they do to the ids."""
    given, right = sample.observed, sample.expected
    slices = [slice(start, len(given) - end) for start in range(MOST_AROUND) for end in range(MOST_AROUND)]
    inner = (given[one] for one in slices if beneath.finished(given[one]) == given)
    text = beneath.prepared(sample.asked)
    right = tuple(predicted(lambda: beneath.core(text)) or right)
    return Sample(text, right, next(inner, given))


def decoded_at_once(
    tokenizer: Tokenizer, some: Sequence[DecodingFault]
) -> Iterator[tuple[tuple[DecodingFault, ...], Foretold]]:
    """Yields faults of decoding alone, then combined in twos and threes."""
    for fault in some:
        yield (fault,), partial(_decoded, fault.text)
    for several in orders(some):
        text = combined(tokenizer, several)
        if text is not None:
            yield several, partial(_decoded, text)


def combined(tokenizer: Tokenizer, faults: Sequence[DecodingFault]) -> Text | None:
    """Combines faults of decoding; None if several replace the decoding itself and are not mixins.

    Changes of ids are applied first, changes of text last, each in the given order.

    >>> import reftok
    >>> from conformance.causes.edits.fault import of_decoded, of_decoded_ids
    >>> tokenizer = reftok.load("bpe-gpt2")
    >>> cut = of_decoded_ids("", tokenizer, lambda ids, skips: (ids[1:], skips))
    >>> combined(tokenizer, [of_decoded("", tokenizer, str.upper), cut])(tokenizer.encode_ids("a b"), True)
    ' B'
    """
    decode: Text = lambda ids, skips: tokenizer.decode(ids, skip_special_tokens=skips)
    within = [one for one in faults if one.before is None and one.after is None]
    mixins = tuple(dict.fromkeys(one.mixin for one in within if one.mixin is not None))
    if len(within) > 1 and not all(one.mixin is not None for one in within):
        return None
    if len(within) > 1:
        decode = with_mixins(tokenizer, mixins)
    elif within:
        decode = within[0].text
    before = [one.before for one in faults if one.before is not None]
    after = [one.after for one in faults if one.after is not None]
    return partial(_text, before, decode, after)


def _is_whole(fault: DecodingFault) -> bool:
    """Whether the fault replaces the decoding as a whole, so that it cannot be combined."""
    return fault.before is None and fault.after is None and fault.mixin is None


def _text(
    before: Sequence[AskedIds], decode: Text, after: Sequence[Callable[[str], str]], ids: Sequence[int], skips: bool
) -> str:
    for asked in before:
        ids, skips = asked(ids, skips)
    text = decode(ids, skips)
    for change in after:
        text = change(text)
    return text


def _decoded(text: Text, ids: Sequence[int]) -> Decoded:
    return Decoded(text(ids, True), text(ids, False))
