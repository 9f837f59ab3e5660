"""Ways to go wrong beyond a limit: buffers that are too small, for the text or for a word.

Which limit it is must be learnt from an answer: see `of_limits`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import pairwise
from typing import TypeAlias, TypeVar

from conformance.causes.edits.changed_models import (
    ChangedModel,
    Tokenize,
    by_words,
    in_pieces,
    is_byte_level,
    merged_by,
    merged_otherwise,
    with_merge_of,
    words_of,
)
from conformance.causes.edits.fault import Fault, Faults, around, of_ids, of_rules, of_text
from conformance.causes.edits.models import LongestFirst, without_dummy_prefix
from reftok import Tokenizer
from reftok.rules.byte_level import from_byte_characters, to_byte_characters
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.merging import MergeOf, merge_all
from reftok.rules.pipeline import Pipeline
from reftok.rules.types import Token

LEAST = 4
"""No smaller limit is sought: it would be no buffer."""
MOST_ROOM = 5
"""Largest number of ids, plus one, that a buffer of one id per character is assumed to hold in addition."""
_MARGIN = 8
"""So far on either side of where the number of ids is right a limit is sought."""
MOST_WORDS = 4_096
"""The number of words, or texts, that each cache keeps."""
_WINDOW = 64
"""No token has more characters."""
_CUSTOMARY = sorted(
    {power - less for power in (1 << exponent for exponent in range(2, 17)) for less in (0, 1, 2)}
    | {digit * 10**exponent for exponent in range(1, 5) for digit in (1, 2, 3, 5)}
)
"""Numbers that programmers take."""

_Symbol = TypeVar("_Symbol")
_MadeOfWords: TypeAlias = Callable[[Tokenizer, str, int], Fault]
_BETWEEN_WHITE_SPACE = re.compile(r"\S+")

UNITS = ("characters", "bytes", "UTF-16 units")
_LONGEST_CHARACTER = {"characters": 1, "bytes": 4, "UTF-16 units": 2}


def customary(lowest: int, highest: int) -> list[int]:
    """Limits to try of all in a range, which one answer does not tell apart; the round ones first.

    >>> customary(60, 70), customary(65, 70), customary(71, 70)
    ([64, 63, 62, 60, 70], [65, 70], [])
    """
    if lowest > highest:
        return []
    found = _CUSTOMARY[bisect_left(_CUSTOMARY, lowest) : bisect_right(_CUSTOMARY, highest)]
    return list(dict.fromkeys((*reversed(found), lowest, highest)))


def of_limits(
    tokenizer: Tokenizer, words: Sequence[Words], text: str, right_ids: Sequence[int], observed_ids: Sequence[int]
) -> Faults:
    """The limits, of the text and of its words, beyond which something would have given this answer."""
    observed = list(observed_ids)
    if observed == list(right_ids):
        return
    candidates = (
        *_of_text(tokenizer, text, observed),
        *_of_tokens(tokenizer, text, list(right_ids), observed),
        *(fault for one in words for fault in _of_words(one, tokenizer, text, observed)),
    )
    for fault in candidates:
        if list(fault.ids(text)) == observed:
            yield fault


# --- lengths


def length(text: str, unit: str) -> int:
    """How long a text is.

    >>> [length("a\U0001f937", unit) for unit in UNITS]
    [2, 5, 3]
    """
    if unit == "bytes":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(one > "\uffff" for one in text) * (unit == "UTF-16 units")


def head(text: str, unit: str, limit: int) -> str:
    """As many whole characters as the limit leaves room for.

    >>> [head("a\U0001f937b", unit, 3) for unit in UNITS] == ["a\U0001f937b", "a", "a\U0001f937"]
    True
    """
    if unit == "characters" or text.isascii():
        return text[:limit]
    if unit == "bytes":
        return text.encode("utf-8", "surrogatepass")[:limit].decode("utf-8", "ignore")
    return text.encode("utf-16-le", "surrogatepass")[: 2 * limit].decode("utf-16-le", "ignore")


def pieces(text: str, unit: str, limit: int) -> list[str]:
    """The text in pieces that fit, none of which ends within a character.

    >>> pieces("abcde", "characters", 2)
    ['ab', 'cd', 'e']
    """
    if unit == "characters" or text.isascii():
        return [text[start : start + limit] for start in range(0, len(text), limit)]
    found: list[str] = []
    while text:
        found.append(head(text, unit, limit) or text[0])
        text = text[len(found[-1]) :]
    return found


# --- of the text


def cut_text(tokenizer: Tokenizer, unit: str, limit: int) -> Fault:
    """The text cut off."""
    return of_text("Input", f"the text is cut at {limit} {unit}", tokenizer, lambda text: head(text, unit, limit))


def torn_text(tokenizer: Tokenizer, limit: int) -> Fault:
    """The text cut off within a character, what is left of it replaced."""

    def torn(text: str) -> str:
        return text.encode("utf-8")[:limit].decode("utf-8", "replace")

    return of_text("Input", f"the text is cut at {limit} bytes", tokenizer, torn)


def text_by_buffers(tokenizer: Tokenizer, limit: int) -> Fault:
    """The bytes of the text decoded buffer by buffer, what a seam leaves of a character replaced on both sides."""

    def torn(text: str) -> str:
        data = text.encode("utf-8", "surrogatepass")
        buffers = (data[start : start + limit] for start in range(0, len(data), limit))
        return "".join(buffer.decode("utf-8", "replace") for buffer in buffers)

    return of_text("Input", f"the text is decoded in buffers of {limit} bytes", tokenizer, torn)


def length_in_a_byte(tokenizer: Tokenizer, unit: str) -> Fault:
    """The length of the text modulo 256, and what is behind it lost."""

    def shortened(text: str) -> str:
        whole = length(text, unit)
        return head(text, unit, whole % 256) if whole > 255 else text

    return of_text("Input", f"the length in {unit} is kept in 8 bits", tokenizer, shortened)


def dropped_text(tokenizer: Tokenizer, unit: str, limit: int) -> Fault:
    """Nothing in place of the text."""
    rule = f"texts of more than {limit} {unit} are dropped"
    return of_text("Input", rule, tokenizer, lambda text: "" if length(text, unit) > limit else text)


def text_in_pieces(tokenizer: Tokenizer, unit: str, limit: int, later: Pipeline | None = None) -> Fault:
    """The text encoded piece by piece, the special tokens once around all.

    later: the rules of all pieces but the first, if they are others.
    """
    split = partial(pieces, unit=unit, limit=limit)
    return _in_parts(tokenizer, f"the text is encoded in pieces of {limit} {unit}", split, later)


def text_to_line_breaks(tokenizer: Tokenizer, limit: int) -> Fault:
    """The text encoded in pieces that each end at the first line break after some length, as if for several threads."""
    rule = f"the text is encoded in pieces that end at the first line break after {limit} characters"
    return _in_parts(tokenizer, rule, partial(_to_line_breaks, limit=limit))


def text_to_white_space(tokenizer: Tokenizer, limit: int, is_before: bool) -> Fault:
    """The text encoded in pieces that fit a buffer and end before, or behind, their last white space."""
    rule = f"the text is encoded in pieces of at most {limit} characters that end at white space"
    return _in_parts(tokenizer, rule, partial(_to_white_space, limit=limit, is_before=is_before))


def _in_parts(
    tokenizer: Tokenizer, rule: str, split: Callable[[str], list[str]], later: Pipeline | None = None
) -> Fault:
    rules = tokenizer if later is None else later

    def ids(text: str) -> Sequence[int]:
        first, *others = split(text) or [""]
        if not others:
            return tokenizer.encode_ids(text)
        before, after = around(tokenizer)
        bare = [tokenizer.encode_ids(first, add_special_tokens=False)]
        bare += [rules.encode_ids(one, add_special_tokens=False) for one in others]
        return [*before, *(token_id for piece in bare for token_id in piece), *after]

    return Fault("Input", rule, ids)


def _to_line_breaks(text: str, limit: int) -> list[str]:
    r"""Pieces to the first line break from the limit on.

    >>> _to_line_breaks("ab\ncdef\ngh", 3)
    ['ab\ncdef\n', 'gh']
    """
    found = []
    while len(text) > limit and (place := text.find("\n", limit)) >= 0:
        found.append(text[: place + 1])
        text = text[place + 1 :]
    return [*found, text] if text else found


def _to_white_space(text: str, limit: int, is_before: bool) -> list[str]:
    """Pieces that fit the limit, to their last white space.

    >>> _to_white_space("ab cd efg", 5, True), _to_white_space("ab cd efg", 5, False)
    (['ab', ' cd', ' efg'], ['ab ', 'cd ', 'efg'])
    """
    found = []
    while len(text) > limit:
        place = next((n for n in range(limit - 1, 0, -1) if text[n].isspace()), limit - (not is_before))
        found.append(text[: place + (not is_before)])
        text = text[len(found[-1]) :]
    return [*found, text] if text else found


def words_of_text_cut(tokenizer: Tokenizer, unit: str, limit: int) -> Fault:
    """What stands between white space, each cut off."""

    def cut(text: str) -> str:
        return _BETWEEN_WHITE_SPACE.sub(lambda word: head(word[0], unit, limit), text)

    return of_text("Input", f"the words of the text are cut at {limit} {unit}", tokenizer, cut)


def words_of_text_dropped(tokenizer: Tokenizer, unit: str, limit: int) -> Fault:
    """What stands between white space, left out where it is long."""

    def cut(text: str) -> str:
        return _BETWEEN_WHITE_SPACE.sub(lambda word: word[0] if length(word[0], unit) <= limit else "", text)

    return of_text("Input", f"words of the text of more than {limit} {unit} are dropped", tokenizer, cut)


def cut_ids(tokenizer: Tokenizer, limit: int, keeps_end: bool) -> Fault:
    """The ids cut off; keeps_end: the special tokens behind them are not."""

    def cut(ids: Sequence[int]) -> Sequence[int]:
        after = around(tokenizer)[1] if keeps_end else []
        return ids if len(ids) <= limit else [*ids[: limit - len(after)], *after]

    return of_ids("PostProcessor", f"the text is cut at {limit} tokens", tokenizer, cut)


def last_ids(tokenizer: Tokenizer, limit: int, keeps_start: bool) -> Fault:
    """The ids cut off at the start."""

    def cut(ids: Sequence[int]) -> Sequence[int]:
        before = around(tokenizer)[0] if keeps_start else []
        return ids if len(ids) <= limit else [*before, *ids[len(ids) - limit + len(before) :]]

    return of_ids("PostProcessor", f"the last {limit} tokens of the text are kept", tokenizer, cut)


def _of_text(tokenizer: Tokenizer, text: str, observed: list[int]) -> Iterator[Fault]:
    number = partial(_number_of_ids, tokenizer, text)
    lowest = bisect_left(range(len(text)), len(observed), key=number)
    highest = bisect_right(range(len(text)), len(observed), key=number)
    for stop in range(max(LEAST, lowest - _MARGIN), min(len(text), highest + _MARGIN)):
        if tokenizer.encode_ids(text[:stop]) == observed:
            for unit in UNITS:
                shortest, next_one = length(text[:stop], unit), length(text[: stop + 1], unit)
                yield from (cut_text(tokenizer, unit, limit) for limit in customary(shortest, next_one - 1))
        if not text[stop].isascii() and tokenizer.encode_ids(text[:stop] + "\ufffd") == observed:
            bounds = length(text[:stop], "bytes") + 1, length(text[: stop + 1], "bytes") - 1
            yield from (torn_text(tokenizer, limit) for limit in customary(*bounds))
    if observed == tokenizer.encode_ids(""):
        for unit in UNITS:
            yield from (dropped_text(tokenizer, unit, limit) for limit in customary(LEAST, length(text, unit) - 1))
    if len(text) > 255 or not text.isascii():
        yield from (length_in_a_byte(tokenizer, unit) for unit in UNITS)
    yield from _of_buffers(tokenizer, text, observed)
    yield from _of_text_in_pieces(tokenizer, text, observed)
    yield from _of_text_to_breaks(tokenizer, text)
    yield from _of_words_of_text(tokenizer, text, observed)


def _of_words_of_text(tokenizer: Tokenizer, text: str, observed: list[int]) -> Iterator[Fault]:
    """How many ids are left does not fall with the limit, nearly always, by which it is found."""
    for unit in UNITS[: 1 if text.isascii() else None]:
        most = max((length(word[0], unit) for word in _BETWEEN_WHITE_SPACE.finditer(text)), default=0)
        units = UNITS if text.isascii() else (unit,)
        for make in (words_of_text_cut, words_of_text_dropped):

            def number(limit: int, make: _MadeOfWords = make, unit: str = unit) -> int:
                return len(make(tokenizer, unit, limit).ids(text))

            lowest = bisect_left(range(most), len(observed), key=number)
            highest = bisect_right(range(most), len(observed), key=number)
            for limit in customary(max(LEAST, lowest), min(most, highest) - 1):
                yield from (make(tokenizer, one, limit) for one in units)


def _of_buffers(tokenizer: Tokenizer, text: str, observed: list[int]) -> Iterator[Fault]:
    """The buffers of a customary size whose first seam is within a character about where the answers part."""
    if text.isascii():
        return
    start = _parting(tokenizer, text, observed)
    within: set[int] = set()
    for place in range(start, min(len(text), start + _WINDOW)):
        within.update(range(length(text[:place], "bytes") + 1, length(text[: place + 1], "bytes")))
    yield from (text_by_buffers(tokenizer, limit) for limit in _parts(within, 1) if limit in _CUSTOMARY)


def _of_text_in_pieces(tokenizer: Tokenizer, text: str, observed: list[int]) -> Iterator[Fault]:
    start = _parting(tokenizer, text, observed)
    place, later = len(around(tokenizer)[0]), without_dummy_prefix(tokenizer)
    for unit in UNITS[: 1 if text.isascii() else None]:
        seams = {length(text[:seam], unit) for seam in range(max(start, 1), min(len(text), start + _WINDOW))}
        for limit in _parts(seams, 1 if text.isascii() else _LONGEST_CHARACTER[unit]):
            first = tokenizer.encode_ids(head(text, unit, limit), add_special_tokens=False)
            if first == observed[place : place + len(first)]:
                for one in UNITS if text.isascii() else [unit]:
                    yield text_in_pieces(tokenizer, one, limit)
                    if later is not None:
                        yield text_in_pieces(tokenizer, one, limit, later)


def _of_text_to_breaks(tokenizer: Tokenizer, text: str) -> Iterator[Fault]:
    """Pieces of customary lengths that end at white space. Of limits that cut this text alike, only the first."""
    limits = [limit for limit in reversed(_CUSTOMARY) if 2 * LEAST < limit < len(text)]
    limits.sort(key=lambda limit: limit & (limit - 1) != 0)
    splits: tuple[tuple[Callable[[str, int], list[str]], Callable[[int], Fault]], ...] = (
        (_to_line_breaks, partial(text_to_line_breaks, tokenizer)),
        (partial(_to_white_space, is_before=True), partial(text_to_white_space, tokenizer, is_before=True)),
        (partial(_to_white_space, is_before=False), partial(text_to_white_space, tokenizer, is_before=False)),
    )
    for split, fault in splits:
        seen: set[tuple[str, ...]] = {(text,)}
        for limit in limits:
            if (cut := tuple(split(text, limit))) not in seen:
                seen.add(cut)
                yield fault(limit)


def _number_of_ids(tokenizer: Tokenizer, text: str, stop: int) -> int:
    return len(tokenizer.encode_ids(text[:stop]))


def _parts(seams: Iterable[int], most_lost: int) -> list[int]:
    """The lengths of equal pieces, one of whose ends may be one of these; the round ones first.

    most_lost: so much of a piece, less one, may be left empty.

    >>> _parts([128], 1)
    [128, 64, 32, 16, 8, 4]
    """
    found: set[int] = set()
    for seam in seams:
        for parts in range(1, seam // LEAST + 1):
            lowest = -(-seam // parts)
            found.update(range(lowest, (seam + (most_lost - 1) * parts) // parts + 1))
    return sorted(found, key=lambda limit: (limit not in _CUSTOMARY, -limit))


def _parting(tokenizer: Tokenizer, text: str, observed: Sequence[int]) -> int:
    """Where the first token of a text begins that was not observed."""
    encoding = tokenizer.encode(text)
    same = _same(encoding.ids, observed)
    return next((start for start, stop in encoding.offsets[same:] if stop), len(text))


def _same(some: Sequence[int], others: Sequence[int]) -> int:
    """How many ids are the same from the start."""
    most = min(len(some), len(others))
    return next((place for place in range(most) if some[place] != others[place]), most)


def _of_tokens(tokenizer: Tokenizer, text: str, right: list[int], observed: list[int]) -> Iterator[Fault]:
    limit = len(observed)
    if LEAST <= limit < len(right):
        for keeps_special in (True, False):
            yield cut_ids(tokenizer, limit, keeps_special)
            yield last_ids(tokenizer, limit, keeps_special)
    if (more := limit - len(text)) in range(MOST_ROOM) and observed == right[:limit]:
        rule = f"there is room for one id for each character and {more} more"
        yield Fault("PostProcessor", rule, lambda text: tokenizer.encode_ids(text)[: len(text) + more])


# --- of words


class Words:
    """The words that the model of a tokenizer is given, and what may become of those beyond a limit.

    A word is a pre-token; where there is no pre-tokenizer, what begins with `▁`.
    are_whole: all that the model is given at once is taken for a word, of several words as it may be.
    """

    def __init__(self, tokenizer: Tokenizer, are_whole: bool = False) -> None:
        self._tokenizer = tokenizer
        self._is_byte_level = is_byte_level(tokenizer)
        self._called = "normalized texts" if are_whole else "words"
        self.cut = words_of(tokenizer, are_whole)
        # Dozens of limits fit one answer, and all of them ask for the same words.
        self.tokenize = lru_cache(MOST_WORDS)(tokenizer.rules.model.tokenize)
        self.longest = lru_cache(MOST_WORDS)(self._longest)

    def _longest(self, text: str, unit: str) -> int:
        """The length of the longest word of a text."""
        splits = self._tokenizer.rules.pre_tokenized(text)
        words = (word for one in splits if one.tokens is None for word in self.cut(one.normalized.text))
        return max((self.length(word, unit) for word in words), default=0)

    def of_text(self, text: str) -> list[tuple[str, list[int]]]:
        """The words of a text with their ids; an added token is a word "" with an id."""
        found: list[tuple[str, list[int]]] = []
        for split in self._tokenizer.rules.pre_tokenized(text):
            if split.tokens is not None:
                found.append(("", [token.id for token in split.tokens]))
            else:
                found += [(word, self.ids(word)) for word in self.cut(split.normalized.text)]
        return found

    def ids(self, word: str) -> list[int]:
        """The ids of a word."""
        return [token.id for token in self.tokenize(word)]

    def length(self, word: str, unit: str) -> int:
        """How long the text is that a word stands for."""
        return length(self._text(word), unit) if unit != "bytes" or not self._is_byte_level else len(word)

    def most_lost(self, unit: str) -> int:
        """How much of a piece, and one more, may be left empty, since no piece ends within a character."""
        return 1 if self._is_byte_level and unit == "bytes" else _LONGEST_CHARACTER[unit]

    def pieces(self, word: str, unit: str, limit: int) -> list[str]:
        """The word in pieces that fit."""
        if not self._is_byte_level:
            return pieces(word, unit, limit)
        if unit == "bytes":
            return pieces(word, "characters", limit)
        return [to_byte_characters(piece.encode("utf-8")) for piece in pieces(self._text(word), unit, limit)]

    def _text(self, word: str) -> str:
        data = from_byte_characters(word) if self._is_byte_level else None
        return word if data is None else data.decode("utf-8", "replace")

    def changed(
        self,
        rule: str,
        is_other: Callable[[str], bool],
        other: Tokenize,
        concerns: Callable[[str], bool] = lambda text: True,
    ) -> Fault:
        """The fault that finds other tokens for some words. concerns: see `Fault`."""
        tokenize = by_words(self.tokenize, self.cut, is_other, other)
        model = ChangedModel(self._tokenizer.rules.model, tokenize)
        return of_rules("Model", rule, self._tokenizer, lambda: replace(self._tokenizer.rules, model=model), concerns)

    def beyond(self, rule: str, unit: str, limit: int, other: Tokenize) -> Fault:
        """The fault that finds other tokens for words beyond a limit; rule: with places for limit and unit."""
        is_long, concerns = lambda word: self.length(word, unit) > limit, lambda text: self.longest(text, unit) > limit
        return self.changed(rule.format(limit, unit), is_long, other, concerns)

    def cut_off(self, unit: str, limit: int) -> Fault:
        """What is beyond the limit is lost."""
        rule = self._called + " are cut at {} {}"
        return self.beyond(rule, unit, limit, lambda word: self.tokenize(self.pieces(word, unit, limit)[0]))

    def in_pieces(self, unit: str, limit: int) -> Fault:
        """Each piece is a word of its own."""

        def tokens(word: str) -> Sequence[Token]:
            found = self.pieces(word, unit, limit)
            return in_pieces(found, [self.tokenize] * len(found))

        return self.beyond(self._called + " are encoded in pieces of {} {}", unit, limit, tokens)

    def tokens_cut_off(self, limit: int) -> Fault:
        """The tokens of a word beyond a limit are lost."""

        def tokens(word: str) -> Sequence[Token]:
            return self.tokenize(word)[:limit]

        return self.changed(f"{self._called} are cut at {limit} tokens", lambda word: True, tokens)

    @property
    def has_merges(self) -> bool:
        """Whether the model merges symbols."""
        return merged_by(self._tokenizer.rules.model, merge_all) is not None

    def not_all_merged(self, limit: int) -> Fault:
        """The symbols of a word beyond a limit stay as they are; of a model that has merges."""
        other = merged_by(self._tokenizer.rules.model, partial(_first_merged, limit))
        assert other is not None, "it has merges"
        return self.changed(f"symbols of {self._called} beyond the first {limit} are not merged", bool, other)

    def otherwise(self) -> Iterator[tuple[str, Tokenize]]:
        """Rule, with places for limit and unit, and what becomes of words that are too long as a whole."""
        model = self._tokenizer.rules.model
        long = f"{self._called} of more than {{}} {{}}"
        yield f"{long} are dropped", lambda word: []
        unknown = model.unk_id
        if unknown is not None:
            yield f"{long} are unknown", lambda word: [Token(unknown, word, (0, len(word)))]
        if isinstance(model, BPE):
            yield f"{long} are not merged", with_merge_of(model, lambda *_: None).tokenize
        orders = (
            (f"of equal merges the last goes first in {long}", True, True),
            (f"merges go from left to right in {long}", False, False),
        )
        for rule, from_the_end, by_rank in orders:
            tokenize = merged_otherwise(model, from_the_end, by_rank)
            if tokenize is not None:
                yield rule, lru_cache(MOST_WORDS)(tokenize)
        for other in dict.fromkeys((unknown, None)):  # what begins no entry is left out, too
            yield f"the longest entry first in {long}", lru_cache(MOST_WORDS)(LongestFirst(model.vocab, other).tokenize)


def _first_merged(limit: int, symbols: Sequence[_Symbol], merge_of: MergeOf[_Symbol]) -> list[tuple[int, _Symbol]]:
    return [*merge_all(symbols[:limit], merge_of), *enumerate(symbols[limit:], limit)]


def kinds_of_words(tokenizer: Tokenizer) -> tuple[Words, ...]:
    """Units that a buffer may be too small for: words; without a pre-tokenizer, whole normalized texts too."""
    whole = () if tokenizer.rules.pre_tokenizers else (Words(tokenizer, are_whole=True),)
    return Words(tokenizer), *whole


def _of_words(words: Words, tokenizer: Tokenizer, text: str, observed: list[int]) -> Iterator[Fault]:
    found = words.of_text(text)
    before, after = around(tokenizer)
    place = len(before)
    for number, (word, ids) in enumerate(found):
        if observed[place : place + len(ids)] != ids:
            behind = [*(found[number + 1][1] if number + 1 < len(found) else ()), *after]
            yield from _at_word(words, word, ids, observed[place:], behind)
            break
        place += len(ids)
    for rule, other in words.otherwise():
        changed = [(word, ids, [token.id for token in other(word)] if word else ids) for word, ids in found]
        for unit in UNITS if any(ids != others for _, ids, others in changed) else ():
            sized = [(words.length(word, unit), ids, others) for word, ids, others in changed]
            lengths = sorted({LEAST, *(size for size, _, _ in sized)})
            for shorter, longer in pairwise(lengths):
                bare = (token_id for size, ids, others in sized for token_id in (others if size > shorter else ids))
                if [*before, *bare, *after] == observed and shorter >= LEAST:
                    yield from (words.beyond(rule, unit, limit, other) for limit in customary(shorter, longer - 1))
    most = max((len(ids) for _, ids in found), default=0)
    for limit in range(LEAST, min(most, len(observed) + 1)):
        if [*before, *(token_id for _, ids in found for token_id in ids[:limit]), *after] == observed:
            yield words.tokens_cut_off(limit)
    if words.has_merges:
        yield from _not_all_merged(words, text, max((len(word) for word, _ in found), default=0), len(observed))


def _not_all_merged(words: Words, text: str, most: int, number_of_ids: int) -> Iterator[Fault]:
    """The more symbols are merged, the fewer ids are left, nearly always, by which the limit is found."""

    def fewer(limit: int) -> int:
        return -len(words.not_all_merged(limit).ids(text))

    lowest = bisect_left(range(most), -number_of_ids, key=fewer)
    highest = bisect_right(range(most), -number_of_ids, key=fewer)
    yield from map(words.not_all_merged, customary(max(LEAST, lowest), highest - 1))


def _at_word(
    words: Words, word: str, ids: Sequence[int], observed: Sequence[int], behind: Sequence[int]
) -> Iterator[Fault]:
    """The limits within the word where two answers part first. observed: from it on. behind: what is right then."""
    same = _same(ids, observed)
    start = words.tokenize(word)[same - 1].span_normalized[1] if same else 0
    stops = range(max(start, 1), min(start + _WINDOW, len(word)))
    for stop in stops:
        first = words.ids(word[:stop])
        if observed[: len(first)] == first and observed[len(first) : len(first) + 1] == behind[:1]:
            for unit in UNITS:
                limits = range(words.length(word[:stop], unit), words.length(word[: stop + 1], unit))
                yield from (words.cut_off(unit, limit) for limit in limits if limit >= LEAST)
    for unit in UNITS:
        seams = {words.length(word[:stop], unit) for stop in stops}
        for limit in _parts(seams, words.most_lost(unit)):
            pieces = words.pieces(word, unit, limit)
            found = words.ids(pieces[0])
            if len(pieces) > 1 and observed[: len(found)] == found:
                found += words.ids(pieces[1])
                if observed[: len(found)] == found:
                    yield words.in_pieces(unit, limit)
