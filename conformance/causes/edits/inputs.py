"""Ways to get it wrong before the first stage."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from html import unescape
from operator import methodcaller

from conformance.causes.edits.fault import Fault, Faults, around, of_text
from conformance.causes.edits.stripped import strippings
from reftok import Tokenizer
from reftok.unicode.characters import WHITE_SPACE

_ABOVE_UTF_16 = re.compile("[\U00010000-\U0010ffff]")
_SPACES = re.compile("  +")
_WHITE_SPACE = re.compile(r"\s+")
_LAST_LINE_END = re.compile(r"\r?\n\Z")
_LAST_OF_ANY_FORM = re.compile(r"(\r?\n|\r)\Z")
_LINE_ENDS = re.compile(r"\r\n?|\n")
_CONTROLS = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_ESCAPED = {"\\n": "\n", "\\t": "\t", "\\r": "\r", "\\\\": "\\"}
_LINES, _PARAGRAPHS, _WORDS = re.compile(r".*\n|.+"), re.compile(r"(?s).+?(?:\n\n+|\Z)"), re.compile(r" ?[^ ]+| +")
_ESCAPES = re.compile("|".join(map(re.escape, _ESCAPED)))
ZERO_WIDTH = dict.fromkeys((0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))


def of_input(tokenizer: Tokenizer) -> Faults:
    """Texts that are changed on their way in, the smallest change first.

    Who guards against injection takes all special tokens out of a text, or those that look like it: `<|…|>`.
    """
    special = [token.content for token in tokenizer.rules.added_tokens.tokens.values() if token.special]
    special.sort(key=len, reverse=True)
    between_bars = [content for content in special if content.startswith("<|") and content.endswith("|>")]
    changes: dict[str, Callable[[str], str]] = {
        "text ends at the first NUL": lambda text: text.partition("\0")[0],
        "NULs at the end are lost": lambda text: text.rstrip("\0"),
        "NUL is removed": lambda text: text.replace("\0", ""),
        "line ends are converted to \\n": lambda text: text.replace("\r\n", "\n").replace("\r", "\n"),
        "CR LF is converted to \\n": lambda text: text.replace("\r\n", "\n"),
        "CR is removed": lambda text: text.replace("\r", ""),
        "line ends become spaces": lambda text: _LINE_ENDS.sub(" ", text),
        "a byte order mark is dropped": lambda text: text.removeprefix("\ufeff"),
        **dict(strippings()),
        "lines are stripped": lambda text: "\n".join(map(str.strip, text.split("\n"))),
        "white space at the ends of lines is stripped": lambda text: "\n".join(map(str.rstrip, text.split("\n"))),
        "repeated spaces become one": lambda text: _SPACES.sub(" ", text),
        "all white space becomes one space": lambda text: _WHITE_SPACE.sub(" ", text),
        "tabs become spaces": lambda text: text.replace("\t", " "),
        "no-break spaces become spaces": lambda text: text.replace("\xa0", " "),
        "control characters are removed": lambda text: _CONTROLS.sub("", text),
        "variation selectors are removed": lambda text: _SELECTORS.sub("", text),
        "soft hyphens are removed": lambda text: text.replace("\xad", ""),
        "typographic quotes are made straight": lambda text: text.translate(_QUOTES),
        "full-width forms of ASCII become ASCII": lambda text: text.translate(_FULL_WIDTH),
        "escapes such as \\n are read": lambda text: _ESCAPES.sub(lambda one: _ESCAPED[one[0]], text),
        "references such as &amp; are read": unescape,
        "a byte order mark is added": lambda text: "\ufeff" + text,
        "a line end is added": lambda text: text + "\n",
        "the last line end is lost": lambda text: text.removesuffix("\n"),
        "the last LF or CR LF is lost": lambda text: _LAST_LINE_END.sub("", text),
        "the last LF or CR LF or CR is lost": lambda text: _LAST_OF_ANY_FORM.sub("", text),
        "line ends at the end are stripped": lambda text: text.rstrip("\r\n"),
        "U+FFFD is removed": lambda text: text.replace("\ufffd", ""),
        "texts of white space alone are taken for empty": lambda text: text if text.strip() else "",
        "zero-width characters are removed": lambda text: text.translate(ZERO_WIDTH),
    }
    for rule, change in changes.items():
        yield of_text("Input", rule, tokenizer, change)
    for spaces in _UNICODE_SPACES:
        become_spaces = methodcaller("translate", dict.fromkeys(map(ord, spaces), " "))
        yield of_text("Input", "all spaces of Unicode become U+0020", tokenizer, become_spaces)
    for side, strip in _OF_BYTES:
        rule = f"white space at the {side} is stripped byte by byte, within characters too"
        yield of_text("Input", rule, tokenizer, partial(_stripped_bytes, strip))
    yield of_text("Input", "Java's modified UTF-8 is decoded as UTF-8", tokenizer, _as_modified_utf_8)
    for rule, cut in _CUTS:
        for each in (False, True):
            yield Fault("Input", rule, partial(_part_by_part, tokenizer, cut, each))
    for half in ("?", "\ufffd"):
        yield of_text("Input", "UTF-16 units are encoded one by one", tokenizer, partial(_unit_by_unit, half))
    for removed in (special, between_bars):
        if removed:
            change = partial(_without, removed)
            yield of_text("Input", "special tokens are removed from the text", tokenizer, change)


_SEPARATORS = "\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u202f\u205f\u3000"
_UNICODE_SPACES = (
    _SEPARATORS,
    _SEPARATORS + "\ufeff",
    _SEPARATORS + "\u2028\u2029",
    "".join(sorted(WHITE_SPACE - {" "})),
)
r"""Sets that languages call spaces: `\p{Zs}`, with U+FEFF as `\s` of JavaScript has it, `\p{Z}`, all white space."""


_LATIN_1_SPACE = b"\t\n\v\f\r \x85\xa0"
"""`isspace` of C in a locale of Latin-1: within characters of UTF-8, too, there are bytes such as 0x85 and 0xA0."""
_OF_BYTES: tuple[tuple[str, Callable[[bytes, bytes], bytes]], ...] = (("end", bytes.rstrip), ("ends", bytes.strip))


def _stripped_bytes(strip: Callable[[bytes, bytes], bytes], text: str) -> str:
    return strip(text.encode("utf-8", "surrogatepass"), _LATIN_1_SPACE).decode("utf-8", "replace")


def _as_modified_utf_8(text: str) -> str:
    """What a decoder of UTF-8 makes of `GetStringUTFChars`: each surrogate is three bytes that it refuses, NUL two."""
    return _ABOVE_UTF_16.sub("\ufffd" * 6, text).replace("\0", "\ufffd" * 2)


_CUTS: tuple[tuple[str, Callable[[str], Sequence[str]]], ...] = (
    ("each line is encoded on its own", lambda text: text.splitlines(keepends=True)),
    ("each line is encoded on its own", lambda text: _LINES.findall(text)),
    ("each line is encoded on its own, without its end", lambda text: text.split("\n")),
    ("each paragraph is encoded on its own", lambda text: _PARAGRAPHS.findall(text)),
    ("each word is encoded on its own, with the space before it", lambda text: _WORDS.findall(text)),
)
"""Ways to cut a text into parts that are encoded one by one."""


def _part_by_part(
    tokenizer: Tokenizer, cut: Callable[[str], Sequence[str]], adds_to_each: bool, text: str
) -> Sequence[int]:
    """adds_to_each: whether special tokens stand around each part, or once around all."""
    parts = cut(text)
    if len(parts) < 2:
        return tokenizer.encode_ids(text)
    before, after = ([], []) if adds_to_each else around(tokenizer)
    ids = (tokenizer.encode_ids(part, add_special_tokens=adds_to_each) for part in parts)
    return [*before, *(one for part in ids for one in part), *after]


def _unit_by_unit(half: str, text: str) -> str:
    """What UTF-8 makes of half a character above U+FFFF: "?" in Java, U+FFFD in JavaScript and C#."""
    return _ABOVE_UTF_16.sub(half * 2, text)


def _without(contents: Sequence[str], text: str) -> str:
    for content in contents:
        text = text.replace(content, "")
    return text
