"""Whether a text is the beginning of an entry of a vocab."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable


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
