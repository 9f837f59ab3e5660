"""Texts that a syntax tree of a pattern matches, drawn from its classes and repetitions, bounds first."""

from __future__ import annotations

from functools import cache
from random import Random

import regex

from conformance.generators.alphabets import alphabet, by_age
from conformance.generators.base import pick
from reftok.oniguruma.members import written
from reftok.oniguruma.syntax_tree import (
    Alternation,
    AnyCharacter,
    CharacterClass,
    Conditional,
    LineBreak,
    Literal,
    Members,
    Node,
    Repeat,
    children,
)

_MORE = 3
"""An endless repetition is drawn up to so many times more often than it must be."""
_LINE_BREAKS = ("\n", "\r\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029")


def matching_text(node: Node, chance: Random) -> str:
    """A text that the node matches, as far as lookarounds and places allow.

    >>> from reftok.oniguruma.parser import parse
    >>> matching_text(parse("ab(?=c)"), Random(0))
    'ab'
    """
    match node:
        case Literal(text, ignore_case):
            return _in_some_case(text, chance) if ignore_case else text
        case CharacterClass(members):
            return _member(members, chance)
        case AnyCharacter(line_feed):
            return "\n" if line_feed and chance.random() < 0.2 else pick(chance, alphabet())
        case LineBreak():
            return pick(chance, _LINE_BREAKS)
        case Alternation(branches):
            return matching_text(pick(chance, branches), chance)
        case Repeat(body, least, most):
            return "".join(matching_text(body, chance) for _ in range(_times(least, most, chance)))
        case Conditional(_, then, otherwise):
            return matching_text(then if chance.random() < 0.5 else otherwise, chance)
        case _ if type(node).__name__ == "Lookaround":
            return ""
        case _:
            return "".join(matching_text(child, chance) for child in children(node))


def branches_of(tree: Node) -> tuple[Node, ...]:
    """The alternatives of a pattern: those at its top, or the whole where it has none."""
    return tree.branches if isinstance(tree, Alternation) else (tree,)


def _times(least: int, most: int | None, chance: Random) -> int:
    """How often: the bounds and one beyond them are where mistakes are made."""
    if most is None:
        return least + chance.randrange(1 + _MORE)
    return pick(chance, (least, most, chance.randint(least, most), most + (most > 1)))


def _in_some_case(text: str, chance: Random) -> str:
    made = "".join(character.swapcase() if chance.random() < 0.3 else character for character in text)
    return made.replace("s", "ſ").replace("k", "\u212a") if chance.random() < 0.1 else made


def _member(members: Members, chance: Random) -> str:
    ascii_members, others = _members(members)
    pool = ascii_members if ascii_members and (chance.random() < 0.5 or not others) else others
    return pick(chance, pool) if pool else ""


@cache
def _members(members: Members) -> tuple[str, str]:
    """The members among ASCII and among the other characters that are tried."""
    pattern = regex.compile(written(members, exact=True), regex.V1)
    found = pattern.findall(alphabet() + "".join(by_age().values()))
    return "".join(c for c in found if c.isascii()), "".join(c for c in found if not c.isascii())
