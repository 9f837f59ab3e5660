"""Bytes that need not be UTF-8: cut short, overlong, surrogates, too high, by chance, and within text."""

from __future__ import annotations

from random import Random

from conformance.generators.alphabets import alphabet
from conformance.generators.base import Generator, few, pick

_WRONG = (
    b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80\x80", b"\xe0\x9f\xbf", b"\xf0\x80\x80\x80", b"\xf0\x8f\xbf\xbf",  # overlong
    b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xed\xa0\xbd\xed\xb8\x80",  # surrogates
    b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xfc\x84\x80\x80\x80\x80",  # too high
    b"\x80", b"\xbf", b"\xfe", b"\xff", b"\xef\xbb\xbf", b"\x00",
)  # fmt: skip
_MOST_RANDOM = 6


class ByteStrings(Generator):
    """Some parts one after the other, most of which are no whole characters."""

    name = "byte strings"

    def draw(self, chance: Random) -> bytes:
        return b"".join(_part(chance) for _ in range(1 + few(chance, 4)))


def _part(chance: Random) -> bytes:
    kind = chance.random()
    if kind < 0.3:
        return pick(chance, _WRONG)
    if kind < 0.4:
        return chance.randbytes(few(chance, _MOST_RANDOM))
    character = pick(chance, alphabet()).encode("utf-8")
    if kind < 0.6:
        return character[: chance.randrange(len(character)) or 1]
    if kind < 0.7:
        return character[chance.randrange(len(character)) :]
    return character if kind < 0.85 else pick(chance, (b"a", b" ", b"'s", b"\n"))
