"""The checks of a character map when a .model file is loaded."""

from __future__ import annotations

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.unicode.charsmap import LABEL, VALUE, Charsmap, offset

_PLACE = "precompiled_charsmap"


def check_charsmap(charsmap: Charsmap, source: str = "") -> None:
    """Check the whole map as sentencepiece does on loading, and that the replacements are UTF-8.

    source: the file's name, for messages.
    Raises ModelFormatError for what the library refuses, UnsupportedFeature for a replacement that is not UTF-8, with
    which the library would continue.

    Source: sentencepiece 0.2.3, `DecodePrecompiledCharsMap` (normalizer.cc), `DoubleArrayImpl::validate` (darts.h).
    """
    units, size, end = charsmap.units, len(charsmap.units), len(charsmap.replacements)
    if size % 256:
        raise ModelFormatError(source, _PLACE, f"{size} units are not a multiple of 256")
    if charsmap.replacements[-1] != 0:
        raise ModelFormatError(source, _PLACE, "the replacements do not end with NUL")
    root = offset(units[0])
    sound = units[0] & LABEL == 0 and not units[0] >> 8 & 1 and 0 < root <= root | 0xFF < size
    for index in range(1, size):
        unit = units[index]
        if unit >> 31:
            sound = sound and unit & VALUE < end
            continue
        # A look-up goes to this place xor any byte; if the 256 units around it exist, no walk leaves the array.
        child = index ^ offset(unit)
        if child | 0xFF >= size or (unit >> 8 & 1 and not units[child] >> 31):
            sound = False
    if not sound:
        raise ModelFormatError(source, _PLACE, "the trie points outside itself")
    _check_replacements(charsmap, source)


def _check_replacements(charsmap: Charsmap, source: str) -> None:
    try:
        charsmap.replacements.decode("utf-8")
    except UnicodeDecodeError as error:
        problem = f"byte {error.start} of the replacements is not UTF-8"
        raise UnsupportedFeature(source, _PLACE, problem) from None
    for unit in charsmap.units:
        value = unit & VALUE
        if unit >> 31 and charsmap.replacements[value] & 0xC0 == 0x80:
            raise UnsupportedFeature(source, _PLACE, f"replacement {value} begins inside a character")
