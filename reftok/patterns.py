r"""Regular expressions of tokenizer.json, which are Oniguruma's (Ruby syntax), run by the package `regex`.

What differs in meaning is translated; what is not known to mean the same in both is refused by name. The differences
that patterns of published models come near to:

- `^` and `$` match at every line, but `^` not after a line feed that ends the text.
- `{1,3}+` repeats the interval, it is not possessive; `{2}?` makes it optional, not lazy.
- `[` inside a class opens another class; `(?m:.)` matches a line feed.
- Without regard to case, `ss` matches `ß` and the other way round.
- An empty match that follows a match directly is skipped, together with the place where it was found.
"""

from __future__ import annotations

from functools import cache, lru_cache

import regex

from reftok.errors import UnsupportedFeature
from reftok.text import Match
from reftok.types import Span
from reftok.unicode import as_of_16

_LINE_START = r"(?:\A|(?<=\n)(?!\Z))"

_CATEGORIES = (
    "L|Lu|Ll|Lt|Lm|Lo|M|Mn|Mc|Me|N|Nd|Nl|No|P|Pc|Pd|Ps|Pe|Pi|Pf|Po|S|Sm|Sc|Sk|So|Z|Zs|Zl|Zp|C|Cc|Cf|Cn|Co"
    "|Han|Hiragana|Katakana|Hangul|Latin|Greek|Cyrillic|Arabic|Hebrew|Thai|Devanagari"
)
_ESCAPE = rf"\\(?:[sSdDnrtfv]|[pP]\{{\^?(?:{_CATEGORIES})\}}|x[0-7][0-9A-Fa-f]|u[0-9A-Fa-f]{{4}}|[^0-9A-Za-z])"
_TOKEN = regex.compile(
    rf"(?P<known>{_ESCAPE}|\(\?(?:i?:|=|!|<=|<!|>)|\((?!\?)|\{{(?:\d+(?:,\d*)?|,\d+)\}}(?!\+)(?:(?<=,\d*\}})\?|(?!\?)))"
    rf"|(?P<class>\[\^?\]?(?:{_ESCAPE}|&(?!&)|[^\]\\\[&])*\])"
    r"|(?P<line_start>\^)"
    r"|(?P<brace>\{(?!\d+(?:,\d*)?\}|,\d+\}))"
    r"|(?P<plain>[^\\\[({^])",
    regex.DOTALL,
)
_FLAGS_FOR_ALL = "(?i)"
_LAST_THAT_FOLDS_TO_SEVERAL = "\ufb17"


@lru_cache(maxsize=256)
def compile_oniguruma(pattern: str) -> regex.Pattern[str]:
    r"""The compiled pattern.

    Raises UnsupportedFeature for syntax whose meaning is not known to be the same in both.

    >>> compile_oniguruma(r"\p{N}{1,3}+")
    Traceback (most recent call last):
    reftok.errors.UnsupportedFeature: pattern '\\p{N}{1,3}+': not known to mean the same in Python: '{1,3}+'
    """
    try:
        return regex.compile(_translated(pattern), regex.MULTILINE)
    except regex.error as error:
        raise UnsupportedFeature("", f"pattern {pattern!r}", f"not understood: {error}") from None


def _translated(pattern: str) -> str:
    """The pattern in the syntax of `regex`."""
    if "(?i" in pattern and (folding := next(filter(pattern.casefold().__contains__, _foldings()), None)):
        raise _unknown(pattern, f"{folding} without regard to case")
    parts: list[str] = []
    position = 0
    if pattern.startswith(_FLAGS_FOR_ALL):
        parts.append(_FLAGS_FOR_ALL)
        position = len(_FLAGS_FOR_ALL)
    while position < len(pattern):
        token = _TOKEN.match(pattern, position)
        if token is None:
            raise _unknown(pattern, repr(pattern[position : position + 6]))
        match token.lastgroup:
            case "line_start":
                parts.append(_LINE_START)
            case "brace":
                parts.append(r"\{")
            case _:
                parts.append(token.group())
        position = token.end()
    return "".join(parts)


@cache
def _foldings() -> frozenset[str]:
    """What characters become that become several characters when case is folded."""
    folded = (chr(code).casefold() for code in range(ord(_LAST_THAT_FOLDS_TO_SEVERAL) + 1))
    return frozenset(text for text in folded if len(text) > 1)


def _unknown(pattern: str, what: str) -> UnsupportedFeature:
    return UnsupportedFeature("", f"pattern {pattern!r}", f"not known to mean the same in Python: {what}")


def pattern_matches(pattern: regex.Pattern[str], text: str) -> list[Match]:
    r"""The matches of a pattern and the gaps between them, with the classes of Unicode 16.

    Source: `impl Pattern for &SysRegex`, tokenizers 0.23 tokenizer/pattern.rs.

    >>> pattern_matches(compile_oniguruma(r"\p{N}"), "a12")
    [(0, 1, False), (1, 2, True), (2, 3, True)]
    """
    if not text:
        return [(0, 0, False)]
    matches: list[Match] = []
    covered = 0
    for start, end in _spans(pattern, as_of_16(text)):
        if start != covered:
            matches.append((covered, start, False))
        matches.append((start, end, True))
        covered = end
    if covered != len(text):
        matches.append((covered, len(text), False))
    return matches


def _spans(pattern: regex.Pattern[str], text: str) -> list[Span]:
    spans = [match.span() for match in pattern.finditer(text)]
    return _spans_with_empty_ones(pattern, text) if any(start == end for start, end in spans) else spans


def _spans_with_empty_ones(pattern: regex.Pattern[str], text: str) -> list[Span]:
    """The matches where some are empty, as the crate onig iterates over them (`FindMatches::next`)."""
    spans: list[Span] = []
    position = 0
    while position <= len(text) and (match := pattern.search(text, position)) is not None:
        if match.start() == match.end() and spans and spans[-1][1] == match.end():
            position += 1
        else:
            spans.append(match.span())
            position = match.end()
    return spans
