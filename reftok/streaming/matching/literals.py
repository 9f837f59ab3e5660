"""Where a fixed string may begin at the end of a text."""

from __future__ import annotations


def overlap(text: str, literal: str) -> int:
    """How many characters at the end of `text` are the beginning of the literal, and not all of it.

    >>> overlap("xaa", "aab"), overlap("xaab", "aab"), overlap("x", "")
    (2, 0, 0)
    """
    longest = min(len(text), len(literal) - 1)
    tail = text[len(text) - longest :] if longest > 0 else ""
    start = 0
    while start < len(tail):
        start = tail.find(literal[0], start)
        if start < 0:
            return 0
        if literal.startswith(tail[start:]):
            return len(tail) - start
        start += 1
    return 0
