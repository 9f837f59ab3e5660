"""A split pattern with one thing edited: an alternative, a quantifier, a class or a member of it, a flag, an order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

_QUANTIFIERS = ("", "?", "*", "+", "{1,2}", "{1,3}", "{1,4}")
_CLASSES = {
    r"\p{L}": (r"\p{L}\p{M}", r"\p{L}_", r"\p{L}'", r"\p{L}\-", r"\p{L}\p{N}", r"\p{Lu}\p{Ll}", "a-zA-Z", r"\w"),
    r"\p{N}": (r"\p{Nd}", "0-9"),
    r"\s": (" ", " \\t", " \\t\\r\\n"),
    r"\r\n": ("\\n", "\\r"),
    r"\n": (),
    r"\r": (),
    r"\p{M}": (),
    r"\p{Lu}": (r"\p{L}",),
    r"\p{Ll}": (r"\p{L}",),
    "_": (),
}
"""The members of a class, and what is written in their place; every one may be left out of a class with others."""
_MEMBER = re.compile(r"\\r\\n|\\[pP]\{[^}]*\}|\\.|.", re.DOTALL)
_ATOM = re.compile(r"\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\.|[^()|\\]", re.DOTALL)
_QUANTIFIER = re.compile(r"[?*+]|\{\d*,?\d*\}")
_LONGEST, _MOST_GROUPS = 2_000, 60
"""A file from strangers may hold any pattern: edits of a long one, or of one that is nested deep, would not end."""
_LOOKS = ("(?!", "(?=", "(?<!", "(?<=")

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit of a pattern. rule: what it is. pattern: what is left."""

    rule: str
    pattern: str


def edits(pattern: str) -> Iterator[Edit]:
    r"""Every pattern that one edit makes of another, with what the edit is.

    pattern: for Oniguruma, with greedy quantifiers; of one that is longer or has more groups than those of published
        models, nothing is made.

    >>> [(one.rule, one.pattern) for one in edits(r"a|b")]  # doctest: +NORMALIZE_WHITESPACE
    [('the pattern has “b” before “a”', 'b|a'), ('the pattern lacks “a”', 'b'), ('the pattern lacks “b”', 'a')]
    """
    if len(pattern) > _LONGEST or pattern.count("(") > _MOST_GROUPS:
        return
    given = {pattern}
    for rule, other in _of_alternatives(pattern):
        if other not in given:
            given.add(other)
            yield Edit(f"the pattern {rule}", other)


def _of_alternatives(pattern: str) -> Iterator[tuple[str, str]]:
    alternatives = _split(pattern)
    for index in range(len(alternatives) - 1):
        one, other = alternatives[index : index + 2]
        swapped = [*alternatives[:index], other, one, *alternatives[index + 2 :]]
        yield f"has “{other}” before “{one}”", "|".join(swapped)
    for index, one in enumerate(alternatives):
        for rule, changed in _of_alternative(one):
            yield rule or f"has “{changed}” for “{one}”", "|".join(_with(alternatives, index, changed))
    for index, one in enumerate(alternatives if len(alternatives) > 1 else ()):
        yield f"lacks “{one}”", "|".join(alternatives[:index] + alternatives[index + 1 :])


def _of_alternative(alternative: str) -> Iterator[tuple[str, str]]:
    """The rule, "" where the alternative says enough, and what it becomes."""
    parts = _parts(alternative)
    for index, (atom, quantifier) in enumerate(parts):
        if quantifier in ("?", "*") or atom.startswith(_LOOKS):
            yield "", _joined(_with(parts, index, ("", "")))
        if not atom.startswith(_LOOKS):
            for other in _QUANTIFIERS if quantifier or not _is_letter(atom) else ():
                yield "", _joined(_with(parts, index, (atom, other)))
        for rule, other in _of_atom(atom):
            yield rule, _joined(_with(parts, index, (other, quantifier)))


def _is_letter(atom: str) -> bool:
    """Whether it is one of a word that the pattern spells out, such as a contraction."""
    return atom == "'" or (len(atom) == 1 and atom.isalnum())


def _of_atom(atom: str) -> Iterator[tuple[str, str]]:
    if atom.startswith("("):
        start = re.match(r"\((?:\?(?:[a-z]*:|<?[=!]))?", atom)
        assert start is not None
        if "i:" in start[0]:
            yield "", atom.replace("i:", ":", 1)
        for rule, inner in _of_alternatives(atom[start.end() : -1]):
            yield rule, f"{start[0]}{inner})"
        return
    head, body, tail = ("[", atom[1:-1], "]") if atom.startswith("[") else ("", atom, "")
    if body.startswith("^"):
        head, body = "[^", body[1:]
    members = _MEMBER.findall(body)
    for index, member in enumerate(members):
        if member in _CLASSES and len(members) > 1:
            yield "", head + "".join(_with(members, index, "")) + tail
        for other in _CLASSES.get(member, ()):
            inside = "".join(_with(members, index, other))
            yield "", (head or "[") + inside + (tail or "]")


def _with(some: Sequence[Item], index: int, other: Item) -> list[Item]:
    return [*some[:index], other, *some[index + 1 :]]


def _joined(parts: Sequence[tuple[str, str]]) -> str:
    return "".join(atom + quantifier for atom, quantifier in parts)


def _split(pattern: str) -> list[str]:
    """The alternatives of a pattern.

    >>> _split(r"(?:a|b)c|[|]d|e")
    ['(?:a|b)c', '[|]d', 'e']
    """
    alternatives = [""]
    for atom, quantifier in _parts(pattern):
        if atom == "|":
            alternatives.append("")
        else:
            alternatives[-1] += atom + quantifier
    return alternatives


def _parts(pattern: str) -> list[tuple[str, str]]:
    """The atoms of a pattern, groups whole, each with its quantifier.

    >>> _parts(r"(?:a|b)?[^c]+d")
    [('(?:a|b)', '?'), ('[^c]', '+'), ('d', '')]
    """
    parts: list[tuple[str, str]] = []
    place = 0
    while place < len(pattern):
        stop = _end_of_atom(pattern, place)
        quantifier = _QUANTIFIER.match(pattern, stop)
        end = quantifier.end() if quantifier and pattern[place] != "|" else stop
        parts.append((pattern[place:stop], pattern[stop:end]))
        place = end
    return parts


def _end_of_atom(pattern: str, place: int) -> int:
    found = _ATOM.match(pattern, place)
    if found is not None:
        return found.end()
    if pattern[place] != "(":
        return place + 1
    stop = place + 1
    while stop < len(pattern) and pattern[stop] != ")":
        stop = _end_of_atom(pattern, stop)
    return stop + 1
