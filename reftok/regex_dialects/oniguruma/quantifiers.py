"""How often: `*` `+` `?` `{n,m}`, and what a quantifier makes of another quantifier.

Source: `fetch_interval`, `assign_quantifier_body` and `onig_reduce_nested_quantifier` of Oniguruma, regparse.c.
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

from reftok.regex_dialects.oniguruma.cursor import Cursor
from reftok.regex_dialects.oniguruma.syntax_tree import Atomic, Node, Repeat

_INTERVAL = regex.compile(r"\{(?:(?P<least>[0-9]+)(?P<comma>,(?P<most>[0-9]*))?|,(?P<upto>[0-9]+))\}")
_SIGNS = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_HIGHEST = 100_000


@dataclass(frozen=True, slots=True)
class Quantifier:
    """Least and most times (None: without end), whether as often as possible, and without ever reconsidering."""

    least: int
    most: int | None
    greedy: bool = True
    possessive: bool = False


def read_quantifier(cursor: Cursor) -> Quantifier | None:
    r"""The quantifier that is next, None if there is none; a brace that makes no interval is a character.

    `{1,3}+` is an interval and a `+` for it; `{3}?` is an interval and a `?` for it; `{3,1}` is `{1,3}` and possessive.

    >>> read_quantifier(Cursor("+?")), read_quantifier(Cursor("{,}"))
    (Quantifier(least=1, most=None, greedy=False, possessive=False), None)
    """
    start = cursor.position
    if cursor.peek() in tuple(_SIGNS):
        least, most = _SIGNS[cursor.take()]
        if cursor.accept("?"):
            return Quantifier(least, most, greedy=False)
        return Quantifier(least, most, possessive=cursor.accept("+"))
    interval = _INTERVAL.match(cursor.pattern, start)
    if interval is None:
        return None
    cursor.position = interval.end()
    least, most = _bounds(interval)
    if max(least, most or 0) > _HIGHEST:
        cursor.refuse(f"more than {_HIGHEST:,} times", start)
    if most is not None and least > most:
        return Quantifier(most, least, possessive=True)
    fixed = interval["least"] is not None and interval["comma"] is None
    return Quantifier(least, most, greedy=fixed or not cursor.accept("?"))


def _bounds(interval: regex.Match[str]) -> tuple[int, int | None]:
    if interval["upto"] is not None:
        return 0, int(interval["upto"])
    least = int(interval["least"])
    if interval["comma"] is None:
        return least, least
    return least, int(interval["most"]) if interval["most"] else None


_POPULAR = {
    (0, 1, True): "?",
    (0, None, True): "*",
    (1, None, True): "+",
    (0, 1, False): "??",
    (0, None, False): "*?",
    (1, None, False): "+?",
}
_REDUCED = {
    "?": {"*": "*", "+": "*", "??": "??", "*?": "*?", "?": "?"},
    "*": {"?": "*", "*": "*", "+": "*", "??": "+)??", "*?": "+)??", "+?": "*"},
    "+": {"?": "*", "*": "*", "+": "+", "*?": "+)??", "+?": "+"},
    "??": {"?": "??", "*": "*?", "+": "*?", "??": "??", "*?": "*?", "+?": "*?"},
    "*?": dict.fromkeys(_POPULAR.values(), "*?"),
    "+?": {"*": "*", "+": "+", "??": "*?", "*?": "*?", "+?": "+?"},
}
"""What a quantifier (the first) becomes with another one on it; what is not here stays as it is."""


def quantified(body: Node, quantifier: Quantifier) -> Node:
    """The node for a body with a quantifier.

    >>> from reftok.regex_dialects.oniguruma.syntax_tree import Literal
    >>> quantified(Repeat(Literal("a"), 0, 1), Quantifier(1, None))
    Repeat(body=Literal(text='a', ignore_case=False), least=0, most=None, greedy=True)
    """
    if (quantifier.least, quantifier.most) == (1, 1):
        return body
    node: Repeat = Repeat(body, quantifier.least, quantifier.most, quantifier.greedy)
    if isinstance(body, Repeat):
        node = _reduced(node, body)
    return Atomic(node) if quantifier.possessive else node


def _reduced(outer: Repeat, inner: Repeat) -> Repeat:
    outer_kind = _POPULAR.get((outer.least, outer.most, outer.greedy))
    inner_kind = _POPULAR.get((inner.least, inner.most, inner.greedy))
    if inner_kind is None or outer_kind is None:
        if inner_kind in ("*", "+") and outer.greedy and outer.most is not None and outer.most > 1:
            return Repeat(inner, outer.least, outer.least or 1)
        if inner_kind is None and outer.least == outer.most and inner.least == inner.most:
            return Repeat(inner.body, outer.least * inner.least, outer.least * inner.least)
        return outer
    kind = _REDUCED[inner_kind].get(outer_kind)
    if kind is None:
        return outer
    if kind == "+)??":
        return Repeat(Repeat(inner.body, 1, None), 0, 1, greedy=False)
    least, most, greedy = next(bounds for bounds, name in _POPULAR.items() if name == kind)
    return Repeat(inner.body, least, most, greedy)
