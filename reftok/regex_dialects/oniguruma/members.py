r"""Classes in the syntax of `regex`: as they stand, or exact for Unicode 16 whatever version `regex` has.

The plain form, `\p{L}`, is fast, and right for every text without the characters that `suspects` names. The exact form
takes out of a property what has become its member since 16, and puts back what has left it.

Without regard to case a letter or a class stands for all that are alike. Source:
`onigenc_unicode_get_case_fold_codes_by_str` and `onigenc_unicode_apply_all_case_fold` of Oniguruma, unicode.c, and
`unravel_case_fold_string`, regcomp.c.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

import regex

from reftok.regex_dialects.oniguruma.syntax_tree import (
    Alternation,
    Atomic,
    Capture,
    CharacterClass,
    Complement,
    Conditional,
    Group,
    Intersection,
    Literal,
    Lookaround,
    Members,
    Node,
    Property,
    Ranges,
    Repeat,
    Sequence,
    Union,
)
from reftok.unicode.characters import character_class, newer_than_16
from reftok.unicode.characters import members as characters_of
from reftok.unicode.ranges import as_ranges, ranges_of
from reftok.unicode.tables import EXTENDED_PICTOGRAPHIC_IN_16, UNASSIGNED_IN_16

_LAST = 0x10FFFF
_EVERYTHING = r"\x00-\U0010FFFF"
"""Written out because `regex` loses the negation of a class with `\\s` and `\\S` in it."""
_NOTHING = r"[^\x00-\U0010FFFF]"
_UNCHANGED = frozenset({"any", "patsyn", "patternsyntax"})
_OF_UNASSIGNED = frozenset({"c", "other", "cn", "unassigned", "zzzz", "unknown"})
_WRITTEN = {
    "space": r"\s",
    "digit": r"\d",
    "newline": r"\n",
    "idc": r"\p{IDContinue}",
    "vs": r"\p{VariationSelector}",
    "xdigit": "[0-9A-Fa-f]",
    "word": r"[\w--[\u200C\u200D]]",
    "posixpunct": r"[\p{P}\p{S}]",
}
"""What `regex` calls by another name, or takes for something else."""

_LEFT_SINCE_16 = dict.fromkeys(["cased", "casedletter", "lc", "ll", "lower", "lowercase", "lowercaseletter"], "295")
"""Members of 16 that a later version has removed."""
_JOINED_SINCE_16 = {
    **dict.fromkeys(["lo", "otherletter"], "295"),
    **dict.fromkeys(["changeswhencasemapped", "changeswhentitlecased"], "277 27C A7D3 A7D5 AB4B-AB4C"),
    **dict.fromkeys(["changeswhenuppercased", "cwcm", "cwt", "cwu"], "277 27C A7D3 A7D5 AB4B-AB4C"),
    **dict.fromkeys(["dia", "diacritic"], "5A2 5C5 5C7 656 6E2 8D3 1D9B-1DBE"),
}
"""What was assigned in 16, but has become a member later."""


def written(members: Members, exact: bool) -> str:
    r"""A class that stands for itself.

    >>> written(Complement(Union((Property("space"), Ranges(((97, 122),))))), exact=False)
    '[^\\sa-z]'
    """
    match members:
        case Property(name):
            return _property(name, exact)
        case Complement(Property("space" | "digit" as name)) if not exact:
            return _WRITTEN[name].upper()
        case Complement(Union((only,))):
            return written(Complement(only), exact)
        case Complement(Complement(inner)):
            return written(inner, exact)
        case Complement(inner):
            return f"[^{_content(inner, exact)}]"
        case Intersection(parts):
            return f"[{'&&'.join(f'[{_content(part, exact)}]' for part in parts)}]"
        case Ranges(((first, last),)) if first == last <= _LAST:
            return escaped(chr(first))
        case _:
            return f"[{_content(members, exact)}]"


def _content(members: Members, exact: bool) -> str:
    """The text between the brackets of a class."""
    match members:
        case Union(parts) if parts:
            parts = _dissolved(parts)
            negated = tuple(part.members for part in parts if isinstance(part, Complement))
            if any({*_dissolved([inner])} <= {*parts} for inner in negated):
                return _EVERYTHING
            if len(negated) > 1:
                # `regex` takes `[[^a][^b]]` for `[^ab]`, so what several parts leave out is written as one part.
                others = (part for part in parts if not isinstance(part, Complement))
                parts = (*others, Complement(Intersection(negated)))
            return "".join(_content(part, exact) for part in parts)
        case Ranges(ranges):
            return "".join(_range(first, min(last, _LAST)) for first, last in ranges if first <= _LAST) or _NOTHING
        case Union():
            return _NOTHING
        case _:
            return written(members, exact)


def _dissolved(parts: Iterable[Members]) -> tuple[Members, ...]:
    """The parts, those of unions among them one by one, also where a union has been negated twice."""
    dissolved: list[Members] = []
    for part in parts:
        match part:
            case Union(inner):
                dissolved += _dissolved(inner)
            case Complement(Complement(inner)) | Complement(Union((Complement(inner),))):
                dissolved += _dissolved((inner,))
            case _:
                dissolved.append(part)
    return tuple(dissolved)


def _range(first: int, last: int) -> str:
    return escaped(chr(first)) if first == last else f"{escaped(chr(first))}-{escaped(chr(last))}"


def escaped(text: str) -> str:
    r"""Characters that stand for themselves, inside and outside of brackets.

    >>> escaped("a-é ")
    'a\\-é\\ '
    """
    return "".join(map(_escaped_character, text))


def _escaped_character(character: str) -> str:
    if character.isalnum() or character in "'\"/_,%@!`":
        return character
    if character.isprintable() and character.isascii():
        return "\\" + character
    return f"\\U{ord(character):08X}"


def _is_block(name: str) -> bool:
    """Whether a property is a block, which has the code points that are not assigned as well, in every version."""
    return name.startswith("in") and not name.startswith(("inherited", "inscriptional"))


@cache
def _property(name: str, exact: bool) -> str:
    if name in ("extpict", "extendedpictographic"):
        return _class(ranges_of(EXTENDED_PICTOGRAPHIC_IN_16))
    plain = _WRITTEN.get(name, rf"\p{{{name}}}")
    if not exact or name in _UNCHANGED or _is_block(name):
        return plain
    newer = "".join(newer_than_16())
    if name in _OF_UNASSIGNED:
        return f"[{plain}{_class(as_ranges(map(ord, newer)))}]"
    joined = _class(as_ranges(map(ord, regex.findall(plain, newer, regex.V1))))
    joined += _class(ranges_of(_JOINED_SINCE_16.get(name, "")))
    left = _class(ranges_of(_LEFT_SINCE_16.get(name, "")))
    kept = f"[{plain}--[{joined}]]" if joined else plain
    return f"[{kept}{left}]" if left else kept


def _class(ranges: Iterable[tuple[int, int]]) -> str:
    """A class of code points, "" for none."""
    found = tuple(ranges)
    return written(Ranges(found), exact=False) if found else ""


def suspects(names: Iterable[str]) -> frozenset[str]:
    """The characters for which the plain form of a class with these properties may be wrong."""
    named = set(names)
    changed = " ".join(table.get(name, "") for name in named for table in (_JOINED_SINCE_16, _LEFT_SINCE_16))
    return newer_than_16() | characters_of(changed) if named else frozenset()


def is_within_ascii(members: Members) -> bool:
    """Whether no member is beyond ASCII. That looks at every code point: tens of milliseconds.

    >>> is_within_ascii(Property("ascii")), is_within_ascii(Property("alpha"))
    (True, False)
    """
    return regex.search(written(members, exact=True), "".join(map(chr, range(0x80, _LAST + 1))), regex.V1) is None


# --- without regard to case

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
