"""The fast path of the rules of `reftok.rules.sentencepiece.normalizer`: for whole texts and for those that still grow.

What a character becomes is most often known from the one behind it, and what a word becomes from the space that ends
it; both are remembered. The spaces at the ends are not looked at here.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from itertools import chain, repeat
from operator import add
from typing import TypeAlias, cast

import regex

from reftok.engine.caches import Results
from reftok.rules.sentencepiece.normalizer import MOST_RULES, Rewritten, SentencePieceNormalizer
from reftok.unicode.characters import REPLACEMENT_CHARACTER
from reftok.unicode.charsmap import Charsmap

_SHORT = 16
_SPACES = regex.compile("  +")
_INVALID = regex.compile("[\udc80-\udcff]")
_WORDS = regex.compile("[^ ]* ")

Settled: TypeAlias = tuple[tuple[str, ...], str]
"""The rewritten text, cut where spaces are not collapsed across; and the end of the text, which is still open."""


class Rewriter:
    """Rewrites by symbol, rule and character, and collapses spaces where the options say so; one for all who ask."""

    def __init__(self, normalizer: SentencePieceNormalizer) -> None:
        self._charsmap = normalizer.charsmap
        self._symbols = normalizer.symbols
        self._is_plain = self._charsmap is None and self._symbols is None
        self._collapses = normalizer.options.remove_extra_whitespaces
        self._first_steps: dict[str, tuple[int, int | None] | None] = {}
        self._before: Results[str | None] = Results(self._part_before)
        self._alone: Results[str | None] = Results(self._part_before)
        self._words: Results[str] = Results(self._word)
        self._steps: Results[Settled] = Results(self._step, longest=_SHORT, capacity=1 << 13)

    def step(self, text: str) -> Settled:
        """The text rewritten as far as no longer text can change it.

        >>> Rewriter(SentencePieceNormalizer()).step("a  b ")
        (('a b ',), '')
        """
        return self._step(text) if len(text) > _SHORT or self._is_plain else self._steps[text]

    def _step(self, text: str) -> Settled:
        if self._is_plain:
            return (self._collapsed(_replaced_bytes(text)),), ""
        before, start = self._settled(text) if len(text) > _SHORT else ("", 0)
        parts = self._parts(text[start:], is_end=False)
        return self._runs(parts, before), text[start + len(parts) :]

    def last(self, text: str) -> tuple[str, ...]:
        """What is open, rewritten at the end of the text."""
        return self._runs(self._parts(text, is_end=True))

    def _runs(self, parts: Sequence[str], before: str = "") -> tuple[str, ...]:
        """The parts joined, behind what stands before them; spaces are collapsed, but those within a part stay."""
        joined = "".join((before, *parts))
        if "  " in joined and any("  " in part for part in parts):
            return tuple(filter(None, (self._collapsed(before), *parts)))
        return (self._collapsed(joined),) if joined else ()

    def _collapsed(self, text: str) -> str:
        return _SPACES.sub(" ", text) if self._collapses and "  " in text else text

    def whole(self, text: str) -> Rewritten | None:
        """The text rewritten, without spaces collapsed; None where some stay that would be collapsed then."""
        size = len(text)
        if self._is_plain:
            return _replaced_bytes(text), range(size + 1)
        before, parts, replaced = self._whole(text)
        if replaced is None:
            return None
        lengths = [*map(len, parts)]
        if lengths.count(1) == len(parts):
            return replaced, range(size + 1)
        return replaced, [*chain.from_iterable(map(repeat, range(size), (*repeat(1, len(before)), *lengths))), size]

    def whole_text(self, text: str) -> str | None:
        """The text of `whole` alone, which is quicker."""
        return _replaced_bytes(text) if self._is_plain else self._whole(text)[2]

    def _whole(self, text: str) -> tuple[str, list[str], str | None]:
        before = self._ascii_before_last(text) or ""
        parts = self._parts(text[len(before) :], is_end=True)
        replaced = before + "".join(parts)
        if self._collapses and "  " in replaced and any("  " in part for part in parts):
            return before, parts, None
        return before, parts, replaced

    def _ascii_before_last(self, text: str) -> str | None:
        """ASCII rewritten one for one, but for its last character; None where not each can be looked up alone."""
        if not text.isascii() or any(map(text.__contains__, self._ascii[1])):
            return None
        return text[:-1].translate(self._ascii[0]) if self._ascii[0] else text[:-1]

    @cached_property
    def unchanged(self) -> frozenset[str]:
        """Characters of ASCII that stay as they are before any other of ASCII; the space is not among them.

        >>> Rewriter(SentencePieceNormalizer()).unchanged == {*map(chr, range(1, 128))} - {" "}
        True
        """
        table, others = self._ascii
        return frozenset(map(chr, range(128))) - frozenset((" ", *map(chr, table), *others))

    @cached_property
    def blanks(self) -> str:
        """Characters of ASCII that become a space before any other of ASCII."""
        table, others = self._ascii
        return "".join(chr(code) for code, part in table.items() if part == " " and chr(code) not in others)

    def before_space(self, word: str) -> str | None:
        """A word in front of a space, and that rewritten; None where it depends on what is behind the space.

        At the end of a text the word is rewritten in the same way, unless a symbol ends with the space.

        >>> Rewriter(SentencePieceNormalizer()).before_space("a")
        'a '
        """
        try:
            return self._word(word + " ")
        except _Undecided:
            return None

    @cached_property
    def _ascii(self) -> tuple[dict[int, str], str]:
        """What ASCII characters become before others, one for one, and those that have to be looked at further."""
        table: dict[int, str] = {}
        others = {"\0", *(() if self._symbols is None else self._symbols.first_characters)}
        charsmap = self._charsmap
        for code in range(1, 128):
            if charsmap is None or (found := charsmap.step(charsmap.root(), bytes([code]))) is None:
                continue
            node, value = found
            if value is not None:
                table[code] = charsmap.replacement(value)
            if _goes_on_in_ascii(charsmap, node) or len(table.get(code, "-")) != 1:
                others.add(chr(code))
        return table, "".join(sorted(filter(str.isascii, others)))

    def _settled(self, text: str) -> tuple[str, int]:
        """A beginning of the text that no other text can change, rewritten, and where it ends."""
        ascii_text = self._ascii_before_last(text)
        if ascii_text is not None:
            return ascii_text, len(ascii_text)
        texts: list[str] = _WORDS.findall(text)
        words: list[str] = []
        with suppress(_Undecided):
            words.extend(map(self._words.__getitem__, texts))
        return "".join(words), sum(map(len, texts[: len(words)]))

    def _word(self, word: str) -> str:
        parts = self._parts(word, is_end=False)
        rewritten = "".join(parts)
        if len(parts) < len(word) or ("  " in rewritten and any("  " in part for part in parts)):
            raise _Undecided
        return rewritten

    def _parts(self, text: str, is_end: bool) -> list[str]:
        """What each character becomes that is settled; '' where a rule took it together with one before it."""
        every = [*map(self._alone.__getitem__, text)]
        if None not in every:
            return cast(list[str], every)
        before = self._before
        pairs = map(add, text, text[1:])
        settled = [before[pair] if part is None else part for part, pair in zip(every, pairs, strict=False)]
        every = [*settled, every[-1]]
        parts: list[str] = []
        every.append(None)
        while (place := every.index(None, len(parts))) < len(text):
            parts += cast(list[str], every[len(parts) : place])
            part, length, is_open = self.prefix(text, place)
            if is_open and not is_end:
                return parts
            parts += [part, *[""] * (length - 1)]
        return parts + cast(list[str], every[len(parts) : -1])

    def _part_before(self, text: str) -> str | None:
        """The result for the first of one or two characters, None where it is not the same whatever follows them."""
        part, length, is_open = self.prefix(text, 0)
        return None if is_open or length > 1 else part

    def spaces_before(self, text: str) -> int:
        """How many of the spaces that a text begins with are surely spaces."""
        return max(len(text) - len(text.lstrip(" ")) - 1, 0) if self._before["  "] == " " else 0

    def begins_otherwise(self, text: str) -> bool:
        """Whether a text surely begins with anything but a space, once it is rewritten."""
        part = self._before[text[:2]]
        return part is not None and part != " "

    def prefix(self, text: str, position: int) -> tuple[str, int, bool]:
        """The replacement at `position`, how many characters it stands for, and whether longer text could change it.

        >>> Rewriter(SentencePieceNormalizer()).prefix("ab", 1)
        ('b', 1, False)
        """
        is_open = False
        if self._symbols is not None and text[position] in self._symbols.first_characters:
            length = self._symbols.length_at(text, position)
            is_open = self._symbols.every.may_continue(text, position)
            if length:
                return text[position : position + length], length, is_open
        if self._charsmap is not None:
            value, length, is_alive = self._longest_rule(self._charsmap, text, position)
            is_open = is_open or is_alive
            if value is not None:
                return self._charsmap.replacement(value), length, is_open
        return _replaced_bytes(text[position]), 1, is_open

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


class _Undecided(Exception):
    """Raised where the result for a word depends on what is behind it, or has spaces that stay."""


def _replaced_bytes(text: str) -> str:
    return text if text.isascii() else _INVALID.sub(REPLACEMENT_CHARACTER, text)


@lru_cache(maxsize=32)
def rewriter(normalizer: SentencePieceNormalizer) -> Rewriter:
    """The rewriter of a normalizer, with what it remembers."""
    return Rewriter(normalizer)


def _goes_on_in_ascii(charsmap: Charsmap, node: int) -> bool:
    """Whether a key goes on behind a node with an ASCII character other than NUL."""
    return any(charsmap.step(node, bytes([code])) is not None for code in range(1, 128))
