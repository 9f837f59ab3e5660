"""Ways to get the added tokens wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, TypeAlias

from conformance.faults.fault import Fault, Faults, of_pipeline, of_text, of_tokenizer
from reftok import Tokenizer
from reftok.spec.added_tokens import AddedMatch, AddedTokenPattern, AddedVocabulary
from reftok.spec.pipeline import Pipeline
from reftok.spec.stages import Normalizer
from reftok.spec.text import NormalizedString
from reftok.spec.types import AddedToken

FLAGS = ("lstrip", "rstrip", "single_word", "normalized")

_Found: TypeAlias = tuple[int, int, int]
"""The id, start and end of a match."""
Keep: TypeAlias = Callable[[str, Sequence[_Found]], Sequence[_Found]]
Order: TypeAlias = Callable[[Sequence[str]], Sequence[str]]
Search: TypeAlias = Callable[[Mapping[str, int], Mapping[int, AddedToken]], AddedTokenPattern]

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


class _OnlyAsciiWords(dict[int, str]):
    """For `str.translate`: characters that are not ASCII are none of a word; white space stays."""

    def __missing__(self, code: int) -> str:
        return chr(code) if code < 0x80 or chr(code).isspace() else "-"


def _seen_otherwise(tokenizer: Tokenizer, table: Mapping[int, str]) -> Pipeline:
    return replace(tokenizer.spec, added_tokens=SeenOtherwise(tokenizer.added_tokens, table))


class FoundOtherwise(AddedVocabulary):
    """The added tokens, found by another search; search: of the ids by content, and of the tokens by id."""

    def __init__(self, added: AddedVocabulary, search: Search) -> None:
        self.__dict__.update({name: value for name, value in vars(added).items() if not name.endswith("_pattern")})
        self._search = search

    def _pattern(self, ids: Mapping[str, int]) -> AddedTokenPattern | None:
        return self._search(ids, self._by_id) if ids else None


class _KeptMatches(AddedTokenPattern):
    """Some of the matches; keep: of a text and the matches in it, in order."""

    def __init__(self, ids: Mapping[str, int], tokens: Mapping[int, AddedToken], keep: Keep) -> None:
        super().__init__(ids, tokens)
        self._keep = keep

    def find(self, text: str) -> Iterator[tuple[int, int, int]]:
        yield from self._keep(text, [*super().find(text)])


class _InOrder(AddedTokenPattern):
    """Each content wherever it stands in what the ones before it have left of the text."""

    def __init__(self, ids: Mapping[str, int], tokens: Mapping[int, AddedToken], order: Order) -> None:
        super().__init__(ids, tokens)
        self._in_order = [(content, ids[content]) for content in order([*ids])]

    def find(self, text: str) -> Iterator[tuple[int, int, int]]:
        left, found = [(0, len(text))], list[_Found]()
        for content, token_id in self._in_order:
            parts = left
            left = []
            for start, stop in parts:
                while (place := text.find(content, start, stop)) >= 0:
                    left.append((start, place))
                    start = place + len(content)
                    found.append((token_id, place, start))
                left.append((start, stop))
        return iter(sorted(found, key=lambda one: one[1]))


_ORDERS: tuple[tuple[str, Order], ...] = (
    ("added tokens are cut out one after the other, the longest first",
     lambda contents: sorted(contents, key=len, reverse=True)),
    ("added tokens are cut out one after the other, the longest first",
     lambda contents: sorted(contents, key=len)[::-1]),
    ("added tokens are cut out one after the other, in the order of the file", lambda contents: contents),
)  # fmt: skip


def _first_only(text: str, found: Sequence[_Found]) -> list[_Found]:
    """Of each token the first match, as `replace` of JavaScript does it."""
    return [one for index, one in enumerate(found) if one[0] not in {before[0] for before in found[:index]}]


def _leftmost_only(text: str, found: Sequence[_Found]) -> list[_Found]:
    return [one for index, one in enumerate(found) if index == 0]


def _between_spaces(text: str, found: Sequence[_Found]) -> list[_Found]:
    return [one for one in found if text[one[1] - 1 : one[1]] in ("", " ") and text[one[2] : one[2] + 1] in ("", " ")]


_KEPT: tuple[tuple[str, Keep], ...] = (
    ("added tokens are matched only at the start", lambda text, found: [one for one in found if one[1] == 0]),
    ("added tokens are matched only as the whole text",
     lambda text, found: [one for one in found if one[1:] == (0, len(text))]),
    ("added tokens are matched only at the end", lambda text, found: [one for one in found if one[2] == len(text)]),
    ("added tokens are matched only at the ends",
     lambda text, found: [one for one in found if one[1] == 0 or one[2] == len(text)]),
    ("added tokens are matched only between spaces", _between_spaces),
    ("only the first of all added tokens is matched", _leftmost_only),
    ("each added token is matched only once", _first_only),
)  # fmt: skip


def of_matches(tokenizer: Tokenizer) -> Faults:
    """Added tokens that are not found everywhere, or where they are not."""
    added = tokenizer.added_tokens
    contents = [content for content in added.contents if content]
    if not contents:
        return
    any_content = re.compile("|".join(map(re.escape, contents)))
    any_case = re.compile(any_content.pattern, re.IGNORECASE)

    def concerns(text: str) -> bool:
        return any_content.search(text) is not None

    def built(search: Search) -> Pipeline:
        return replace(tokenizer.spec, added_tokens=FoundOtherwise(added, search))

    searches: list[tuple[str, Search]] = [(rule, partial(_KeptMatches, keep=keep)) for rule, keep in _KEPT]
    searches += [(rule, partial(_InOrder, order=order)) for rule, order in _ORDERS]
    for rule, search in searches:
        yield of_pipeline("AddedTokens", rule, tokenizer, partial(built, search), concerns)
    if all(map(str.isascii, contents)) and any(token.single_word for token in added.tokens.values()):
        seen = partial(_seen_otherwise, tokenizer, _OnlyAsciiWords())
        yield of_pipeline("AddedTokens", "single_word knows words of ASCII only", tokenizer, seen, concerns)
    cased = {content.casefold(): content for content in reversed(contents)}

    def in_its_case(text: str) -> str:
        return any_case.sub(lambda one: cased.get(one[0].casefold(), one[0]), text)

    yield of_text("AddedTokens", "added tokens are matched without regard to case", tokenizer, in_its_case)
    if tokenizer.normalizers:
        rule = "the text is normalized before added tokens are matched"
        bare = cache(lambda: with_normalizers(tokenizer, ()))

        def ids(text: str) -> Sequence[int]:
            return bare().encode_ids(whole.normalized(text)[0].normalized.text if text else "")

        whole = replace(tokenizer.spec, added_tokens=AddedVocabulary())
        yield Fault("AddedTokens", rule, lambda text: ids(text) if concerns(text) else tokenizer.encode_ids(text))
