"""The beginnings of pieces, by which a search for the longest piece knows when to stop."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable

from reftok.errors import UnsupportedFeature

MOST_CHARACTERS = 64_000_000
"""Of all beginnings together. The embedded models have under 30,000; one piece of 100,000 would have 5,000 million."""


def proper_prefixes(pieces: Collection[str], source: str, place: str) -> set[str]:
    """Every beginning of every piece, the pieces themselves left out unless they begin another.

    source, place: where the pieces are from, for messages.
    Raises UnsupportedFeature for pieces so long that their beginnings would take gigabytes.

    >>> sorted(proper_prefixes(["abc", "b"], "", ""))
    ['a', 'ab']
    """
    if sum(len(piece) * (len(piece) - 1) // 2 for piece in pieces) > MOST_CHARACTERS:
        longest = max(map(len, pieces))
        raise UnsupportedFeature(source, place, f"pieces are too long: the longest has {longest} characters")
    return {piece[:end] for piece in pieces for end in range(1, len(piece))}


class Beginnings:
    """Tells whether a text is the beginning of a piece, the whole one included.

    >>> beginnings = Beginnings(["b", "abc"])
    >>> [text in beginnings for text in ("ab", "abc", "abcd", "c")]
    [True, True, False, False]
    """

    def __init__(self, pieces: Iterable[str]) -> None:
        self._pieces = sorted(pieces)

    def __contains__(self, text: str) -> bool:
        index = bisect_left(self._pieces, text)
        return index < len(self._pieces) and self._pieces[index].startswith(text)
