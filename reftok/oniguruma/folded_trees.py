"""Trees that say by their classes what a pattern means without regard to case."""

from __future__ import annotations

from dataclasses import replace

import regex

from reftok.oniguruma.case_folding import folded_characters, folded_parts, foldings
from reftok.oniguruma.members import written
from reftok.oniguruma.syntax_tree import (
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


def folded(node: Node, behind: bool = False) -> Node:
    """A tree in which nothing ignores case.

    behind: whether it stands in a lookbehind, where one character of a literal stands for one only.

    >>> folded(Literal("a", ignore_case=True))
    CharacterClass(members=Ranges(ranges=((65, 65), (97, 97))), ignore_case=False)
    """
    match node:
        case Literal(text, True):
            alone = [_either(_any_of(one), [several] * bool(several)) for one, several in folded_parts(text, behind)]
            return alone[0] if len(alone) == 1 else Sequence(tuple(alone))
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
    compiled = regex.compile(written(members, exact=True), regex.V1)
    found = {*compiled.findall(folded_characters())}
    groups = [*foldings().alike.values(), *foldings().sharing.values()]
    more = {other for group in groups if not found.isdisjoint(group) for other in group} - found
    several = [folded for folded, group in foldings().sharing.items() if not found.isdisjoint(group)]
    added = Ranges(tuple((ord(character), ord(character)) for character in sorted(more)))
    return Union((members, added)) if more else members, sorted(several, key=len)


def _either(one: Node, severals: list[str]) -> Node:
    """One character, or the several that it folds to, each with those alike."""
    alike = foldings().alike
    sequences = (Sequence(tuple(_any_of(alike.get(character, character)) for character in text)) for text in severals)
    return Alternation((one, *sequences)) if severals else one


def _any_of(characters: str) -> Node:
    return CharacterClass(Ranges(tuple((ord(character), ord(character)) for character in sorted(characters))))
