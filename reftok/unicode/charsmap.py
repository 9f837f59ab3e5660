"""The precompiled character map of sentencepiece: rules "these bytes become those", in a double array.

The blob is a little-endian uint32 with the size of the double array in bytes, the array (uint32 units of the library
darts-clone), and the replacements: UTF-8 strings, each ended by NUL. The value of a key is the position of its
replacement among these, in bytes.
Source: `Normalizer::DecodePrecompiledCharsMap`, sentencepiece 0.2 normalizer.cc; darts.h of darts-clone.

The readers of .model, tokenizer.json and GGUF files take the blob from the field `precompiled_charsmap`. Three
normalizers apply the rules, each in its own way: sentencepiece takes the longest match (sentencepiece/normalizer.py),
Precompiled of tokenizers the shortest match at the start of each grapheme cluster (huggingface/normalizers.py),
llama.cpp the longest match of bytes (llama_cpp/ugm_normalizer.py).
"""

from __future__ import annotations

import struct
from array import array
from sys import byteorder

from reftok.errors import ModelFormatError

# A unit is a node of the trie. Bits 0 to 7 are its label, the byte that leads to it; bit 8 says that a key ends here;
# bits 10 to 30 are the offset to its children, in steps of 256 if bit 9 is set. The child for a byte stands at the
# position of the node, xor its offset, xor that byte. If a key ends at a node, its child for NUL is a leaf: bit 31 is
# set, and the other bits are the value of the key.
VALUE = (1 << 31) - 1
LABEL = (1 << 31) | 0xFF  # with the bit of a leaf, so that a leaf never looks like a node


class Charsmap:
    """The rules of one character map.

    blob: the bytes of `precompiled_charsmap`. source: the file's name, for messages.
    units: the double array. replacements: all of them, each ended by NUL.
    Raises ModelFormatError for a blob that is cut off. Other faults are found by a look-up that meets them, or when a
    .model file is read (formats/sentencepiece/charsmap_check.py).
    """

    def __init__(self, blob: bytes, source: str = "") -> None:
        if len(blob) <= 4:
            raise ModelFormatError(source, "precompiled_charsmap", "is cut off")
        (size,) = struct.unpack_from("<I", blob)
        if size % 4 or size == 0 or 4 + size >= len(blob):
            raise ModelFormatError(source, "precompiled_charsmap", f"the trie of {size} bytes does not fit")
        self.units = array("I")
        if self.units.itemsize != 4:  # C leaves the sizes open, and one of the two is four bytes
            self.units = array("L")
        self.units.frombytes(blob[4 : 4 + size])
        if byteorder == "big":
            self.units.byteswap()
        self.replacements = blob[4 + size :]
        self._source = source

    def prefixes(self, key: bytes, start: int = 0) -> list[tuple[int, str]]:
        """The rules that match at byte `start` of `key`, shortest first: bytes matched and replacement."""
        return [(length, self.replacement(value)) for length, value in self._walk(key, start)]

    def shortest_prefix(self, text: str) -> str | None:
        """The replacement of the shortest rule that matches at the start of a text; None if none does.

        The text ends at its first NUL, as a string of C.
        """
        found = self._walk(text.encode("utf-8"), 0, stop_at_nul=True)
        return self.replacement(found[0][1]) if found else None

    def has_part(self, character: str) -> bool:
        """Whether a rule begins with this character, or with a part of its UTF-8.

        If not, `shortest_prefix` is None for every text that begins with it.
        """
        units = self.units
        try:
            position = offset(units[0])
            for byte in character.encode("utf-8"):
                position ^= byte
                unit = units[position]
                if unit & LABEL != byte:
                    return False
                position ^= offset(unit)
                if unit >> 8 & 1:
                    return True
        except IndexError:
            pass  # the look-up itself names the fault
        return True

    def _walk(self, key: bytes, start: int, stop_at_nul: bool = False) -> list[tuple[int, int]]:
        """The length and the value of each key that matches at `start`, the shortest first."""
        units = self.units
        found: list[tuple[int, int]] = []
        try:
            position = offset(units[0])  # `position` is that of a node xor its offset: the place to look for children
            for index in range(start, len(key)):
                byte = key[index]
                if stop_at_nul and byte == 0:
                    break
                position ^= byte
                unit = units[position]
                if unit & LABEL != byte:
                    break
                position ^= offset(unit)
                if unit >> 8 & 1:
                    found.append((index - start + 1, units[position] & VALUE))
        except IndexError:
            raise ModelFormatError(self._source, "precompiled_charsmap", "the trie points outside itself") from None
        return found

    def root(self) -> int:
        """The node at which all keys begin, for `step`."""
        return offset(self.units[0])

    def step(self, node: int, character: bytes) -> tuple[int, int | None] | None:
        """The node behind the bytes of one character, and the value of the key that ends there, if any.

        None if no key continues with this character. Only for a map that the reader of .model files has checked.
        Raises ModelFormatError for a key that ends inside the character: its replacement would cut the character.
        """
        units = self.units
        value: int | None = None
        for byte in character:
            if value is not None:
                raise ModelFormatError(self._source, "precompiled_charsmap", f"a rule ends inside {character!r}")
            node ^= byte
            unit = units[node]
            if unit & LABEL != byte:
                return None
            node ^= offset(unit)
            if unit >> 8 & 1:
                value = units[node] & VALUE
        return node, value

    def replacement(self, value: int) -> str:
        """The replacement with this value, from there up to its NUL."""
        end = self.replacements.find(b"\0", value)
        try:
            return self.replacements[value : end if end >= 0 else None].decode("utf-8")
        except UnicodeDecodeError:
            raise ModelFormatError(self._source, "precompiled_charsmap", f"replacement {value} is not UTF-8") from None


def offset(unit: int) -> int:
    """The offset of a unit to its children."""
    return (unit >> 10) << ((unit & (1 << 9)) >> 6)
