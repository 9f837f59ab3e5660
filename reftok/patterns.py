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

from collections.abc import Iterator
from functools import cache, lru_cache

import regex

from reftok.errors import InvalidText, UnsupportedFeature
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
_LOOKAROUNDS = frozenset({"(?=", "(?!", "(?<=", "(?<!"})
_ENDLESS = regex.compile(r"[*+]|\{\d+,\}")
_QUANTIFIER = regex.compile(r"[*+?]|\{\d*,?\d*\}")
_MOST_ENDLESS = 2
_PATIENCE = 5.0
"""Seconds of processor time that a pattern may take, and one more for each of so many characters:"""
_CHARACTERS_PER_SECOND = 10_000


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
    except RecursionError:
        raise UnsupportedFeature("", f"pattern {pattern[:60]!r}", "is nested too deeply") from None


def may_match_nothing(pattern: str) -> bool:
    r"""Whether the pattern could have an empty match somewhere, granted what its lookarounds ask for.

    >>> may_match_nothing("a*"), may_match_nothing(r"x|(?=b)"), may_match_nothing(r"\s+(?!\S)")
    (True, True, False)
    """
    granted = _TOKEN.sub(lambda token: "(?:|" if token.group() in _LOOKAROUNDS else token.group(), pattern)
    return compile_oniguruma(granted).match("") is not None


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
    Raises InvalidText where the pattern takes too long on this text.

    >>> pattern_matches(compile_oniguruma(r"\p{N}"), "a12")
    [(0, 1, False), (1, 2, True), (2, 3, True)]
    """
    if not text:
        return [(0, 0, False)]
    matches: list[Match] = []
    covered = 0
    for start, end in _timed_spans(pattern, as_of_16(text)):
        if start != covered:
            matches.append((covered, start, False))
        matches.append((start, end, True))
        covered = end
    if covered != len(text):
        matches.append((covered, len(text), False))
    return matches


def _timed_spans(pattern: regex.Pattern[str], text: str) -> list[Span]:
    """The spans of the matches. Only a pattern that may run away is timed: that costs a microsecond a match."""
    if not may_run_away(pattern.pattern):
        return _spans(pattern, text, None)
    try:
        return _spans(pattern, text, _PATIENCE + len(text) / _CHARACTERS_PER_SECOND)
    except TimeoutError:
        raise InvalidText(
            f"the pattern {pattern.pattern[:200]!r} takes too long on this text of {len(text)} characters"
        ) from None


@lru_cache(maxsize=256)
def may_run_away(pattern: str) -> bool:
    r"""Whether it repeats a group, or has more than two endless repetitions in one alternative.

    Without that the time grows with the cube of the text at worst. The patterns of GPT-2, Qwen, DeepSeek
    and tiktoken are without.

    >>> may_run_away(r"\s*[\r\n]+|a+"), may_run_away("(a|b)*"), may_run_away("a*a*a*b")
    (False, True, True)
    """
    endless, depth, previous = 0, 0, ""
    for token in _tokens(pattern.removeprefix(_FLAGS_FOR_ALL)):
        if _ENDLESS.fullmatch(token) and not _QUANTIFIER.fullmatch(previous):
            endless += 1
            if previous == ")" or endless > _MOST_ENDLESS:
                return True
        elif previous == ")" and token.startswith("{"):
            return True
        depth += token.startswith("(")
        depth -= token == ")"
        if token == "|" and depth == 0:
            endless = 0
        previous = token
    return False


def _tokens(pattern: str) -> Iterator[str]:
    return (token.group() for token in _TOKEN.finditer(pattern))


def _spans(pattern: regex.Pattern[str], text: str, timeout: float | None) -> list[Span]:
    spans = [match.span() for match in pattern.finditer(text, timeout=timeout)]
    return _spans_with_empty_ones(pattern, text, timeout) if any(start == end for start, end in spans) else spans


def _spans_with_empty_ones(pattern: regex.Pattern[str], text: str, timeout: float | None) -> list[Span]:
    """The matches where some are empty, as the crate onig iterates over them (`FindMatches::next`)."""
    spans: list[Span] = []
    position = 0
    while position <= len(text) and (match := pattern.search(text, position, timeout=timeout)) is not None:
        if match.start() == match.end() and spans and spans[-1][1] == match.end():
            position += 1
        else:
            spans.append(match.span())
            position = match.end()
    return spans
