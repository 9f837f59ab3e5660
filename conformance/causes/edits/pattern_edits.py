"""Single edits of a split pattern: of an alternative, a quantifier, a class, a flag, or the order of alternatives."""

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
"""Members of a class and their replacements; a member can also be left out if the class has others."""
_NOT_ASCII = r"\x{80}-\x{10FFFF}"
_MEMBER = re.compile(r"\\r\\n|\\[pP]\{[^}]*\}|\\.|.", re.DOTALL)
_ATOM = re.compile(r"\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\.|[^()|\\]", re.DOTALL)
_QUANTIFIER = re.compile(r"[?*+]|\{\d*,?\d*\}")
_LONGEST, _MOST_GROUPS = 2_000, 60
"""Tokenizer files from strangers may hold any pattern; editing a very long or deeply nested one would take too long."""
_LOOKS = ("(?!", "(?=", "(?<!", "(?<=")

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit. rule: names it. pattern: the pattern after it."""

    rule: str
    pattern: str


def edits(pattern: str) -> Iterator[Edit]:
    r"""All patterns that differ from this one by a single edit.

    pattern: in Oniguruma's syntax, with greedy quantifiers. There are no edits of patterns that are longer or have more
        groups than those of published models.

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
    """Rule and edited alternative; rule is "" if both alternatives are to be quoted in it."""
    parts = _parts(alternative)
    for index, (atom, quantifier) in enumerate(parts):
        if quantifier in ("?", "*") or atom.startswith(_LOOKS):
            yield "", _joined(_with(parts, index, ("", "")))
        if not atom.startswith(_LOOKS):
            exact = (quantifier.replace(",", ""),) if quantifier.endswith(",}") else ()
            for other in (*exact, *_QUANTIFIERS) if quantifier or not _is_letter(atom) else ():
                yield "", _joined(_with(parts, index, (atom, other)))
        for rule, other in _of_atom(atom):
            yield rule, _joined(_with(parts, index, (other, quantifier)))


def _is_letter(atom: str) -> bool:
    """Whether an atom is a letter of a literal word, such as a contraction, where other quantifiers make no sense."""
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
    if head == "[^":
        yield f"limits “{atom}” to ASCII", f"[^{body}{_NOT_ASCII}]"
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
    """Splits a pattern into atoms, each with its quantifier; a group is one atom.

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
