"""Mistakes that are never seen alone: they are sought on top of the causes that are known already."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Any

from conformance.causes.catalogue import Catalogue, Sample
from conformance.causes.edits import DecodingFault, Fault, faults, predicted
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
    )
    return Family(search, texts.case, texts.at_once, lambda text, _: beneath.ids(text))


def decodings_upon(
    tokenizer: Tokenizer, ids: Family[Any, tuple[int, ...], Decoded], known: Sequence[DecodingFault]
) -> Family[Any, tuple[int, ...], Decoded] | None:
    """The search for faults of decoding before or after known ones; None if these change no decoded text."""
    changes = [fault.after for fault in known if fault.after is not None]
    if not changes:
        return None
    after = partial(_decoded_otherwise, partial(_changed, changes))
    text = lambda given, skips: _changed(changes, tokenizer.decode(given, skip_special_tokens=skips))
    every = ids.search.every
    last = {replace(one, text=partial(_text_after, one.after, text)): one for one in every if one.after is not None}

    def answer(fault: DecodingFault, given: Sequence[int]) -> Decoded:
        return _decoded(fault, given) if fault in last else after(_decoded(fault, given))

    search: Catalogue[Any, tuple[int, ...], Decoded] = Catalogue(lambda: (*every, *last), answer)
    return Family(
        search,
        ids.case,
        lambda some: (((one,), partial(answer, one)) for one in some),
        lambda _, right: after(right),
        is_of_ids=True,
        originals=last,
    )


def _within(beneath: Together, sample: Sample[str, tuple[int, ...]]) -> Sample[str, tuple[int, ...]]:
    """A sample as the stages see it between what faults do to the text and what they do to the ids."""
    given, right = sample.observed, sample.expected
    slices = [slice(start, len(given) - end) for start in range(MOST_AROUND) for end in range(MOST_AROUND)]
    inner = (given[one] for one in slices if beneath.finished(given[one]) == given)
    text = beneath.prepared(sample.asked)
    right = tuple(predicted(lambda: beneath.core(text)) or right)
    return Sample(text, right, next(inner, given))


def decoded_at_once(some: Sequence[DecodingFault]) -> Iterator[tuple[tuple[DecodingFault, ...], Foretold]]:
    """Faults of decoding alone, then in pairs: the second one changes the text that the first one gives."""
    for fault in some:
        yield (fault,), partial(_decoded, fault)
    for fault, last in permutations(some, 2):
        if last.after is not None:
            yield (fault, last), partial(_decoded_by_both, fault, last.after)


def _decoded(fault: DecodingFault, ids: Sequence[int]) -> Decoded:
    return Decoded(fault.text(ids, True), fault.text(ids, False))


def _changed(changes: Sequence[Callable[[str], str]], text: str) -> str:
    for change in changes:
        text = change(text)
    return text


def _text_after(after: Callable[[str], str], text: Callable[[Any, bool], str], ids: Sequence[int], skips: bool) -> str:
    return after(text(ids, skips))


def _decoded_by_both(fault: DecodingFault, after: Callable[[str], str], ids: Sequence[int]) -> Decoded:
    return _decoded_otherwise(after, _decoded(fault, ids))


def _decoded_otherwise(after: Callable[[str], str], decoded: Decoded) -> Decoded:
    """The decoding with both of its texts changed."""
    return Decoded(after(decoded.text), None if decoded.with_special is None else after(decoded.with_special))
