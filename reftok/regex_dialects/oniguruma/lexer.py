r"""The place in a pattern that is being read, escapes (`\n`, `\x41`, `\u00e9`, `\cA`) and quantifiers (`*`, `{n,m}`).

Source: `fetch_token`, `fetch_token_cc`, `fetch_escaped_value_raw`, `conv_backslash_value` and `fetch_interval` of
Oniguruma, regparse.c.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import regex

from reftok.errors import UnsupportedFeature

_BRACED = regex.compile(r"(?:x\{(?P<hex>[0-9A-Fa-f]+)|o\{(?P<octal>[0-7]+))(?P<end>\}?)")
_BYTE = regex.compile(r"x(?!\{)(?P<hex>[0-9A-Fa-f]{0,2})|(?P<octal>[0-7]{1,3})")
_UNICODE = regex.compile("u([0-9A-Fa-f]{0,4})")
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "a": "\a", "b": "\b", "e": "\x1b", "v": "\v"}
_LAST_BYTE = 0xFF
HIGHEST = 0x7FFFFFFF
"""The highest number that Oniguruma accepts as a code point."""

_QUANTIFIER = regex.compile(
    r"(?P<sign>[*+?])(?P<mode>[?+]?)|\{(?!,?\})(?P<least>[0-9]*)(?P<comma>,?)(?P<most>[0-9]*)\}"
)
_BOUNDS = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_MOST_TIMES = 100_000


@dataclass(slots=True)
class Cursor:
    """The pattern, and how many of its characters have been read."""

    pattern: str
    position: int = 0

    def at_end(self) -> bool:
        """Whether everything has been read."""
        return self.position >= len(self.pattern)

    def peek(self, length: int = 1) -> str:
        """The next characters, fewer at the end."""
        return self.pattern[self.position : self.position + length]

    def take(self) -> str:
        """Read one character.

        >>> cursor = Cursor("ab")
        >>> cursor.take(), cursor.peek()
        ('a', 'b')
        """
        if self.at_end():
            self.refuse("the pattern ends too early", self.position)
        self.position += 1
        return self.pattern[self.position - 1]

    def accept(self, text: str) -> bool:
        """Read the text if it comes next."""
        if not self.pattern.startswith(text, self.position):
            return False
        self.position += len(text)
        return True

    def match(self, expression: regex.Pattern[str]) -> regex.Match[str] | None:
        """Read what an expression matches here."""
        found = expression.match(self.pattern, self.position)
        if found is not None:
            self.position = found.end()
        return found

    def refuse(self, problem: str, start: int) -> NoReturn:
        """Raise UnsupportedFeature for what was read since `start`."""
        text = self.pattern[start : max(self.position, start + 1)]
        raise UnsupportedFeature("", f"pattern {self.pattern!r}", f"at character {start}, {text!r}: {problem}")


def bounded(digits: str) -> int:
    """The value of decimal digits, of the first eleven at most: no bound is so high, and Python converts no 5,000."""
    return int(digits.lstrip("0")[:11] or "0")


def read_escape(cursor: Cursor) -> int:
    r"""The code point of an escape whose backslash has been read. Other letters stand for themselves.

    >>> [chr(read_escape(Cursor(escape))) for escape in ("x41", "u00e9", "101", "cA", "y", "xC3\\xA9")]
    ['A', 'é', 'A', '\x01', 'y', 'é']
    """
    start = cursor.position - 1
    if braced := cursor.match(_BRACED):
        digits, base, most = (braced["hex"], 16, 8) if braced["hex"] else (braced["octal"], 8, 11)
        if not braced["end"]:
            cursor.refuse("one number and a brace are known here, no list of them", start)
        if len(digits) > most or int(digits, base) > HIGHEST:
            cursor.refuse("too high a number", start)
        return int(digits, base)
    if (first := _byte(cursor, start)) is not None:
        return _character_of_bytes(cursor, first, start)
    if found := cursor.match(_UNICODE):
        if len(found[1]) < 4:
            cursor.refuse("four hexadecimal digits are missing", start)
        return int(found[1], 16)
    return _control_or_itself(cursor, start)


def _byte(cursor: Cursor, start: int) -> int | None:
    r"""`x41`, `x` for zero, or up to three octal digits; None for anything else."""
    found = cursor.match(_BYTE)
    if found is None:
        return None
    value = int(found["octal"], 8) if found["octal"] else int(found["hex"] or "0", 16)
    if value > _LAST_BYTE:
        cursor.refuse("too high a number", start)
    return value


def _character_of_bytes(cursor: Cursor, first: int, start: int) -> int:
    r"""The character of a byte under 128, or of the first of several bytes in UTF-8: one escape for each byte."""
    encoded = bytes([first])
    # The first byte in UTF-8 says how many bytes the character has.
    for _ in range((first >= 0xC0) + (first >= 0xE0) + (first >= 0xF0)):
        byte = _byte(cursor, start) if cursor.accept("\\") else None
        if byte is None:
            cursor.refuse("not all bytes of a character", start)
        encoded += bytes([byte])
    try:
        return ord(encoded.decode("utf-8"))
    except UnicodeDecodeError:
        cursor.refuse("no character in UTF-8", start)


def _control_or_itself(cursor: Cursor, start: int) -> int:
    """A control character (`cA`, `C-A`), a meta character (`M-A`), a named one (`n`), or the character itself."""
    character = cursor.take()
    if character in "MC" and not cursor.accept("-"):
        cursor.refuse("a hyphen is missing", start)
    if character not in "McC":
        return ord(_CONTROLS.get(character, character))
    if character != "M" and cursor.accept("?"):
        return 0x7F
    modified = _control_or_itself(cursor, start) if cursor.accept("\\") else ord(cursor.take())
    return modified & _LAST_BYTE | 0x80 if character == "M" else modified & 0x9F


@dataclass(frozen=True, slots=True)
class Quantifier:
    """Least and most times (None: without end), whether greedy, and whether possessive, that is never reconsidered."""

    least: int
    most: int | None
    greedy: bool = True
    possessive: bool = False


def read_quantifier(cursor: Cursor) -> Quantifier | None:
    r"""The quantifier that comes next, if any; a brace that begins no interval is a character.

    `{1,3}+` is an interval and a `+` for it; `{3}?` is an interval and a `?` for it; `{3,1}` is `{1,3}` and possessive.

    >>> read_quantifier(Cursor("+?")), read_quantifier(Cursor("{,}"))
    (Quantifier(least=1, most=None, greedy=False, possessive=False), None)
    """
    start = cursor.position
    found = cursor.match(_QUANTIFIER)
    if found is None:
        return None
    if found["sign"]:
        return Quantifier(*_BOUNDS[found["sign"]], greedy=found["mode"] != "?", possessive=found["mode"] == "+")
    least = bounded(found["least"])
    upper = found["most"] if found["comma"] else found["least"]
    most = bounded(upper) if upper else None
    if max(least, most or 0) > _MOST_TIMES:
        cursor.refuse(f"more than {_MOST_TIMES:,} times", start)
    if most is not None and least > most:
        return Quantifier(most, least, possessive=True)
    return Quantifier(least, most, greedy=not found["comma"] or not cursor.accept("?"))
