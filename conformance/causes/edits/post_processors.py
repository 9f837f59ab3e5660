"""Ways to get the special tokens around the text wrong."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from conformance.causes.edits.fault import Fault, Faults, around, of_ids
from reftok import Tokenizer


def of_post_processors(tokenizer: Tokenizer) -> Faults:
    """The special tokens left out, or there twice; one at the end that the template does not have."""
    bare = partial(tokenizer.encode_ids, add_special_tokens=False)
    empty = tokenizer.encode_ids("")
    if empty:
        yield Fault("PostProcessor", "special tokens are not added", bare)
        before = len(around(tokenizer)[0])
        # As where the caller adds those before the text as well.
        twice = "special tokens are added twice"
        yield of_ids("PostProcessor", twice, tokenizer, lambda ids: [*ids[:before], *ids])
        after = len(empty) - before
        if before and after > 0:
            yield of_ids("PostProcessor", "no special token at the start", tokenizer, lambda ids: ids[before:])
            yield of_ids("PostProcessor", "no special token at the end", tokenizer, lambda ids: ids[: len(ids) - after])
        if before:
            rule = "no special token at the start of a text that begins with it"
            yield of_ids("PostProcessor", rule, tokenizer, partial(_without_second, before - 1))
        if after > 0:
            rule = "no special token at the end of a text that ends with it"
            yield of_ids("PostProcessor", rule, tokenizer, lambda ids: _without_second(after - 1, ids[::-1])[::-1])
        rule = "nothing is added to an empty text"
        yield Fault("PostProcessor", rule, lambda text: tokenizer.encode_ids(text) if text else [])
        yield of_ids("PostProcessor", rule, tokenizer, lambda ids: [] if [*ids] == [*empty] else ids)
    start, end = tokenizer.bos_id, tokenizer.eos_id
    if start is not None and empty[-1:] != [start]:
        rule = "a special token is added at the start"
        yield of_ids("PostProcessor", rule, tokenizer, lambda ids: [start, *ids])
    if end is not None and empty[-1:] != [end]:
        yield of_ids("PostProcessor", "a special token is added at the end", tokenizer, lambda ids: [*ids, end])


def _without_second(place: int, ids: Sequence[int]) -> Sequence[int]:
    """The ids without the one at this place, where the next one is the same.

    >>> _without_second(0, [1, 1, 5]), _without_second(0, [1, 5, 5])
    ([1, 5], [1, 5, 5])
    """
    return [*ids[:place], *ids[place + 1 :]] if ids[place + 1 : place + 2] == ids[place : place + 1] else ids
