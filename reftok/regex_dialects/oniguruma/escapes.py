r"""Escapes of one character, `\n` `\x41` `\u00e9` `\cA` and their like, inside and outside of a class.

Source: `fetch_token`, `fetch_token_cc`, `fetch_escaped_value_raw` and `conv_backslash_value` of Oniguruma, regparse.c.
"""

from __future__ import annotations

from reftok.regex_dialects.oniguruma.cursor import Cursor

_OCTAL = "01234567"
_HEXADECIMAL = "0123456789abcdefABCDEF"
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "a": "\a", "b": "\b", "e": "\x1b", "v": "\v"}
_LAST_BYTE = 0xFF
HIGHEST = 0x7FFFFFFF
"""The highest number that Oniguruma takes for a code point."""


def read_escape(cursor: Cursor) -> int:
    r"""The code point of an escape, whose backslash has been read. Other letters stand for themselves.

    >>> [chr(read_escape(Cursor(escape))) for escape in ("x41", "u00e9", "101", "cA", "y", "xC3\\xA9")]
    ['A', 'é', 'A', '\x01', 'y', 'é']
    """
    start = cursor.position - 1
    following = cursor.peek()
    if following and following in _OCTAL:
        return _character_of_bytes(cursor, start)
    if cursor.peek(2) == "x{" or cursor.peek(2) == "o{":
        return _braced(cursor, start)
    if following == "x":
        return _character_of_bytes(cursor, start)
    if cursor.accept("u"):
        digits = cursor.take_while(_HEXADECIMAL, 4)
        if len(digits) < 4:
            cursor.refuse("four hexadecimal digits are missing", start)
        return int(digits, 16)
    return _control_or_itself(cursor, start)


def _braced(cursor: Cursor, start: int) -> int:
    r"""`\x{1F600}` or `\o{141}`; with no digits at all, the letter itself."""
    base = cursor.take()
    cursor.take()
    digits = cursor.take_while(_HEXADECIMAL if base == "x" else _OCTAL)
    if not digits:
        cursor.position -= 1
        return ord(base)
    if not cursor.accept("}"):
        cursor.refuse("one number and a brace are known here, no list of them", start)
    code = int(digits, 16 if base == "x" else 8)
    if code > HIGHEST or len(digits) > (8 if base == "x" else 11):
        cursor.refuse("too high a number", start)
    return code


def _character_of_bytes(cursor: Cursor, start: int) -> int:
    r"""One byte under 128, or the bytes of one character in UTF-8, one escape each."""
    encoded = bytes([_byte(cursor, start)])
    length = _encoded_length(encoded[0])
    while len(encoded) < length:
        if not cursor.accept("\\") or cursor.peek() not in tuple("x01234567") or cursor.peek(2) == "x{":
            cursor.refuse("not all bytes of a character", start)
        encoded += bytes([_byte(cursor, start)])
    try:
        return ord(encoded.decode("utf-8"))
    except UnicodeDecodeError:
        cursor.refuse("no character in UTF-8", start)


def _encoded_length(first: int) -> int:
    """How many bytes a character has in UTF-8 that starts with this one; 1 where none does."""
    return 1 + (first >= 0xC0) + (first >= 0xE0) + (first >= 0xF0)


def _byte(cursor: Cursor, start: int) -> int:
    r"""`x41`, `x` for zero, or up to three octal digits."""
    if cursor.accept("x"):
        return int(cursor.take_while(_HEXADECIMAL, 2) or "0", 16)
    value = int(cursor.take_while(_OCTAL, 3), 8)
    if value > _LAST_BYTE:
        cursor.refuse("too high a number", start)
    return value


def _control_or_itself(cursor: Cursor, start: int) -> int:
    """A control character (`cA`, `C-A`), a meta character (`M-A`), a named one (`n`), or the character itself."""
    character = cursor.take()
    if character == "M":
        if not cursor.accept("-"):
            cursor.refuse("a hyphen is missing", start)
        return _modified(cursor, start) & _LAST_BYTE | 0x80
    if character == "C" and not cursor.accept("-"):
        cursor.refuse("a hyphen is missing", start)
    if character in "cC":
        return 0x7F if cursor.accept("?") else _modified(cursor, start) & 0x9F
    return ord(_CONTROLS.get(character, character))


def _modified(cursor: Cursor, start: int) -> int:
    return _control_or_itself(cursor, start) if cursor.accept("\\") else ord(cursor.take())
