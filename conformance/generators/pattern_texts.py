"""Texts that a syntax tree of a pattern matches, drawn from its classes and repetitions, bounds first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import TypeAlias

import regex

from conformance.generators.alphabets import alphabet, by_age
from conformance.generators.base import pick
from reftok.regex_dialects.oniguruma.members import written
from reftok.regex_dialects.oniguruma.syntax_tree import (
    Alternation,
    CharacterClass,
    Conditional,
    Literal,
    Lookaround,
    Members,
    Node,
    Repeat,
    children,
)

Maker: TypeAlias = Callable[[Random], str]

_MORE = 3
"""An endless repetition is drawn up to so many times more often than it must be."""


def text_maker(node: Node) -> Maker:
    """A maker of texts that the node matches, as far as lookarounds and places allow.

    >>> from reftok.regex_dialects.oniguruma.parser import parse
    >>> text_maker(parse("ab(?=c)"))(Random(0))
    'ab'
    """
    match node:
        case Literal(text, ignore_case):
            return (lambda chance: _in_some_case(text, chance)) if ignore_case else (lambda _: text)
        case CharacterClass(members):
            return _member_maker(members)
        case Alternation(branches):
            return _one_of([*map(text_maker, branches)])
        case Repeat(body, least, most):
            repeated = text_maker(body)
            return lambda chance: "".join([repeated(chance) for _ in range(_times(least, most, chance))])
        case Conditional(_, then, otherwise):
            return _one_of([text_maker(then), text_maker(otherwise)])
        case Lookaround():
            return lambda _: ""
        case _:
            makers = [*map(text_maker, children(node))]
            return lambda chance: "".join([make(chance) for make in makers])


def _one_of(makers: Sequence[Maker]) -> Maker:
    return lambda chance: pick(chance, makers)(chance)


def branches_of(tree: Node) -> tuple[Node, ...]:
    """The alternatives of a pattern: those at its top, or the whole where it has none."""
    return tree.branches if isinstance(tree, Alternation) else (tree,)


def _times(least: int, most: int | None, chance: Random) -> int:
    """A number of times: the bounds and one beyond them are where mistakes are made."""
    if most is None:
        return least + chance.randrange(1 + _MORE)
    return pick(chance, (least, most, chance.randint(least, most), most + (most > 1)))


def _in_some_case(text: str, chance: Random) -> str:
    mixed = "".join(character.swapcase() if chance.random() < 0.5 else character for character in text)
    made = pick(chance, (text, text.upper(), text.lower(), mixed))
    return made.replace("s", "ſ").replace("k", "\u212a") if chance.random() < 0.1 else made


def _member_maker(members: Members) -> Maker:
    """A member among ASCII as often as another one, where there are both."""
    pools = [*filter(None, _members(members))]
    return (lambda chance: pick(chance, pick(chance, pools))) if pools else (lambda _: "")


@cache
def _members(members: Members) -> tuple[str, str]:
    """The members among ASCII and among the other characters that are tried."""
    pattern = regex.compile(written(members, exact=True), regex.V1)
    found = pattern.findall(alphabet() + "".join(by_age().values()))
    return "".join(c for c in found if c.isascii()), "".join(c for c in found if not c.isascii())
