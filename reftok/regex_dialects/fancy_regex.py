r"""Regular expressions of tiktoken, which are those of the Rust crate fancy-regex, run by the package `regex`.

Syntax that is known to mean the same in both is accepted; the rest is refused by name, with its place. Differences that
published patterns come near to:

- `$` is the end of the text, not the place before a last line feed.
- `&&` in a class is the intersection of both sides, and `[` opens another class: `regex` reads that in version 1 only.
- Without regard to case, `regex` matches `İ` with `i`, and in version 1 `ß` with `ss`.
- `\<` and `\h` mean something else; `--`, `~~` and POSIX classes are not supported here.

Source: fancy-regex 0.13 parse.rs, regex-syntax 0.8 ast/parse.rs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import regex

from reftok.errors import UnsupportedFeature
from reftok.regex_dialects.oniguruma.analysis import check, may_be_empty
from reftok.regex_dialects.oniguruma.parser import parse
from reftok.regex_dialects.pattern import Pattern, rust_as_oniguruma, rust_pattern

_PROPERTIES = (
    "L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl Zp Cc Cf "
    "Arabic Armenian Bengali Bopomofo Cyrillic Devanagari Ethiopic Georgian Greek Han Hangul Hebrew Hiragana Katakana "
    "Khmer Lao Latin Myanmar Tamil Thai Tibetan"
)
"""Properties with the same members in both, checked over all scalar values."""

_ESCAPE = (
    r"\\(?:[rntf]|x[0-7][0-9A-Fa-f]|u(?![dD][89A-Fa-f])[0-9A-Fa-f]{4}|[!-/:;=?@\[-`{-~])"
    rf"|(?P<set>\\(?:[sSdDwW]|[pP](?:[LMNPSZ]|\{{(?:{_PROPERTIES.replace(' ', '|')})\}})))"
)
_OUTSIDE = regex.compile(
    rf"(?P<opens>\((?:\?(?:[:=!>]|<[=!]|i:))?)|(?P<closes>\))|(?P<or>\|)|(?P<end>\$)|(?P<start>\^)"
    r"|(?P<repeats>(?:[*+?]|\{\d{1,4}(?:,\d{0,4})?\})[+?]?)"
    rf"|(?P<class>\[\^?)|(?P<one>{_ESCAPE}|[^\\\[\]{{}}])"
)
_INSIDE = regex.compile(
    rf"(?P<class>\[(?!:)\^?)|(?P<closes>\])|(?P<both>&&)|(?P<one>{_ESCAPE}|(?!--|~~|\|\|)[^\\\[\]^])"
)


@lru_cache(maxsize=64)
def compile_fancy_regex(pattern: str) -> Pattern:
    r"""The pattern of an expression of fancy-regex.

    Raises UnsupportedFeature for what that crate refuses, for what is not known to be reproduced, and for a pattern
    that may match nothing: tiktoken panics over an empty match.

    >>> compile_fancy_regex(r"[\p{L}&&[^\p{Han}]]+").compiled.findall("ab汉c")
    ['ab', 'c']
    >>> compile_fancy_regex(r"\bword")
    Traceback (most recent call last):
    reftok.errors.UnsupportedFeature: pattern '\\bword': at character 0, '\\bw': is not known to be reproduced
    """
    try:
        written, version = _translated(pattern)
        tree = parse(rust_as_oniguruma(written))
        check(pattern, tree)
        if may_be_empty(tree):
            raise UnsupportedFeature("", f"pattern {pattern[:200]!r}", "may match nothing")
        return rust_pattern(regex.compile(written, version))
    except regex.error as error:
        raise UnsupportedFeature("", f"pattern {pattern[:200]!r}", f"not understood: {error}") from None
    except RecursionError:
        raise UnsupportedFeature("", f"pattern {pattern[:60]!r}", "is nested too deeply") from None


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of an expression. kind: the name of a group of _OUTSIDE or _INSIDE."""

    kind: str
    text: str
    start: int
    is_in_class: bool


def _parts(pattern: str) -> Iterator[_Part]:
    """The parts of an expression. A class or a group without an end is for `regex` to refuse."""
    place, depth = 0, 0
    while place < len(pattern):
        found = (_INSIDE if depth else _OUTSIDE).match(pattern, place)
        if found is None:
            raise _unknown(pattern, place)
        kind = next(name for name, text in found.groupdict().items() if text is not None and name != "set")
        yield _Part("set" if found["set"] else kind, found[0], place, depth > 0)
        depth += (kind == "class") - (kind == "closes" and depth > 0)
        place = found.end()


def _translated(pattern: str) -> tuple[str, int]:
    """The expression for `regex`, and the version of its syntax."""
    parts = [*_parts(pattern)]
    has_sets = any(part.is_in_class and part.kind in ("class", "both") for part in parts)
    groups: list[str] = []
    before = _Part("or", "", 0, False)
    for part in parts:
        if _is_doubtful(part, before, groups, has_sets):
            raise _unknown(pattern, part.start)
        if part.kind == "opens":
            groups.append(part.text)
        elif part.kind == "closes" and not part.is_in_class:
            if not groups:
                raise _unknown(pattern, part.start)
            # Only a group that is no lookaround may be repeated.
            is_repeatable = groups.pop() in ("(", "(?:", "(?i:", "(?>")
            part = _Part("one" if is_repeatable else "or", part.text, part.start, False)
        before = part
    # `$` of `regex` also matches before a last line feed.
    written = (r"\Z" if part.kind == "end" else part.text for part in parts)
    return "".join(written), regex.V1 if has_sets else regex.V0


def _is_doubtful(part: _Part, before: _Part, groups: list[str], has_sets: bool) -> bool:
    """Whether a part may mean something else to `regex` at its place. before: the part before it."""
    if part.kind == "repeats" and not part.is_in_class:
        return before.kind in ("opens", "or", "end", "start", "repeats")
    if "(?i:" not in groups:
        return False
    if part.kind in ("set", "both"):
        return True
    if part.kind == "class":
        return part.text != "[" or has_sets
    if part.kind != "one":
        return False
    is_letter = part.text.isalpha()
    # Version 1 folds `ss` to `ß` and `f` with what follows to a ligature.
    folds = has_sets and is_letter and (part.text in "fF" or (before.kind == "one" and before.text in "sS"))
    return not part.text.isascii() or part.text in ("i", "I") or (part.is_in_class and not is_letter) or folds


def _unknown(pattern: str, place: int) -> UnsupportedFeature:
    where = f"pattern {pattern[:200]!r}: at character {place}, {pattern[place : place + 3]!r}"
    return UnsupportedFeature("", where, "is not known to be reproduced")
