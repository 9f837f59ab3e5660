"""Byte tokens in every order: what a streaming decoder must hold, give out as U+FFFD, or give out as a character."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import permutations
from typing import TypeAlias

from conformance.core.case import Case, tokens_case
from reftok.rules.byte_level import BYTE_TO_CHARACTER, to_byte_characters

CHARACTERS = ("é", "€", "\ufffd", "😀")
"""One of two, two of three and one of four bytes; one of them is what incomplete bytes are shown as."""
EDGES = ("\u0800", "\ud7ff", "\U00010000", "\U0010ffff")
"""First and last characters of E0, ED, F0 and F4, behind which not every continuation byte can come."""
NO_CHARACTERS = (
    b"\xc0\x80",
    b"\xe0\x80\x80",
    b"\xe0\x9f\xbf",
    b"\xf0\x8f\xbf\xbf",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xf5\x80\x80\x80",
    b"\xf8\x88\x80\x80\x80",
    b"\xff",
)
"""Overlong forms, a surrogate, what is beyond U+10FFFF, bytes that begin nothing: decoders differ in how many U+FFFD
they make of these."""
PIECES = ((" ", "a", " a"), ("\ufffd",) * 3)
"""Texts of ordinary tokens before, between and behind two runs of byte tokens, which are judged there: those that most
vocabs have, and the character that incomplete bytes are shown as."""

_Token: TypeAlias = int | str
"""A byte, or the text of an ordinary token."""


@cache
def byte_token_cases() -> tuple[Case, ...]:
    """Bytes of characters and of what is none: alone, after and before other bytes, and between ordinary tokens.

    Of CHARACTERS there is every truncation and permutation, of the others every truncation. A byte is a token in
    either notation, <0xE2> or that of ByteLevel; a case with a token that a model lacks is none of its own.
    """
    notations = (("byte fallback", _of_byte_fallback), ("byte-level", _of_byte_level))
    return tuple(
        tokens_case(tuple(map(notation, sequence)), f"cuts:bytes:{name}:{_name(sequence)}")
        for name, notation in notations
        for sequence in dict.fromkeys(_sequences())
    )


def _sequences() -> Iterator[tuple[_Token, ...]]:
    """The bytes and texts of each case.

    >>> from itertools import islice
    >>> [_name(sequence) for sequence in islice(_sequences(), 6)]
    ['c3', '61c3', 'c361', 'c3c3a9', "' 'c3'a'61c3' a'", "'�'c3'�'61c3'�'"]
    """
    for part, data in _parts():
        # A byte that is a character by itself: a stream may have given it out before its run is judged.
        behind_ascii = (ord("a"), *part)
        yield from ((*part,), behind_ascii, (*part, ord("a")), (*part, *data))
        yield from ((before, *part, between, *behind_ascii, behind) for before, between, behind in PIECES)


def _parts() -> Iterator[tuple[bytes, bytes]]:
    """Some of the bytes, and all of them."""
    for character in CHARACTERS:
        data = character.encode("utf-8")
        for size in range(1, 1 + len(data)):
            yield from ((bytes(order), data) for order in permutations(data, size))
    for data in (*(character.encode("utf-8") for character in EDGES), *NO_CHARACTERS):
        yield from ((data[:size], data) for size in range(1, 1 + len(data)))


def _of_byte_fallback(token: _Token) -> str:
    """The token in a vocab with byte fallback.

    >>> _of_byte_fallback(0xE2), _of_byte_fallback(" a")
    ('<0xE2>', '▁a')
    """
    return token.replace(" ", "▁") if isinstance(token, str) else f"<0x{token:02X}>"


def _of_byte_level(token: _Token) -> str:
    """The token in a byte-level vocab.

    >>> _of_byte_level(0xE2), _of_byte_level(" a")
    ('â', 'Ġa')
    """
    return to_byte_characters(token.encode("utf-8")) if isinstance(token, str) else BYTE_TO_CHARACTER[token]


def _name(sequence: tuple[_Token, ...]) -> str:
    """Bytes in hexadecimal, texts in quotes."""
    return "".join(repr(token) if isinstance(token, str) else f"{token:02x}" for token in sequence)
