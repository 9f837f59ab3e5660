"""Added tokens that only the subject knows: special tokens of other models, written into the program."""

from __future__ import annotations

import re
from collections import ChainMap, Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

from conformance.causes.edits.fault import DecodingFault, Fault, TextAnswer, of_rules, predicted
from conformance.core.observation import Decoded
from reftok import Tokenizer
from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.pipeline import Pipeline
from reftok.rules.types import AddedToken

RULE = "added tokens are matched that the file does not have"

_MOST_NEW = 4
"""Of what one answer shows."""
_OFTEN_ENOUGH = 2
"""Nothing more is learnt from the same strings."""
_LOOKS_SPECIAL = re.compile(r"<[|｜]?[^<>\s]{1,60}>|\[[^\[\]\s]{1,40}\]|\{\{?[^{}\s]{1,40}\}?\}")
"""What somebody would make a special token."""


def of_unknown_tokens(tokenizer: Tokenizer, answers: Iterable[TextAnswer]) -> Iterator[Fault]:
    """The fault with all the tokens that these answers show, if they show one.

    >>> import reftok
    >>> tokenizer = reftok.load("bpe-qwen")
    >>> fault, = of_unknown_tokens(tokenizer, [("<|x|>", tokenizer.encode_ids("<|x|>"), [7777])])
    >>> fault.ids("<|x|><|x|>")
    [7777, 7777]
    """
    new: dict[str, int] = {}
    looked_at: Counter[tuple[str, ...]] = Counter()
    for text, right, observed in answers:
        looks = tuple(one for one in _unknown(tokenizer, text) if one not in new)
        looked_at[looks] += 1
        if looks and looked_at[looks] <= _OFTEN_ENOUGH:
            pairs = product(looks, [one for one in dict.fromkeys(observed) if one not in right][:_MOST_NEW])
            is_given = lambda spec, text=text, observed=observed: spec.encode_ids(text) == list(observed)
            new |= _verified(tokenizer, pairs, new, is_given)
    if new:
        yield of_rules(
            "AddedTokens",
            RULE,
            tokenizer,
            partial(with_added_tokens, tokenizer, new),
            lambda text: any(content in text for content in new),
        )


def of_unknown_ids(
    tokenizer: Tokenizer, answers: Iterable[tuple[Sequence[int], Decoded, Decoded]]
) -> Iterator[DecodingFault]:
    """The same of decoding.

    answers: ids, each with the right text and that of a subject.
    """
    new: dict[str, int] = {}
    for ids, right, observed in answers:
        outside = [one for one in dict.fromkeys(ids) if tokenizer.id_to_token(one) is None][:_MOST_NEW]
        looks = [one for one in _unknown(tokenizer, observed.kept) if one not in right.kept and one not in new]
        is_given = lambda spec, ids=ids, observed=observed: spec.decode(ids, False) == observed.kept
        new |= _verified(tokenizer, product(looks, outside), new, is_given)
    if new:
        spec = with_added_tokens(tokenizer, new)
        yield DecodingFault("AddedTokens", RULE, spec.decode)


def _unknown(tokenizer: Tokenizer, text: str) -> list[str]:
    """What looks like a special token in a text, and is no added token of the model."""
    looks = dict.fromkeys(found[0] for found in _LOOKS_SPECIAL.finditer(text))
    return [one for one in looks if tokenizer.rules.added_tokens.token_to_id(one) is None][:_MOST_NEW]


def _verified(
    tokenizer: Tokenizer,
    pairs: Iterable[tuple[str, int]],
    known: Mapping[str, int],
    is_given: Callable[[Pipeline], bool],
) -> dict[str, int]:
    """The first pair of a content and its id that gives what the subject gave, with those that are known."""
    for content, token_id in pairs:
        one = {content: token_id}
        if predicted(partial(is_given, with_added_tokens(tokenizer, {**known, **one}))):
            return one
    return {}


def with_added_tokens(tokenizer: Tokenizer, new: Mapping[str, int]) -> Pipeline:
    """The tokenizer with more special tokens. new: their ids by their contents."""
    more = (AddedToken(content, normalized=False, special=True) for content in new)
    return with_tokens(tokenizer, [*tokenizer.rules.added_tokens.tokens.values(), *more], new)


def with_tokens(tokenizer: Tokenizer, tokens: Sequence[AddedToken], new: Mapping[str, int]) -> Pipeline:
    """The tokenizer with these added tokens. new: the ids of those that it does not have."""
    known = {token.content: token_id for token_id, token in tokenizer.rules.added_tokens.tokens.items()}
    bare = replace(tokenizer.rules, added_tokens=AddedVocabulary())

    def normalize(text: str) -> str:
        return "".join(split.normalized.text for split in bare.normalized(text))

    vocab = ChainMap(dict(new), known, dict(tokenizer.rules.model.vocab))
    return replace(tokenizer.rules, added_tokens=AddedVocabulary(tokens, vocab, normalize, tokenizer.rules.model.size))
