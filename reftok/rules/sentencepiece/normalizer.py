"""The normalizer of sentencepiece: rules rewrite characters; spaces are trimmed, collapsed and turned into `▁`.

Source: sentencepiece 0.2.3, normalizer.cc (`Normalizer::Normalize`, `Normalizer::NormalizePrefix`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from reftok.rules.sentencepiece.pieces import SPACE_SYMBOL, PrefixMatcher
from reftok.rules.text import NormalizedString
from reftok.unicode.characters import REPLACEMENT_CHARACTER
from reftok.unicode.charsmap import Charsmap

MOST_RULES = 32
"""`NormalizePrefix` has room for so many matching rules; the shortest ones are seen."""

Rewritten: TypeAlias = tuple[str, Sequence[int]]
"""A text, and positions in the text before: the origin of each character, and at last the end."""


@dataclass(frozen=True, slots=True)
class NormalizerOptions:
    """The options of the normalizer, named as in the file.

    add_dummy_prefix: put a space before the text, so that its first word is like the others.
    remove_extra_whitespaces: trim the text, and leave one space of each run.
    escape_whitespaces: write `▁` for the space.
    treat_whitespace_as_suffix: put the dummy space after the text instead.
    """

    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    treat_whitespace_as_suffix: bool = False


class SentencePieceNormalizer:
    """At each position: a user-defined symbol as it is, else the longest rule of the charsmap, else one character.

    options: what happens to spaces.
    charsmap: the rules; None if there are none.
    symbols: the user-defined symbols, which no rule changes.

    Quirks: an empty text gets no dummy prefix. Spaces are counted in the *normalized* text, so U+3000 is one if a rule
    makes it a space; at the end, `▁` from the text itself is trimmed as well. Spaces inside a replacement stay. Only
    the 32 shortest rules that match at a position are seen. A byte that is not part of a character becomes U+FFFD, and
    no rule applies to it.

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
        self.symbols = symbols if symbols is not None and symbols.symbols else None
        self._space = SPACE_SYMBOL if options.escape_whitespaces else " "

    def normalize(self, normalized: NormalizedString) -> NormalizedString:
        """The normalized text; the span of a character goes from its origin to that of the next one."""
        text, origins = self.rewrite(normalized.text)
        if not text:
            return NormalizedString("", normalized.original_start)
        if normalized.alignments is not None:
            origins = [normalized.original_span(origin, origin)[0] for origin in origins]
        elif normalized.original_start:
            origins = [normalized.original_start + origin for origin in origins]
        return NormalizedString(text, normalized.original_start, list(pairwise(origins)))

    def rewrite(self, text: str) -> Rewritten:
        """The normalized text and the origins of its characters."""
        start = position = self.end_of_leading_spaces(text)
        if start == len(text):
            return "", [0]
        parts: list[str] = []
        origins: list[int] = []
        # At the start as behind a space: spaces at the start of a replacement are removed.
        follows_space = self.options.remove_extra_whitespaces
        while position < len(text):
            part, length = self.prefix(text, position)
            if follows_space:
                part = part.lstrip(" ")
            if part:
                follows_space = self.options.remove_extra_whitespaces and part.endswith(" ")
                parts.append(part.replace(" ", self._space))
                origins += [position] * len(part)
            position += length
        return self.finished(parts, [*origins, len(text)], start)

    def end_of_leading_spaces(self, text: str) -> int:
        """The position of the first character that is not a space to be removed."""
        position = 0
        if self.options.remove_extra_whitespaces:
            while position < len(text):
                part, length = self.prefix(text, position)
                if part != " ":  # a replacement by several spaces does not count, it is trimmed in `rewrite`
                    break
                position += length
        return position

    def finished(self, parts: Sequence[str], origins: Sequence[int], start: int) -> Rewritten:
        """Remove the trailing spaces and add the dummy space, whose origin is the start or the end of the text."""
        options = self.options
        is_prefixed = options.add_dummy_prefix and not options.treat_whitespace_as_suffix
        text = self._space * is_prefixed + "".join(parts)
        if is_prefixed:
            origins = [start, *origins]
        if options.remove_extra_whitespaces and text.endswith(self._space):
            text = text.rstrip(self._space)
            origins = origins[: len(text) + 1]  # the last one is the end: where the first trimmed space began
        if options.add_dummy_prefix and options.treat_whitespace_as_suffix:
            text += self._space
            origins = [*origins, origins[-1]]
        return text, origins

    def prefix(self, text: str, position: int) -> tuple[str, int]:
        """The replacement at `position`, and the number of characters that it replaces."""
        if self.symbols is not None and (length := self.symbols.length_at(text, position)):
            return text[position : position + length], length
        if self.charsmap is not None and (rule := self._longest_rule(self.charsmap, text, position)) is not None:
            return rule
        character = text[position]  # a surrogate stands for a byte that is not UTF-8
        return REPLACEMENT_CHARACTER if "\udc80" <= character <= "\udcff" else character, 1

    def _longest_rule(self, charsmap: Charsmap, text: str, position: int) -> tuple[str, int] | None:
        """The replacement of the longest rule at `position`, and the number of characters that it replaces."""
        values: list[tuple[int, int]] = []
        node = charsmap.root()
        for end in range(position, len(text)):
            found = charsmap.step(node, text[end].encode("utf-8", "surrogateescape"))
            if found is None:
                break
            node, value = found
            if value is not None:
                values.append((value, end + 1 - position))
        seen = values[:MOST_RULES]
        return (charsmap.replacement(seen[-1][0]), seen[-1][1]) if seen else None
