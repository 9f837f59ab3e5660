"""The normalizer of sentencepiece: characters rewritten by rule, spaces trimmed, collapsed and turned into `▁`.

Source: sentencepiece 0.2.3, normalizer.cc (`Normalizer::Normalize`, `Normalizer::NormalizePrefix`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice, pairwise, repeat
from operator import add
from typing import TypeAlias

import regex

from reftok.engine.caches import Results
from reftok.spec.charsmap import Charsmap
from reftok.spec.sentencepiece.pieces import SPACE_SYMBOL, PrefixMatcher
from reftok.spec.text import NormalizedString
from reftok.unicode.characters import REPLACEMENT_CHARACTER

_MOST_RULES = 32
_INVALID = regex.compile("[\udc80-\udcff]")
_SPACES = regex.compile("  +")

Rewritten: TypeAlias = tuple[str, Sequence[int]]
"""A text and where each of its characters came from, as positions in the old text, and where it ended there."""


@dataclass(frozen=True, slots=True)
class NormalizerOptions:
    """The options of the normalizer, named as in the file.

    add_dummy_prefix: a space before the text, so that a word is the same at its start as within.
    remove_extra_whitespaces: no spaces at either end, and one instead of many.
    escape_whitespaces: `▁` instead of the space.
    treat_whitespace_as_suffix: the dummy space goes behind the text.
    """

    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    treat_whitespace_as_suffix: bool = False


class SentencePieceNormalizer:
    """At each position: a user-defined symbol as it is, else the longest rule of the charsmap, else one character.

    options: what happens to spaces.
    charsmap: the rules, None where there are none.
    symbols: the user-defined symbols, which no rule touches.

    Quirks: an empty text gets no dummy prefix. Spaces are looked for in the *normalized* text, so U+3000 counts where a
    rule makes it a space; at the end `▁` that stood in the text itself is removed as well. A replacement keeps the
    spaces within it. Only the 32 shortest rules that match at one position are seen. A byte that is not part of a
    character becomes U+FFFD, which no rule sees.

    >>> normalizer = SentencePieceNormalizer(NormalizerOptions())
    >>> normalized = normalizer.normalize(NormalizedString(" a  b "))
    >>> normalized.text, normalized.spans()
    ('▁a▁b', [(1, 1), (1, 2), (2, 4), (4, 5)])
    """

    def __init__(
        self,
        options: NormalizerOptions = NormalizerOptions(),
        charsmap: Charsmap | None = None,
        symbols: PrefixMatcher | None = None,
    ) -> None:
        self.options = options
        self.charsmap = charsmap
        self.symbols = symbols if symbols is not None and symbols.lengths else None
        self._space = SPACE_SYMBOL if options.escape_whitespaces else " "
        self._first_steps: dict[str, tuple[int, int | None] | None] = {}
        self._before: Results[str] = Results(self._part_before)

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        """The normalized text; each character has the span from where it came from to where the next one did."""
        text, origins = self.rewrite(normalized.text)
        if not text:
            return NormalizedString("", normalized.original_start)
        if normalized.alignments is not None:
            origins = [normalized.original_span(origin, origin)[0] for origin in origins]
        elif normalized.original_start:
            origins = [normalized.original_start + origin for origin in origins]
        return NormalizedString(text, normalized.original_start, list(pairwise(origins)))

    def rewrite(self, text: str) -> Rewritten:
        """The normalized text and the origins of its characters; the fast twin of `rewrite_plainly`."""
        replaced = self._replaced(text)
        if replaced is None:
            return self.rewrite_plainly(text)
        start = self._end_of_leading_spaces(text)
        if start == len(text):
            return "", [0]
        normalized, origins = replaced
        if self.options.remove_extra_whitespaces:
            normalized, origins = _collapsed(normalized, origins)
        return self._finished([normalized.replace(" ", self._space)], origins, start)

    def rewrite_plainly(self, text: str) -> Rewritten:
        """The normalized text and the origins of its characters, as the library computes them."""
        start = position = self._end_of_leading_spaces(text)
        if start == len(text):
            return "", [0]
        parts: list[str] = []
        origins: list[int] = []
        follows_space = self.options.remove_extra_whitespaces
        while position < len(text):
            part, length, _ = self.prefix(text, position)
            if follows_space:
                part = part.lstrip(" ")
            if part:
                follows_space = self.options.remove_extra_whitespaces and part.endswith(" ")
                parts.append(part.replace(" ", self._space))
                origins += [position] * len(part)
            position += length
        return self._finished(parts, [*origins, len(text)], start)

    def _end_of_leading_spaces(self, text: str) -> int:
        position = 0
        if self.options.remove_extra_whitespaces:
            while position < len(text):
                part, length, _ = self.prefix(text, position)
                if part != " ":
                    break
                position += length
        return position

    def _finished(self, parts: Sequence[str], origins: Sequence[int], start: int) -> Rewritten:
        """The trailing spaces removed and the dummy space added; it comes from where the text starts or ends."""
        options = self.options
        is_prefixed = options.add_dummy_prefix and not options.treat_whitespace_as_suffix
        text = self._space * is_prefixed + "".join(parts)
        if is_prefixed:
            origins = [start, *origins]
        if options.remove_extra_whitespaces and text.endswith(self._space):
            text = text.rstrip(self._space)
            origins = origins[: len(text) + 1]
        if options.add_dummy_prefix and options.treat_whitespace_as_suffix:
            text += self._space
            origins = [*origins, origins[-1]]
        return text, origins

    def prefix(self, text: str, position: int) -> tuple[str, int, bool]:
        """What stands at `position` rewritten, how many characters it was, and whether longer text could change it."""
        is_open = False
        if self.symbols is not None:
            length = self.symbols.length_at(text, position)
            is_open = self.symbols.may_continue(text, position)
            if length:
                return text[position : position + length], length, is_open
        if self.charsmap is not None:
            value, length, is_alive = self._longest_rule(self.charsmap, text, position)
            is_open = is_open or is_alive
            if value is not None:
                return self.charsmap.replacement(value), length, is_open
        character = text[position]
        return REPLACEMENT_CHARACTER if "\udc80" <= character <= "\udcff" else character, 1, is_open

    def _longest_rule(self, charsmap: Charsmap, text: str, position: int) -> tuple[int | None, int, bool]:
        """Its value and length in characters, and whether the end of the text cut the search short."""
        first = text[position]
        try:
            found = self._first_steps[first]
        except KeyError:
            found = self._first_steps[first] = charsmap.step(charsmap.root(), first.encode("utf-8", "surrogateescape"))
        longest, length, rules = None, 0, 0
        end = position
        while found is not None:
            end += 1
            node, value = found
            if value is not None and rules < _MOST_RULES:
                longest, length, rules = value, end - position, rules + 1
            if end == len(text):
                return longest, length, True
            found = charsmap.step(node, text[end].encode("utf-8", "surrogateescape"))
        return longest, length, False

    def _replaced(self, text: str) -> Rewritten | None:
        """Every prefix rewritten, spaces left alone; None where spaces are to stay that would be collapsed then.

        What becomes of most characters is known from the one behind them.
        """
        size = len(text)
        if self.symbols is None and self.charsmap is None:
            return (text if text.isascii() else _INVALID.sub(REPLACEMENT_CHARACTER, text)), range(size + 1)
        parts: list[str] = []
        pairs = map(add, text, text[1:])
        while len(parts) < size:
            with suppress(_Undecided):
                parts.extend(map(self._before.__getitem__, pairs))
            if len(parts) < size:
                part, length, _ = self.prefix(text, len(parts))
                parts += [part, *[""] * (length - 1)]
                next(islice(pairs, length - 1, length - 1), None)
        replaced = "".join(parts)
        if "  " in replaced and any("  " in part for part in parts):
            return None
        lengths = [*map(len, parts)]
        if lengths.count(1) == size:
            return replaced, range(size + 1)
        return replaced, [*chain.from_iterable(map(repeat, range(size), lengths)), size]

    def _part_before(self, pair: str) -> str:
        """What the first of two characters becomes, whatever follows them."""
        part, length, is_open = self.prefix(pair, 0)
        if is_open or length > 1:
            raise _Undecided
        return part


class _Undecided(Exception):
    """What becomes of a character takes a look at more than the one behind it."""


def _collapsed(text: str, origins: Sequence[int]) -> Rewritten:
    """No spaces at the start, and one instead of many; the first of them stays.

    >>> _collapsed(" a   b", [0, 1, 2, 3, 4, 5, 6])
    ('a b', [1, 2, 5, 6])
    """
    if text.startswith(" "):
        stripped = text.lstrip(" ")
        origins = origins[len(text) - len(stripped) :]
        text = stripped
    if "  " not in text:
        return text, origins
    parts: list[str] = []
    kept: list[int] = []
    end = 0
    for match in _SPACES.finditer(text):
        parts.append(text[end : match.start() + 1])
        kept += origins[end : match.start() + 1]
        end = match.end()
    parts.append(text[end:])
    kept += origins[end:]
    return "".join(parts), kept
