"""The normalizer of sentencepiece for whole texts: what a character becomes is remembered by the one behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, pairwise, repeat
from operator import add
from typing import Any

import regex

from reftok.fast.lazy_string import LazyString
from reftok.fast.memo import Memo
from reftok.rules.sentencepiece.normalizer import Rewritten, SentencePieceNormalizer
from reftok.rules.text import NormalizedString
from reftok.rules.types import Span
from reftok.unicode.characters import REPLACEMENT_CHARACTER

_SPACES = regex.compile("  +")
_ESCAPED_BYTES = regex.compile("[\udc80-\udcff]")


class FastSentencePieceNormalizer(SentencePieceNormalizer):
    """Every character is rewritten first, and the spaces are collapsed after that.

    >>> normalizer = FastSentencePieceNormalizer(SentencePieceNormalizer())
    >>> normalizer.normalize(NormalizedString(" a  b ")).text
    '▁a▁b'
    """

    def __init__(self, normalizer: SentencePieceNormalizer) -> None:
        super().__init__(normalizer.options, normalizer.charsmap, normalizer.symbols)
        self._before: Memo[str | None] = Memo(self._part_before)

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        text = normalized.text
        trims = self.options.remove_extra_whitespaces
        parts: Sequence[str] | None = None
        if text.isascii() and not self._ascii_that_varies.intersection(text):
            joined = text.translate(self._ascii)
        else:
            parts = self._parts(text)
            joined = "".join(parts)
        if trims and "  " in joined and any("  " in part for part in parts or ()):
            # A replacement keeps the spaces within it.
            return super().normalize(normalized)
        if not text or (trims and not joined.strip(" ") and "" not in (parts or ())):
            # Nothing but spaces to be removed: there is no dummy prefix or suffix then.
            return NormalizedString("", normalized.original_start)
        rewritten = self._finished_text(_SPACES.sub(" ", joined.lstrip(" ")) if trims else joined)
        if not rewritten:
            return NormalizedString("", normalized.original_start)
        return LazyString(rewritten, normalized.original_start, lambda: self._alignment(normalized, parts, joined))

    def _finished_text(self, text: str) -> str:
        """The text of `finished`, which needs no origins."""
        options, space = self.options, self._space
        text = text.replace(" ", space)
        if options.add_dummy_prefix and not options.treat_whitespace_as_suffix:
            text = space + text
        if options.remove_extra_whitespaces:
            text = text.rstrip(space)
        return text + space if options.add_dummy_prefix and options.treat_whitespace_as_suffix else text

    def _parts(self, text: str) -> Sequence[str]:
        """What each character becomes; '' where a rule took it together with one before it."""
        if self.charsmap is None and self.symbols is None:
            return _ESCAPED_BYTES.sub(REPLACEMENT_CHARACTER, text)
        # Nothing is known of the last character by what follows it; the other None ends the search.
        found: list[Any] = [*map(self._before.__getitem__, map(add, text, text[1:])), None, None]
        place = found.index(None)
        while place < len(text):
            part, length = self.prefix(text, place)
            found[place : place + length] = [part, *[""] * (length - 1)]
            place = found.index(None, place + length)
        return found[: len(text)]

    @cached_property
    def _ascii(self) -> Mapping[int, str]:
        """What each ASCII character becomes whatever ASCII character follows; NUL is left out."""
        codes = range(1, 128)
        firsts = frozenset() if self.symbols is None else self.symbols.first_characters
        parts = {code: self._part_of(chr(code), map(chr, codes)) for code in codes if chr(code) not in firsts}
        return {code: part for code, part in parts.items() if part and "  " not in part}

    @cached_property
    def _ascii_that_varies(self) -> frozenset[str]:
        return frozenset(chr(code) for code in range(128) if code not in self._ascii)

    def _part_before(self, pair: str) -> str | None:
        """What the first of two characters becomes, None if it takes more than these two to tell."""
        symbols = self.symbols
        if symbols is not None and (symbols.every.may_continue(pair, 0) or any(symbols.every.at(pair, 0))):
            return None
        return self._part_of(pair[0], pair[1])

    def _part_of(self, character: str, followers: Iterable[str]) -> str | None:
        """What a character becomes, None if a rule goes on with one of the characters that may follow."""
        charsmap = self.charsmap
        if charsmap is not None:
            found = charsmap.step(charsmap.root(), character.encode("utf-8", "surrogateescape"))
            if found is not None:
                node, value = found
                if any(charsmap.step(node, one.encode("utf-8", "surrogateescape")) for one in followers):
                    return None
                if value is not None:
                    return charsmap.replacement(value)
        return REPLACEMENT_CHARACTER if "\udc80" <= character <= "\udcff" else character

    def _alignment(self, normalized: NormalizedString, parts: Sequence[str] | None, joined: str) -> list[Span]:
        size = len(normalized.text)
        origins: Sequence[int] = range(size + 1)
        if len(joined) != size or "" in (parts or ()):
            if parts is None:
                parts = [self._ascii[ord(character)] for character in normalized.text]
            origins = [*chain.from_iterable(map(repeat, range(size), map(len, parts))), size]
        if self.options.remove_extra_whitespaces:
            joined, origins = _collapsed(joined, origins)
        start = self.end_of_leading_spaces(normalized.text)
        _, origins = self.finished([joined.replace(" ", self._space)], origins, start)
        if normalized.alignments is not None:
            origins = [normalized.original_span(origin, origin)[0] for origin in origins]
        elif normalized.original_start:
            origins = [normalized.original_start + origin for origin in origins]
        return [*pairwise(origins)]


def _collapsed(text: str, origins: Sequence[int]) -> Rewritten:
    """The text without spaces at its start, and with one space instead of many: the first of them stays.

    >>> _collapsed(" a   b", [0, 1, 2, 3, 4, 5, 6])
    ('a b', [1, 2, 5, 6])
    """
    kept: list[int] = []
    end = len(text) - len(text.lstrip(" "))
    start = end
    parts: list[str] = []
    for match in _SPACES.finditer(text, end):
        parts.append(text[end : match.start() + 1])
        kept += origins[end : match.start() + 1]
        end = match.end()
    if not parts:
        return text[start:], origins[start:]
    return "".join([*parts, text[end:]]), [*kept, *origins[end:]]
