"""Matching without regard to case, in Unicode 16: by classes of all the letters that are alike.

Source: `onigenc_unicode_get_case_fold_codes_by_str` and `onigenc_unicode_apply_all_case_fold` of Oniguruma, unicode.c,
and `unravel_case_fold_string`, regcomp.c.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

import regex

from reftok.regex_dialects.oniguruma.members import written
from reftok.regex_dialects.oniguruma.syntax_tree import (
    Alternation,
    Atomic,
    Capture,
    CharacterClass,
    Complement,
    Conditional,
    Group,
    Literal,
    Lookaround,
    Members,
    Node,
    Ranges,
    Repeat,
    Sequence,
    Union,
)
from reftok.unicode.characters import character_class
from reftok.unicode.tables import UNASSIGNED_IN_16

_LAST_CASED = 0x1E943
"""No code point beyond it has a folding."""
_SINCE_14 = {0x1C89: 0x1C8A, 0xA7CB: 0x264, 0xA7CC: 0xA7CD, 0xA7DA: 0xA7DB, 0xA7DC: 0x19B} | {
    capital: capital + 0x20 for capital in range(0x10D50, 0x10D66)
}
"""Foldings that the oldest supported Python, with its Unicode 14, does not know."""
_LONGEST = 3


@dataclass(frozen=True, slots=True)
class Foldings:
    """The case folding of Unicode 16.

    alike: for each character that another one folds to, or that folds to one, all that fold to the same.
    sharing: for each folding of several characters, such as `ss`, those that fold to it.
    """

    alike: dict[str, str]
    sharing: dict[str, str]


@cache
def foldings() -> Foldings:
    """The tables.

    >>> foldings().alike["s"], foldings().sharing["ss"]
    ('sSſ', 'ßẞ')
    """
    unassigned = regex.compile(character_class(UNASSIGNED_IN_16))
    alike: dict[str, str] = {}
    sharing: dict[str, str] = {}
    for character in map(chr, range(_LAST_CASED + 1)):
        folded = chr(_SINCE_14[ord(character)]) if ord(character) in _SINCE_14 else character.casefold()
        if folded != character and not unassigned.match(character):
            group = sharing if len(folded) > 1 else alike
            group[folded] = group.get(folded, folded if len(folded) == 1 else "") + character
    return Foldings({character: group for group in alike.values() for character in group}, sharing)


def folded(node: Node, behind: bool = False) -> Node:
    """A tree in which nothing ignores case.

    behind: whether it stands in a lookbehind, where one character of a literal stands for one only.

    >>> folded(Literal("a", ignore_case=True))
    CharacterClass(members=Ranges(ranges=((65, 65), (97, 97))), ignore_case=False)
    """
    match node:
        case Literal(text, True):
            parts = _literal(text, single=behind)
            return parts[0] if len(parts) == 1 else Sequence(tuple(parts))
        case CharacterClass(members, True):
            members, severals = without_case(members)
            return _either(CharacterClass(members), severals)
        case Sequence(parts):
            return Sequence(tuple(folded(part, behind) for part in parts))
        case Alternation(branches):
            return Alternation(tuple(folded(branch, behind) for branch in branches))
        case Group(body) | Capture(_, body) | Atomic(body) | Repeat(body):
            return replace(node, body=folded(body, behind))
        case Lookaround(body, is_behind):
            return replace(node, body=folded(body, is_behind))
        case Conditional(condition, then, otherwise):
            asked = condition if isinstance(condition, int) else folded(condition, behind)
            return Conditional(asked, folded(then, behind), folded(otherwise, behind))
        case _:
            return node


def without_case(members: Members) -> tuple[Members, list[str]]:
    """A class without regard to case: with the characters alike, and the foldings to several of its members.

    A class that is negated is so at last, and then matches no several characters.

    >>> without_case(Ranges(((0xDF, 0xDF),)))
    (Union(parts=(Ranges(ranges=((223, 223),)), Ranges(ranges=((7838, 7838),)))), ['ss'])
    """
    if isinstance(members, Complement):
        return Complement(without_case(members.members)[0]), []
    known = foldings()
    groups = [*known.alike.values(), *known.sharing.values()]
    compiled = regex.compile(written(members, exact=True), regex.V1)
    found = {*compiled.findall("".join({*"".join(groups)}))}
    more = {other for group in groups if not found.isdisjoint(group) for other in group} - found
    several = [folded for folded, group in known.sharing.items() if not found.isdisjoint(group)]
    return Union((members, _ranges(more))) if more else members, sorted(several, key=len)


def _literal(text: str, single: bool) -> list[Node]:
    """The parts of a literal that are folded as one: `ss` is, unless one character can only stand for one."""
    alike, sharing = foldings().alike, foldings().sharing
    found: list[Node] = []
    position = 0
    while position < len(text):
        character = text[position]
        several = "" if single else _several(text, position)
        own = several or next((folded for folded, group in sharing.items() if character in group), "")
        one = _any_of(sharing.get(own, alike.get(character, character)))
        found.append(_either(one, [own] if own and not single else []))
        position += len(several) or 1
    return found


def _several(text: str, position: int) -> str:
    """The longest folding to several characters that the text has at a position, "" for none."""
    alike = foldings().alike
    folded = "".join(alike.get(character, character)[0] for character in text[position : position + _LONGEST])
    return next((folded[:length] for length in (3, 2) if folded[:length] in foldings().sharing), "")


def _either(one: Node, severals: list[str]) -> Node:
    """One character, or the several that it folds to, each with those alike."""
    alike = foldings().alike
    sequences = (Sequence(tuple(_any_of(alike.get(character, character)) for character in text)) for text in severals)
    return Alternation((one, *sequences)) if severals else one


def _any_of(characters: str) -> Node:
    return CharacterClass(_ranges(characters))


def _ranges(characters: Iterable[str]) -> Ranges:
    return Ranges(tuple((ord(character), ord(character)) for character in sorted(characters)))
