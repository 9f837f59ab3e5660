"""Ways to strip a text: at which end, and what, for each language takes other characters for white space."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from conformance.causes.edits.white_space import ASCII_WHITE_SPACE, WHITE_SPACES
from reftok.unicode.characters import WHITE_SPACE

STRIPPED: Mapping[str, frozenset[str]] = {
    "": WHITE_SPACES["Python"],
    " as in Go and Rust and C#": WHITE_SPACE,
    " as in C and Python's bytes": ASCII_WHITE_SPACE,
    " as in ECMAScript": WHITE_SPACES["ECMAScript"],
    " as in Java's strip": WHITE_SPACES["Java"],
    " as in Java's trim": frozenset(map(chr, range(0x21))),
    " as in Kotlin": WHITE_SPACES["Kotlin"],
    " as in Swift": WHITE_SPACE | {"\u200b"},
}
"""What a rule ends in to what is stripped; the rule of `str.strip` of Python names no language.

Sources: `strings.TrimSpace` of Go, `str::trim` of Rust, `String.Trim` of C#; `isspace` of C in its own locale;
TrimString of ECMA-262; `String.strip` and `String.trim` of Java; `CharSequence.trim` of Kotlin;
`.whitespacesAndNewlines` of Swift, whose library (CFUniChar.c) has U+200B in the set, which its documentation has not.
"""


_SIDES: tuple[tuple[str, Callable[[str, str], str]], ...] = (
    ("end", str.rstrip),
    ("start", str.lstrip),
    ("ends", str.strip),
)


def strippings() -> Iterator[tuple[str, Callable[[str], str]]]:
    r"""Rule, and the text that is left; what every language strips comes first as Python does it.

    >>> dict(strippings())["white space at the start is stripped as in Java's trim"]("\x01 a ")
    'a '
    """
    for language, members in STRIPPED.items():
        for side, strip in _SIDES:
            characters = "".join(sorted(members))
            yield f"white space at the {side} is stripped{language}", partial(_stripped, strip, characters)


def _stripped(strip: Callable[[str, str], str], characters: str, text: str) -> str:
    return strip(text, characters)
