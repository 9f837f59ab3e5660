"""The container of a GGUF file: the header and the metadata, read from the file as they are needed.

Source: ggml/src/gguf.cpp of llama.cpp, as in llama-cpp-python 0.3.36. Tensors are not looked at: of a file of many
gigabytes only the first megabytes are read. Values that nobody asks for are walked over and not kept.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from reftok.errors import ModelFormatError, UnsupportedFeature

MAGIC = b"GGUF"

_STRING, _ARRAY = 8, 9
_FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_NAMES = {
    0: "uint8", 1: "int8", 2: "uint16", 3: "int16", 4: "uint32", 5: "int32", 6: "float32", 7: "bool", 8: "string",
    9: "array", 10: "uint64", 11: "int64", 12: "float64",
}  # fmt: skip
_LONGEST = 1 << 30
"""Bytes of a string, and elements of an array: llama.cpp refuses more."""


@dataclass(frozen=True, slots=True)
class Value:
    """One value of the metadata.

    kind: the name of its type; of an array, that of its elements.
    is_array: whether it is a sequence of that type.
    content: a number, a bool, a str, or a sequence of them. In a str, each byte that is no UTF-8 is a lone surrogate
        U+DC80 to U+DCFF.
    """

    kind: str
    is_array: bool
    content: Any


def read_metadata(path: Path, wanted: Callable[[str], bool]) -> dict[str, Value]:
    """The metadata of a GGUF file, version 2 or 3, little endian.

    wanted: whether the value of a key is to be kept.
    Raises ModelFormatError with the place in the file, UnsupportedFeature for other versions and big-endian files.
    """
    try:
        with path.open("rb") as file:
            return _Reader(file, str(path)).metadata(wanted)
    except OSError as error:
        raise ModelFormatError(str(path), "", f"cannot be read: {error.strerror}") from None


class _Reader:
    """Reads what llama.cpp reads, in the same order, with the same limits."""

    def __init__(self, file: BinaryIO, source: str) -> None:
        self._file = file
        self._source = source
        self._size = file.seek(0, 2)
        self._position = file.seek(0)
        self._key = ""

    def metadata(self, wanted: Callable[[str], bool]) -> dict[str, Value]:
        self._check_header()
        self._number("Q", "the number of tensors")
        count = self._number("Q", "the number of keys")
        values: dict[str, Value] = {}
        seen: set[str] = set()
        for index in range(count):
            self._key = ""
            key = self._string(f"key {index}")
            if not key or key in seen:
                raise self._wrong(f"key {key!r:.60} is there twice" if key else f"key {index} is empty")
            seen.add(key)
            self._key = key
            value = self._value(wanted(key))
            if value is not None:
                values[key] = value
        return values

    def _check_header(self) -> None:
        if self._bytes(4, "the magic number") != MAGIC:
            raise self._wrong("is not a GGUF file")
        version = self._number("I", "the version")
        if version and not version & 0xFFFF:
            raise UnsupportedFeature(self._source, "version", "big-endian GGUF files are not supported")
        if version not in (2, 3):
            raise UnsupportedFeature(self._source, "version", f"{version} of GGUF is not supported, only 2 and 3")

    def _value(self, is_wanted: bool) -> Value | None:
        """A single value is read as an array of one."""
        kind = self._number("I", "a type")
        is_array, count = kind == _ARRAY, 1
        if is_array:
            kind, count = self._number("I", "a type"), self._number("Q", "a length")
            if kind == _ARRAY:
                raise self._wrong("an array of arrays")
        if kind != _STRING and kind not in _FORMATS:
            raise self._wrong(f"type {kind} is not known")
        if count > _LONGEST:
            raise self._wrong(f"an array of {count} elements")
        what = f"{count} {_NAMES[kind]} values" if is_array else f"a {_NAMES[kind]}"
        content: Sequence[Any] = ()
        if kind == _STRING:
            self._require(8 * count, what)
            strings = (self._string("a string", is_wanted) for _ in range(count))
            content = [string for string in strings if is_wanted]
        elif is_wanted:
            content = self._numbers(_FORMATS[kind], count, what)
        else:
            self._skip(count * struct.calcsize(_FORMATS[kind]), what)
        return Value(_NAMES[kind], is_array, content if is_array else content[0]) if is_wanted else None

    def _numbers(self, code: str, count: int, what: str) -> Sequence[Any]:
        data = self._bytes(count * struct.calcsize(code), what)
        if code == "?":
            return [byte != 0 for byte in data]
        numbers: array[Any] = array(code, data)
        if sys.byteorder == "big":
            numbers.byteswap()
        return numbers

    def _number(self, code: str, what: str) -> Any:
        return struct.unpack("<" + code, self._bytes(struct.calcsize("<" + code), what))[0]

    def _string(self, what: str, is_wanted: bool = True) -> str:
        """A string, which is walked over and empty where nobody wants it."""
        length = self._number("Q", what)
        if length > _LONGEST:
            raise self._wrong(f"{what} of {length} bytes")
        if is_wanted:
            return self._bytes(length, what).decode("utf-8", "surrogateescape")
        self._skip(length, what)
        return ""

    def _bytes(self, size: int, what: str) -> bytes:
        self._require(size, what)
        data = self._file.read(size)
        if len(data) != size:
            raise self._wrong(f"the file ends within {what}")
        self._position += size
        return data

    def _skip(self, size: int, what: str) -> None:
        self._require(size, what)
        self._position = self._file.seek(size, 1)

    def _require(self, size: int, what: str) -> None:
        if size > self._size - self._position:
            raise self._wrong(f"the file ends within {what}")

    def _wrong(self, problem: str) -> ModelFormatError:
        place = f"byte {self._position}" + (f" ({self._key!r:.80})" if self._key else "")
        return ModelFormatError(self._source, place, problem)
