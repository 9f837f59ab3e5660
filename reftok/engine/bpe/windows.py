"""Long words, merged window by window.

A word may be cut anywhere and its windows be merged apart, if at each cut the two tokens that meet there are what their
own text merges to. For as long as nothing has merged across a place between two tokens, what merges on both sides of it
is what would merge in the text of the two alone; so if that gives the two again, nothing ever merges across. Where it
does not, tokens before the cut are merged again, together with the window behind it.

This needs nothing of the merges but that the lowest rank comes first and the leftmost of equals. Source of the idea:
the crate `bpe` of github/rust-gems, crates/bpe (`is_valid_token_pair`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

Token = TypeVar("Token")

WINDOW = 24
"""Symbols of a window, or characters of a word that is not written in its bytes.

To merge it takes longer than in proportion, and to look at the cuts takes less the fewer.
"""

_REPEATS = 4
"""So many times the number of tokens may be merged again, before the word is better merged as a whole."""


def joined(
    windows: Iterable[Sequence[Token]],
    stay_apart: Callable[[tuple[Token, Token]], bool],
    merge_again: Callable[[Sequence[Token]], Sequence[Token] | None],
) -> list[Token] | None:
    """The tokens of a word from those of its windows, none of them empty; None where that would take too long.

    stay_apart: whether two tokens are what their text merges to.
    merge_again: what the text of some tokens merges to; None where that takes too long.

    >>> joined([["a"], ["a", "b"]], lambda pair: pair != ("a", "a"), lambda tokens: ["aa", "b"])
    ['aa', 'b']
    """
    found: list[Token] = []
    patience = 0
    for window in windows:
        patience += _REPEATS * len(window)
        count = 1
        while found and not stay_apart((found[-1], window[0])):
            patience -= min(count, len(found)) + len(window)
            again = merge_again([*found[-count:], *window]) if patience >= 0 else None
            if again is None:
                return None
            window = again
            del found[-count:]
            count *= 2
        found += window
    return found
