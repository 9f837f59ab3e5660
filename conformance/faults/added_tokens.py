"""Ways to get the added tokens wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from conformance.faults.fault import Fault, Faults, of_tokenizer
from reftok import Tokenizer
from reftok.spec.added_tokens import AddedMatch, AddedTokenPattern, AddedVocabulary
from reftok.spec.stages import Normalizer
from reftok.spec.text import NormalizedString
from reftok.spec.types import AddedToken

FLAGS = ("lstrip", "rstrip", "single_word", "normalized")

Change = Callable[[Sequence[AddedToken]], Sequence[AddedToken]]


def of_added_tokens(tokenizer: Tokenizer) -> Faults:
    """Flags that are not read, or always set; tokens that are not looked for, or in another order."""
    tokens = list(tokenizer.added_tokens.tokens.values())
    if not tokens:
        return
    without = replace(tokenizer, added_tokens=AddedVocabulary())
    yield of_tokenizer("AddedTokens", "added tokens are not matched", lambda: without)
    for flag in FLAGS:
        values = {getattr(token, flag) for token in tokens}
        for value in (False, True):
            if values != {value}:
                yield _with(tokenizer, f"{flag} is {'on' if value else 'off'}", partial(_flagged, flag, value))
    yield _with(tokenizer, "the first in the file wins, not the longest", _first_in_file)
    special = [token.special for token in tokens]
    if any(special) and not all(special):
        yield _with(tokenizer, "only special tokens are matched", partial(_kept, True))
        yield _with(tokenizer, "special tokens are not matched", partial(_kept, False))


def _flagged(flag: str, value: bool, tokens: Sequence[AddedToken]) -> list[AddedToken]:
    change: dict[str, Any] = {flag: value}
    return [replace(token, **change) for token in tokens]


def _kept(special: bool, tokens: Sequence[AddedToken]) -> list[AddedToken]:
    return [token for token in tokens if token.special == special]


def _first_in_file(tokens: Sequence[AddedToken]) -> list[AddedToken]:
    """Without the tokens that an earlier one is the beginning of: they can never be found."""
    return [
        token
        for index, token in enumerate(tokens)
        if not any(token.content.startswith(earlier.content) for earlier in tokens[:index])
    ]


def _with(tokenizer: Tokenizer, rule: str, change: Change) -> Fault:
    return of_tokenizer("AddedTokens", rule, lambda: _changed(tokenizer, change))


def with_normalizers(tokenizer: Tokenizer, normalizers: Sequence[Normalizer]) -> Tokenizer:
    """The tokenizer with other normalizers, by which its added tokens are matched as well."""
    return _changed(replace(tokenizer, normalizers=tuple(normalizers)), lambda tokens: tokens)


def _changed(tokenizer: Tokenizer, change: Change) -> Tokenizer:
    """The tokenizer with other added tokens, those that are left under their ids."""
    kept = tokenizer.added_tokens
    ids = {token.content: token_id for token_id, token in kept.tokens.items()}

    def normalize(text: str) -> str:
        normalized = NormalizedString(text)
        for step in tokenizer.normalizers:
            normalized = step.normalize(normalized)
        return normalized.text

    changed = AddedVocabulary(change(list(kept.tokens.values())), {**tokenizer.model.vocab, **ids}, normalize)
    return replace(tokenizer, added_tokens=changed)


class SeenOtherwise(AddedVocabulary):
    """The added tokens in a text of which some characters are taken for others; table: as `str.translate` takes it."""

    def __init__(self, added: AddedVocabulary, table: Mapping[int, str]) -> None:
        self.__dict__.update(vars(added))
        self._table = table

    def _matches(self, text: str, pattern: AddedTokenPattern, encode_special_tokens: bool) -> Iterator[AddedMatch]:
        return super()._matches(text.translate(self._table), pattern, encode_special_tokens)
