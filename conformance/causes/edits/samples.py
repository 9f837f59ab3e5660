"""Faults that no model file foretells: their parameter is learnt from one wrong answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

from conformance.causes.edits.fault import Fault, Faults, of_ids, of_rules
from conformance.causes.edits.limits import Words, kinds_of_words, of_limits
from conformance.causes.edits.pre_tokenizers import of_classes
from conformance.causes.edits.unknown_tokens import with_tokens
from reftok import Tokenizer
from reftok.rules.pipeline import Pipeline

LONGEST_TEXT = 1_200
"""Of a longer text, in characters, nothing is learnt: it takes too long."""


def of_sample(
    tokenizer: Tokenizer,
    text: str,
    right_ids: Sequence[int],
    observed_ids: Sequence[int],
    words: Sequence[Words] | None = None,
) -> Faults:
    """The faults that give this answer, with the parameter that makes them give it; the likelier ones first.

    They answer other texts as well, by which they are to be judged: several limits may fit one answer.
    words: of the tokenizer, for several samples; made if None.

    >>> import reftok
    >>> tokenizer = reftok.load("bpe-qwen")
    >>> right = tokenizer.encode_ids("a b")
    >>> [fault.rule for fault in of_sample(tokenizer, "a b", right, [tokenizer.token_to_id("!"), *right])]
    ['added: ! at the start']
    """
    right, observed = list(right_ids), list(observed_ids)
    if right == observed or len(text) > LONGEST_TEXT:
        return
    words = kinds_of_words(tokenizer) if words is None else words
    candidates = chain(
        _of_added_tokens(tokenizer, text, right, observed),
        _of_special_tokens(tokenizer, text, right, observed),
        (replace(fault, learnt="limit") for fault in of_limits(tokenizer, words, text, right, observed)),
        of_classes(tokenizer, text),
        _of_ids(tokenizer, right, observed),
    )
    yield from (fault for fault in candidates if list(fault.ids(text)) == observed)


def _of_added_tokens(tokenizer: Tokenizer, text: str, right: list[int], observed: list[int]) -> Iterator[Fault]:
    """Those that the subject does not know."""
    added = tokenizer.rules.added_tokens
    for token_id in dict.fromkeys(right):
        if token_id in added.tokens and token_id not in observed:
            content = added.tokens[token_id].content
            build = partial(without_added_token, tokenizer, content)
            yield of_rules("AddedTokens", f"{content} is not matched", tokenizer, build)


def without_added_token(tokenizer: Tokenizer, content: str) -> Pipeline:
    """The tokenizer without one of its added tokens."""
    tokens = [token for token in tokenizer.rules.added_tokens.tokens.values() if token.content != content]
    return with_tokens(tokenizer, tokens, {})


def _of_special_tokens(tokenizer: Tokenizer, text: str, right: list[int], observed: list[int]) -> Iterator[Fault]:
    """Ids before and after the right ones, as add_bos and add_eos of tokenizer_config.json would put them there."""
    more = len(observed) - len(right)
    for before in range(min(more, 2) + 1) if 0 < more <= 4 else ():
        first, last = observed[:before], observed[before + len(right) :]
        if observed[before : before + len(right)] == right:
            names = [" ".join(tokenizer.id_to_token(one) or f"id {one}" for one in some) for some in (first, last)]
            places = [f"{name} at the {place}" for name, place in zip(names, ("start", "end"), strict=True) if name]
            yield of_ids("PostProcessor", f"added: {', '.join(places)}", tokenizer, partial(_around, first, last))


def _around(first: Sequence[int], last: Sequence[int], ids: Sequence[int]) -> Sequence[int]:
    return [*first, *ids, *last]


def _of_ids(tokenizer: Tokenizer, right: list[int], observed: list[int]) -> Iterator[Fault]:
    """Every id otherwise, or one of them."""
    if len(right) != len(observed):
        return
    for bits in (8, 12, 15, 16):
        yield of_ids("Model", f"ids overflow at 2^{bits}", tokenizer, partial(_wrapped, bits))
    if len(set(right)) > 1:
        yield of_ids(
            "Model", _shifted_rule(observed[0] - right[0]), tokenizer, partial(_shifted, observed[0] - right[0])
        )
    changed = {(one, other) for one, other in zip(right, observed, strict=True) if one != other}
    if len(changed) == 1:
        ((one, other),) = changed
        names = [tokenizer.id_to_token(token_id) or f"id {token_id}" for token_id in (one, other)]
        fault = of_ids("Model", f"{names[1]} in place of {names[0]}", tokenizer, partial(_replaced, one, other))
        yield replace(fault, learnt="id")


def _wrapped(bits: int, ids: Sequence[int]) -> Sequence[int]:
    return [token_id % (1 << bits) for token_id in ids]


def _shifted_rule(shift: int) -> str:
    return f"ids are too {'high' if shift > 0 else 'low'} by {abs(shift)}"


def _shifted(shift: int, ids: Sequence[int]) -> Sequence[int]:
    return [token_id + shift for token_id in ids]


def _replaced(one: int, other: int, ids: Sequence[int]) -> Sequence[int]:
    return [other if token_id == one else token_id for token_id in ids]
