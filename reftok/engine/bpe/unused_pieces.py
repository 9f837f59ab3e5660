"""Unused pieces of a sentencepiece model BPE, as far as what they are split into does not depend on the text."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping


def settled_splits(unused: Collection[str], pieces: Container[str]) -> Mapping[str, tuple[str, str]]:
    """The unused pieces that can only have come from one pair of symbols, and whose halves can do so too.

    unused: the unused pieces.
    pieces: every piece that symbols can merge to, the unused ones included.

    >>> settled_splits({"ab", "abc", "abd"}, {"ab", "bc", "abc", "abd"})
    {'ab': ('a', 'b'), 'abd': ('ab', 'd')}
    """
    settled: dict[str, tuple[str, str]] = {}
    for piece in sorted(unused, key=lambda piece: (len(piece), piece)):
        halves = [(piece[:end], piece[end:]) for end in range(1, len(piece))]
        ways = [pair for pair in halves if all(len(half) == 1 or half in pieces for half in pair)]
        if len(ways) == 1 and all(len(half) == 1 or half not in unused or half in settled for half in ways[0]):
            settled[piece] = ways[0]
    return settled
