"""Ways to get the added tokens wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache, partial
from itertools import takewhile
from typing import Any, NamedTuple, TypeAlias
from unicodedata import normalize

from conformance.causes.edits.fault import Fault, Faults, TextAnswer, of_rules, of_text, predicted
from reftok import Tokenizer
from reftok.rules.huggingface.added_tokens import (
    AddedMatch,
    AddedTokenPattern,
    AddedVocabulary,
    end_of_white_space_after,
    start_of_white_space_before,
)
from reftok.rules.pipeline import Note, Pipeline
from reftok.rules.stages import Normalizer
from reftok.rules.text import NormalizedString, Part
from reftok.rules.types import AddedToken

FLAGS = ("lstrip", "rstrip", "single_word", "normalized")
_SWALLOWED = (
    ("rstrip", "special tokens swallow the white space behind them"),
    ("lstrip", "special tokens swallow the white space before them"),
)


_NUMBER = re.compile("[0-9]+")


class _Found(NamedTuple):
    """A match. first, last: its bounds including stripped white space. lstrip, rstrip: the flags of its token."""

    token_id: int
    start: int
    end: int
    first: int
    last: int
    lstrip: bool
    rstrip: bool


Keep: TypeAlias = Callable[[str, Sequence[_Found]], Sequence[_Found]]
Order: TypeAlias = Callable[[Sequence[str]], Sequence[str]]
Search: TypeAlias = Callable[[Mapping[str, int], Mapping[int, AddedToken]], AddedTokenPattern]

Change = Callable[[Sequence[AddedToken]], Sequence[AddedToken]]


def of_added_tokens(tokenizer: Tokenizer) -> Faults:
    """Flags that are not read, or always set; tokens that are not looked for, or in another order."""
    tokens = list(tokenizer.rules.added_tokens.tokens.values())
    if not tokens:
        return
    without = replace(tokenizer.rules, added_tokens=AddedVocabulary())
    yield of_rules("AddedTokens", "added tokens are not matched", tokenizer, lambda: without)
    yield from _of_numbered(tokenizer)
    for flag in FLAGS:
        values = {getattr(token, flag) for token in tokens}
        for value in (False, True):
            if values != {value}:
                yield _with(tokenizer, f"{flag} is {'on' if value else 'off'}", partial(_flagged, flag, value))
    for flag, rule in _SWALLOWED:
        if any(token.special and not getattr(token, flag) for token in tokens):
            special_contents = {token.content for token in tokens if token.special}
            yield _with(tokenizer, rule, partial(_flagged, flag, True, contents=special_contents))
    if sum(any(getattr(token, flag) for token in tokens) for flag in FLAGS) > 1:
        yield _with(tokenizer, "flags of added tokens are not read", _without_flags)
    yield _with(tokenizer, "the first in the file wins, not the longest", _first_in_file)
    yield _with(tokenizer, "the shortest added token wins, not the longest", _shortest_first)
    special = [token.special for token in tokens]
    if any(special) and not all(special):
        yield _with(tokenizer, "only special tokens are matched", partial(_kept, True))
        yield _with(tokenizer, "special tokens are not matched", partial(_kept, False))


def _of_numbered(tokenizer: Tokenizer) -> Faults:
    """Numbered tokens, such as `<extra_id_0>`, with their ids in reverse order."""
    shapes: dict[str, list[tuple[int, int]]] = {}
    for token_id, token in tokenizer.rules.added_tokens.tokens.items():
        if len(numbers := _NUMBER.findall(token.content)) == 1:
            shapes.setdefault(_NUMBER.sub("0", token.content), []).append((int(numbers[0]), token_id))
    others: dict[int, int] = {}
    for ids in ([one for _, one in sorted(numbered)] for numbered in shapes.values()):
        others |= dict(zip(ids, ids[::-1], strict=True))

    def change(ids: Sequence[int]) -> Sequence[int]:
        return [others.get(one, one) for one in ids]

    if any(one != other for one, other in others.items()):
        yield Fault(
            "AddedTokens",
            "the ids of numbered tokens run the other way",
            lambda text: change(tokenizer.encode_ids(text)),
            text=lambda ids, skips: tokenizer.decode(change(ids), skip_special_tokens=skips),
            change=change,
        )


def of_flags(tokenizer: Tokenizer, answers: Iterable[TextAnswer]) -> Faults:
    """Wrong flags of single added tokens: those whose change explains one of these answers."""
    tokens = tokenizer.rules.added_tokens.tokens
    found: dict[tuple[str, bool], list[str]] = {}
    for text, right, observed in answers:
        for token in (tokens[one] for one in dict.fromkeys(right) if one in tokens):
            for flag in FLAGS:
                key = flag, not getattr(token, flag)
                fault = _with(tokenizer, "", partial(_flagged, *key, contents={token.content}))
                if predicted(partial(fault.ids, text)) == [*observed]:
                    found.setdefault(key, []).append(token.content)
    for (flag, value), contents in found.items():
        tokens_named = f"“{contents[0]}”" if len(set(contents)) == 1 else "some added tokens"
        rule = f"{flag} of {tokens_named} is {'on' if value else 'off'}"
        yield _with(tokenizer, rule, partial(_flagged, flag, value, contents={*contents}))


def _flagged(
    flag: str, value: bool, tokens: Sequence[AddedToken], contents: Container[str] | None = None
) -> list[AddedToken]:
    """Sets a flag of the tokens with these contents, or of all tokens if None."""
    change: dict[str, Any] = {flag: value}
    return [replace(token, **change) if contents is None or token.content in contents else token for token in tokens]


def _without_flags(tokens: Sequence[AddedToken]) -> list[AddedToken]:
    """As what cuts a text by strings has them."""
    return [replace(token, lstrip=False, rstrip=False, single_word=False, normalized=False) for token in tokens]


def _kept(special: bool, tokens: Sequence[AddedToken]) -> list[AddedToken]:
    return [token for token in tokens if token.special == special]


def _first_in_file(tokens: Sequence[AddedToken]) -> list[AddedToken]:
    """Without the tokens that an earlier one is the beginning of: they can never be found."""
    return [
        token
        for index, token in enumerate(tokens)
        if not any(token.content.startswith(earlier.content) for earlier in tokens[:index])
    ]


def _shortest_first(tokens: Sequence[AddedToken]) -> list[AddedToken]:
    return _first_in_file(sorted(tokens, key=lambda token: len(token.content)))


def _with(tokenizer: Tokenizer, rule: str, change: Change) -> Fault:
    return of_rules("AddedTokens", rule, tokenizer, lambda: _changed(tokenizer.rules, change))


def with_normalizers(rules: Pipeline, normalizers: Sequence[Normalizer]) -> Pipeline:
    """The rules with other normalizers, by which the added tokens are matched as well."""
    return _changed(replace(rules, normalizers=tuple(normalizers)), lambda tokens: tokens)


def _changed(rules: Pipeline, change: Change) -> Pipeline:
    """The rules with other added tokens, those that are left under their ids."""
    kept = rules.added_tokens
    ids = {token.content: token_id for token_id, token in kept.tokens.items()}

    def normalize(text: str) -> str:
        normalized = NormalizedString(text)
        for step in rules.normalizers:
            normalized = step.normalize(normalized)
        return normalized.text

    changed = AddedVocabulary(change(list(kept.tokens.values())), {**rules.model.vocab, **ids}, normalize)
    return replace(rules, added_tokens=changed)


class SeenOtherwise(AddedVocabulary):
    """The added tokens, beside which some characters are taken for others.

    table: as `str.translate` takes it; one character for each.
    """

    def __init__(self, added: AddedVocabulary, table: Mapping[int, str]) -> None:
        self.__dict__.update(vars(added))
        self._table = table

    def _matches(self, text: str, pattern: AddedTokenPattern, encode_special_tokens: bool) -> Iterator[AddedMatch]:
        found = _AlreadyFound([*pattern.find(text)])
        return super()._matches(text.translate(self._table), found, encode_special_tokens)


class StripsLess(AddedVocabulary):
    """The added tokens, which take less than a run of white space.

    sides: lstrip, rstrip, or both. takes: whether a character of the run is taken, by its distance from the content.
    """

    def __init__(self, added: AddedVocabulary, sides: Collection[str], takes: Callable[[int, str], bool]) -> None:
        self.__dict__.update(vars(added))
        self._sides, self._takes = sides, takes

    def lstripped(self, text: str, start: int, lowest: int) -> int:
        """Where the first character before the content stands that is not taken."""
        farthest = super().lstripped(text, start, lowest)
        if "lstrip" not in self._sides or farthest >= start:
            return farthest
        return start - self._taken(text[farthest:start][::-1])

    def rstripped(self, text: str, stop: int) -> int:
        """Where the first character behind the content stands that is not taken."""
        farthest = super().rstripped(text, stop)
        return stop + self._taken(text[stop:farthest]) if "rstrip" in self._sides else farthest

    def _taken(self, run: str) -> int:
        left = (distance for distance, character in enumerate(run) if not self._takes(distance, character))
        return next(left, len(run))


class _AlreadyFound(AddedTokenPattern):
    """What was found in another text of the same length."""

    def __init__(self, found: Sequence[tuple[int, int, int]]) -> None:
        self._found = found

    def find(self, text: str) -> Iterator[tuple[int, int, int]]:
        return iter(self._found)


class _Words(dict[int, str]):
    """For `str.translate`: what is a character of a word, and what is none; white space stays."""

    def __init__(self, is_word: Callable[[str], bool]) -> None:
        super().__init__()
        self._is_word = is_word

    def __missing__(self, code: int) -> str:
        character = chr(code)
        return character if character.isspace() else "a" if self._is_word(character) else "-"


_WORDS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("single_word knows words of ASCII only", lambda one: one.isascii() and (one.isalnum() or one == "_")),
    ("single_word knows letters and numbers only", str.isalnum),
)


def seen_otherwise(tokenizer: Tokenizer, table: Mapping[int, str]) -> Pipeline:
    """The tokenizer whose added tokens have other characters beside them; table: as of `SeenOtherwise`."""
    return replace(tokenizer.rules, added_tokens=SeenOtherwise(tokenizer.rules.added_tokens, table))


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
        yield from (one[:3] for one in self._keep(text, [*map(partial(self._found, text), super().find(text))]))

    def _found(self, text: str, match: tuple[int, int, int]) -> _Found:
        token_id, start, end = match
        token = self.tokens[token_id]
        first = start_of_white_space_before(text, start, 0) if token.lstrip else start
        last = end_of_white_space_after(text, end) if token.rstrip else end
        return _Found(token_id, start, end, first, last, token.lstrip, token.rstrip)


class _WithoutWayBack(AddedTokenPattern):
    """A trie search without backtracking: behind a failed match it continues after the characters it has read."""

    def __init__(self, ids: Mapping[str, int], tokens: Mapping[int, AddedToken]) -> None:
        super().__init__(ids, tokens)
        self._contents = ids
        self._beginnings = {content[:size] for content in ids for size in range(1, len(content) + 1)}

    def find(self, text: str) -> Iterator[tuple[int, int, int]]:
        start = 0
        while start < len(text):
            end, content = start, ""
            while end < len(text) and text[start : end + 1] in self._beginnings:
                end += 1
                content = text[start:end] if text[start:end] in self._contents else content
            if content:
                yield self._contents[content], start, start + len(content)
            start = start + len(content) if content else end + 1


class _InOrder(AddedTokenPattern):
    """Each content wherever it stands in what the ones before it have left of the text."""

    def __init__(self, ids: Mapping[str, int], tokens: Mapping[int, AddedToken], order: Order) -> None:
        super().__init__(ids, tokens)
        self._in_order = [(content, ids[content]) for content in order([*ids])]

    def find(self, text: str) -> Iterator[tuple[int, int, int]]:
        left, found = [(0, len(text))], list[tuple[int, int, int]]()
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
    return [one for index, one in enumerate(found) if one.token_id not in {before.token_id for before in found[:index]}]


def _leftmost_only(text: str, found: Sequence[_Found]) -> list[_Found]:
    return [one for index, one in enumerate(found) if index == 0]


def _between_spaces(text: str, found: Sequence[_Found]) -> list[_Found]:
    return [one for one in found if {text[one.start - 1 : one.start], text[one.end : one.end + 1]} <= {"", " "}]


def _where_stripped(text: str, found: Sequence[_Found]) -> list[_Found]:
    """Drops a match of a token with lstrip or rstrip if no white space stands on that side."""
    return [
        one for one in found if (one.first < one.start or not one.lstrip) and (one.last > one.end or not one.rstrip)
    ]


def _after_spaces(text: str, found: Sequence[_Found]) -> list[_Found]:
    return [one for one in found if text[one.start - 1 : one.start] in ("", " ")]


def _before_spaces(text: str, found: Sequence[_Found]) -> list[_Found]:
    return [one for one in found if text[one.end : one.end + 1] in ("", " ")]


class _StartOnly(Pipeline):
    """A program that takes added tokens off the start of a text, and finds none in what they leave."""

    def normalized(self, text: str, note: Note = lambda *_: None) -> list[Part]:
        """The splits, those behind the first text made anew."""
        taken = [*takewhile(lambda split: split.tokens is not None, super().normalized(text, note))]
        end = max((split.normalized.original_span(0, len(split.normalized))[1] for split in taken), default=0)
        bare = replace(self, added_tokens=AddedVocabulary())
        return [*taken, *(super(_StartOnly, bare).normalized(text[end:], note) if end < len(text) else ())]


def _start_only(tokenizer: Tokenizer) -> Pipeline:
    spec = tokenizer.rules
    return _StartOnly(**{one.name: getattr(spec, one.name) for one in fields(spec)})


_KEPT: tuple[tuple[str, Keep], ...] = (
    ("added tokens are matched only at the start", lambda text, found: [one for one in found if one.first == 0]),
    ("added tokens are matched only as the whole text",
     lambda text, found: [one for one in found if (one.first, one.last) == (0, len(text))]),
    ("added tokens are matched only at the end", lambda text, found: [one for one in found if one.last == len(text)]),
    ("added tokens are matched only at the ends",
     lambda text, found: [one for one in found if one.first == 0 or one.last == len(text)]),
    ("added tokens are matched only between spaces", _between_spaces),
    ("added tokens are matched only after a space", _after_spaces),
    ("added tokens are matched only before a space", _before_spaces),
    ("lstrip and rstrip are conditions: white space must stand there", _where_stripped),
    ("only the first of all added tokens is matched", _leftmost_only),
    ("each added token is matched only once", _first_only),
)  # fmt: skip


def of_matches(tokenizer: Tokenizer) -> Faults:
    """Added tokens that are not found everywhere, or where they are not."""
    added = tokenizer.rules.added_tokens
    matched_by = (added.id_to_token(token_id) for token_id in added.tokens)
    contents = [content for content in dict.fromkeys((*added.contents, *matched_by)) if content]
    if not contents:
        return
    any_content = re.compile("|".join(map(re.escape, contents)))
    any_case = re.compile(any_content.pattern, re.IGNORECASE)

    def concerns(text: str) -> bool:
        return any_content.search(text) is not None

    def built(search: Search, is_plain: bool = False) -> Pipeline:
        tokens = _changed(tokenizer.rules, _without_flags).added_tokens if is_plain else added
        return replace(tokenizer.rules, added_tokens=FoundOtherwise(tokens, search))

    builds: list[tuple[str, Callable[[], Pipeline]]]
    builds = [(rule, partial(built, partial(_KeptMatches, keep=keep))) for rule, keep in _KEPT]
    for rule, order in _ORDERS:
        builds += [(rule, partial(built, partial(_InOrder, order=order), is_plain)) for is_plain in (False, True)]
    builds.append(("a match of added tokens that fails is not begun again within it", partial(built, _WithoutWayBack)))
    builds.insert(1, (_KEPT[0][0], partial(_start_only, tokenizer)))
    if any(token.single_word for token in added.tokens.values()):
        builds += [(rule, partial(seen_otherwise, tokenizer, _Words(is_word))) for rule, is_word in _WORDS]
    for rule, build in builds:
        yield of_rules("AddedTokens", rule, tokenizer, build, concerns)
    cased = {content.casefold(): content for content in reversed(contents)}

    def in_its_case(text: str) -> str:
        return any_case.sub(lambda one: cased.get(one[0].casefold(), one[0]), text)

    yield of_text("AddedTokens", "added tokens are matched without regard to case", tokenizer, in_its_case)
    forms = {normalize(form, content): content for content in contents for form in ("NFC", "NFD")}
    equivalent = {form: content for form, content in forms.items() if form not in contents}
    if equivalent:
        any_form = re.compile("|".join(map(re.escape, equivalent)))
        as_written = lambda text: any_form.sub(lambda one: equivalent[one[0]], text)
        rule = "added tokens are matched by what is canonically equivalent"
        yield of_text("AddedTokens", rule, tokenizer, as_written)
    if tokenizer.rules.normalizers:
        rule = "the text is normalized before added tokens are matched"
        bare = cache(lambda: Tokenizer(with_normalizers(tokenizer.rules, ()), tokenizer))

        def ids(text: str) -> Sequence[int]:
            normalized = whole.normalized(text)[0].normalized.text if text else ""
            # Normalization can destroy a match, when a mark composes with it, or create one from another form.
            is_concerned = concerns(text) or concerns(normalized)
            return bare().encode_ids(normalized) if is_concerned else tokenizer.encode_ids(text)

        whole = replace(tokenizer.rules, added_tokens=AddedVocabulary())
        yield Fault("AddedTokens", rule, ids)
