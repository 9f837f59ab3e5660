"""Which entries of a vocab a text goes on with, the longest first."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator

from reftok.errors import UnsupportedFeature

MOST_CHARACTERS = 1 << 16
"""Of one entry. The embedded models have under 100; each place of a text is compared with so many characters."""


class EntriesByBeginning:
    """The entries in order, each with the longest other entry that it begins with; nothing else is kept.

    Of all entries up to a text in the order, the last has the longest beginning in common with it. So every entry that
    the text begins with is that one or a beginning of it.

    entries: empty ones never match.
    source, place: where the entries are from, for messages.
    Raises UnsupportedFeature for an entry of more than 65,536 characters, with which a search would take too long.

    >>> list(EntriesByBeginning(["a", "abc", "ab", "b"]).at("xabd", 1))
    ['ab', 'a']
    """

    def __init__(self, entries: Collection[str], source: str = "", place: str = "") -> None:
        self._longest = max(map(len, entries), default=0)
        if self._longest > MOST_CHARACTERS:
            raise UnsupportedFeature(source, place, f"pieces are too long: the longest has {self._longest} characters")
        self._entries = sorted(filter(None, entries))
        self._shorter: list[int] = []
        beginning = -1
        for index, entry in enumerate(self._entries):
            while beginning >= 0 and not entry.startswith(self._entries[beginning]):
                beginning = self._shorter[beginning]
            self._shorter.append(beginning)
            beginning = index

    def at(self, text: str, start: int) -> Iterator[str]:
        """Every entry that `text` goes on with from the code point `start`, the longest first."""
        rest = text[start : start + self._longest]
        index = bisect_right(self._entries, rest) - 1
        while index >= 0:
            entry = self._entries[index]
            if rest.startswith(entry):
                yield entry
            index = self._shorter[index]

    def depths(self) -> Iterator[tuple[str, int]]:
        """Each entry with the number of entries that it begins with, itself among them.

        >>> list(EntriesByBeginning(["a", "abc", "ab", "b"]).depths())
        [('a', 1), ('ab', 2), ('abc', 3), ('b', 1)]
        """
        depths: list[int] = []
        for entry, shorter in zip(self._entries, self._shorter, strict=True):
            depths.append(1 + (depths[shorter] if shorter >= 0 else 0))
            yield entry, depths[-1]

    def may_continue(self, text: str, start: int) -> bool:
        """Whether the rest of `text` from the code point `start` on is the beginning of a longer entry.

        >>> entries = EntriesByBeginning(["a", "abc"])
        >>> entries.may_continue("xab", 1), entries.may_continue("xabc", 1)
        (True, False)
        """
        rest = text[start : start + self._longest]
        if start + len(rest) < len(text):
            return False
        index = bisect_right(self._entries, rest)
        return index < len(self._entries) and self._entries[index].startswith(rest)
