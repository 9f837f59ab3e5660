"""Byte tokens in every order: what a streaming decoder must hold, give out as U+FFFD, or give out as a character."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import permutations

from conformance.case import Case, tokens_case
from reftok.byte_level import BYTE_TO_CHARACTER

CHARACTERS = ("é", "€", "\ufffd", "😀")
"""One of two, two of three and one of four bytes; one of them is what incomplete bytes are shown as."""


@cache
def byte_token_cases() -> tuple[Case, ...]:
    """Every truncation and permutation of the bytes of these characters, alone, after and before other text.

    A byte is a token in either notation, <0xE2> or that of ByteLevel; a model has at most one of them, and the cases of
    the other are none of its own.
    """
    return tuple(
        tokens_case(tuple(map(notation, data)), f"cuts:bytes:{name}:{data.hex()}")
        for name, notation in (("byte fallback", "<0x{:02X}>".format), ("byte-level", BYTE_TO_CHARACTER.__getitem__))
        for data in dict.fromkeys(_sequences())
    )


def _sequences() -> Iterator[bytes]:
    r"""The bytes of each case.

    >>> list(_sequences())[:4]
    [b'\xc3', b'a\xc3', b'\xc3a', b'\xc3\xc3\xa9']
    """
    for character in CHARACTERS:
        data = character.encode("utf-8")
        for size in range(1, 1 + len(data)):
            for order in permutations(data, size):
                part = bytes(order)
                yield from (part, b"a" + part, part + b"a", part + data)
