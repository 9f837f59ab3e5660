"""Properties of a pattern that are known without matching it."""

from __future__ import annotations

from reftok.oniguruma.syntax_tree import (
    Alternation,
    CharacterClass,
    Conditional,
    Literal,
    Lookaround,
    Node,
    Repeat,
    children,
)

MOST_ENDLESS = 2


def may_be_empty(node: Node) -> bool:
    """Whether it could match nothing somewhere, granted what its lookarounds and places ask for.

    >>> may_be_empty(Repeat(Literal("a"), 0, 1)), may_be_empty(Literal("a"))
    (True, False)
    """
    match node:
        case Literal() | CharacterClass():
            return node == Literal("")
        case Repeat(body, least):
            return least == 0 or may_be_empty(body)
        case Lookaround():
            return True
        case Alternation(branches):
            return any(map(may_be_empty, branches))
        case Conditional(_, then, otherwise):
            return may_be_empty(then) or may_be_empty(otherwise)
        case _:
            return all(map(may_be_empty, children(node)))


def runs_away(tree: Node) -> bool:
    """Whether it repeats a group, or has more than two endless repetitions in one alternative.

    Without that the time grows with the cube of the text at worst.

    >>> runs_away(Repeat(Literal("a"), 0, None)), runs_away(Repeat(Literal("ab"), 0, None))
    (False, True)
    """
    branches = tree.branches if isinstance(tree, Alternation) else (tree,)
    return any(_endless(branch) > MOST_ENDLESS for branch in branches)


def _endless(node: Node) -> int:
    """How many endless repetitions there are; a repeated group counts as too many."""
    found = sum(map(_endless, children(node)))
    if not isinstance(node, Repeat) or node.most in (0, 1):
        return found
    single = isinstance(node.body, CharacterClass) or (isinstance(node.body, Literal) and len(node.body.text) == 1)
    if not single:
        return MOST_ENDLESS + 1
    return found + (node.most is None)
