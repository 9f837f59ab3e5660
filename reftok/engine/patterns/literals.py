"""Where a fixed string may begin in a text, or at its end."""

from __future__ import annotations

import re
from collections.abc import Collection

_LOOKED_AT = (3, 2, 1)
_MOST_BEGINNINGS = 1000
"""More, and a pattern of them takes long to compile."""


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


def beginnings(literals: Collection[str]) -> re.Pattern[str]:
    r"""Finds every place where one of the literals may begin, and few others: it looks at up to three characters.

    At the end of a text there may be fewer. literals: one at least, and none is ''.

    >>> found = beginnings(["<|end|>", "</s>"])
    >>> [match.start() for match in map(found.search, ("<s>", "a<|e", "ab<|", "ab<")) if match]
    [1, 2, 2]
    """
    for size in _LOOKED_AT:
        first = {literal[:size] for literal in literals}
        if len(first) <= _MOST_BEGINNINGS:
            break
    return re.compile(_one_of(first))


def _one_of(texts: Collection[str]) -> str:
    """A pattern for texts of which none is empty, and for the beginnings of theirs at the end of what is searched."""
    following: dict[str, set[str]] = {}
    for text in sorted(texts):
        following.setdefault(text[0], set()).add(text[1:])
    last = "".join(re.escape(character) for character, rests in following.items() if "" in rests)
    branches = [
        rf"{re.escape(character)}(?:{_one_of(rests)}|\Z)" for character, rests in following.items() if "" not in rests
    ]
    return "|".join([f"[{last}]"] * bool(last) + branches)
