"""The byte-to-character map of GPT-2: each byte has a visible character, so that a vocab of bytes is readable text.

Source: openai/gpt-2 src/encoder.py `bytes_to_unicode`; tokenizers 0.23 pre_tokenizers/byte_level.rs `bytes_char`.
"""

from __future__ import annotations

from codecs import charmap_decode
from collections.abc import Mapping
from types import MappingProxyType


def _visible(byte: int) -> bool:
    return 0x21 <= byte <= 0x7E or 0xA1 <= byte <= 0xAC or 0xAE <= byte <= 0xFF


def _byte_to_character() -> dict[int, str]:
    """Visible Latin-1 characters stand for themselves, the other 68 bytes for U+0100 onwards."""
    hidden = [byte for byte in range(256) if not _visible(byte)]
    return {byte: chr(byte) if _visible(byte) else chr(0x100 + hidden.index(byte)) for byte in range(256)}


BYTE_TO_CHARACTER: Mapping[int, str] = MappingProxyType(_byte_to_character())
_BYTES = {character: byte for byte, character in BYTE_TO_CHARACTER.items()}
CHARACTER_TO_BYTE: Mapping[str, int] = MappingProxyType(_BYTES)

_CHARACTERS = "".join(BYTE_TO_CHARACTER[byte] for byte in range(256))


def bytes_to_unicode() -> dict[int, str]:
    """The map as a new dict.

    >>> mapping = bytes_to_unicode()
    >>> mapping[0x20], mapping[0x88], mapping[0x41], len(mapping)
    ('Ġ', 'Ī', 'A', 256)
    """
    return dict(BYTE_TO_CHARACTER)


def unicode_to_bytes() -> dict[str, int]:
    """The inverse map as a new dict.

    >>> bytes(unicode_to_bytes()[character] for character in "ä½łå¥½").decode("utf-8")
    '你好'
    """
    return dict(CHARACTER_TO_BYTE)


def to_byte_characters(data: bytes) -> str:
    """Bytes written in the characters of the map.

    >>> to_byte_characters("né ".encode("utf-8"))
    'nÃ©Ġ'
    """
    return charmap_decode(data, "strict", _CHARACTERS)[0]


def from_byte_characters(text: str) -> bytes | None:
    """The bytes that `text` stands for; None if it has a character outside the map."""
    try:
        return bytes(map(_BYTES.__getitem__, text))
    except KeyError:
        return None
