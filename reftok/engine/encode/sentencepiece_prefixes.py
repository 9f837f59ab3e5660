"""Prefixes as sentencepiece's normalizer rewrites them, and whether longer text could change them."""

from __future__ import annotations

from functools import lru_cache

from reftok.spec.charsmap import Charsmap
from reftok.spec.sentencepiece.normalizer import MOST_RULES, SentencePieceNormalizer
from reftok.unicode.characters import REPLACEMENT_CHARACTER


class Prefixes:
    """The prefixes of one normalizer.

    >>> Prefixes(SentencePieceNormalizer()).at("ab", 1)
    ('b', 1, False)
    """

    def __init__(self, normalizer: SentencePieceNormalizer) -> None:
        self.charsmap = normalizer.charsmap
        self.symbols = normalizer.symbols
        self._first_steps: dict[str, tuple[int, int | None] | None] = {}

    def at(self, text: str, position: int) -> tuple[str, int, bool]:
        """The replacement at `position`, how many characters it stands for, and whether longer text could change it."""
        is_open = False
        if self.symbols is not None and text[position] in self.symbols.first_characters:
            length = self.symbols.length_at(text, position)
            is_open = self.symbols.every.may_continue(text, position)
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
            if value is not None and rules < MOST_RULES:
                longest, length, rules = value, end - position, rules + 1
            if end == len(text):
                return longest, length, True
            found = charsmap.step(node, text[end].encode("utf-8", "surrogateescape"))
        return longest, length, False


@lru_cache(maxsize=32)
def prefixes(normalizer: SentencePieceNormalizer) -> Prefixes:
    """The prefixes of a normalizer, with what they remember: one for all that ask."""
    return Prefixes(normalizer)
