"""The entries of a vocab that are prefixes of a text, the longest first."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator

from reftok.errors import UnsupportedFeature

MOST_CHARACTERS = 1 << 16
"""Longest entry. The embedded models stay under 100; each place of a text is compared with so many characters."""


class EntriesByBeginning:
    """The sorted entries, each with its longest proper prefix that is an entry too: a trie without nodes.

    In sorted order, the last entry that is not greater than a text shares the longest prefix with it. So every entry
    that is a prefix of the text is that one or one of its prefixes.

    entries: empty ones never match.
    source, place: where the entries are from, for messages.
    Raises UnsupportedFeature for an entry of more than 65,536 characters: searching for it would take too long.

    >>> list(EntriesByBeginning(["a", "abc", "ab", "b"]).at("xabd", 1))
    ['ab', 'a']
    """

    def __init__(self, entries: Collection[str], source: str = "", place: str = "") -> None:
        self._longest = max(map(len, entries), default=0)
        if self._longest > MOST_CHARACTERS:
            raise UnsupportedFeature(source, place, f"pieces are too long: the longest has {self._longest} characters")
        self._entries = sorted(filter(None, entries))
        self._shorter: list[int] = []  # the index of the longest proper prefix, -1 if there is none
        prefix = -1
        for index, entry in enumerate(self._entries):
            # The entry before, or one of its prefixes: nothing between them in the order has another prefix.
            while prefix >= 0 and not entry.startswith(self._entries[prefix]):
                prefix = self._shorter[prefix]
            self._shorter.append(prefix)
            prefix = index

    def at(self, text: str, start: int) -> Iterator[str]:
        """Every entry that stands in `text` at the code point `start`, the longest first."""
        rest = text[start : start + self._longest]
        index = bisect_right(self._entries, rest) - 1  # the last entry that is not greater than the text
        while index >= 0:
            entry = self._entries[index]
            if rest.startswith(entry):
                yield entry
            index = self._shorter[index]

    def depths(self) -> Iterator[tuple[str, int]]:
        """Each entry with the number of entries that are prefixes of it, itself included.

        >>> list(EntriesByBeginning(["a", "abc", "ab", "b"]).depths())
        [('a', 1), ('ab', 2), ('abc', 3), ('b', 1)]
        """
        depths: list[int] = []
        for entry, shorter in zip(self._entries, self._shorter, strict=True):
            depths.append(1 + (depths[shorter] if shorter >= 0 else 0))
            yield entry, depths[-1]

    def may_continue(self, text: str, start: int) -> bool:
        """Whether the whole rest of `text` from `start` is a proper prefix of an entry, which more text may complete.

        >>> entries = EntriesByBeginning(["a", "abc"])
        >>> entries.may_continue("xab", 1), entries.may_continue("xabc", 1)
        (True, False)
        """
        rest = text[start : start + self._longest]
        if start + len(rest) < len(text):
            return False
        index = bisect_right(self._entries, rest)
        return index < len(self._entries) and self._entries[index].startswith(rest)
