"""The syntax tree in the syntax of `regex` (its version 1, multi-line)."""

from __future__ import annotations

from dataclasses import dataclass

from reftok.regex_dialects.oniguruma.members import escaped, folded, written
from reftok.regex_dialects.oniguruma.syntax_tree import (
    Alternation,
    Assertion,
    Atomic,
    Backreference,
    Capture,
    CharacterClass,
    Conditional,
    Group,
    Keep,
    Literal,
    Lookaround,
    Node,
    Repeat,
    Sequence,
    walk,
)

_PLACES = {
    "line start": r"(?:\A|(?<=\n)(?!\Z))",
    "line end": "$",
    "text start": r"\A",
    "text end": r"\Z",
    "last line end": r"(?=\n?\Z)",
    "search start": r"\G",
}


def write(tree: Node, exact: bool) -> str:
    r"""The pattern of `regex`; exact: for characters newer than Unicode 16 as well.

    >>> write(Repeat(Literal("ab"), 1, None), exact=False), write(Literal("ab", ignore_case=True), exact=False)
    ('(?:ab)+', '[Aa][Bb]')
    """
    tree = folded(tree)
    nodes = walk(tree)
    numbers = {node.number for node in nodes if isinstance(node, Backreference)}
    conditions = {node.condition for node in nodes if isinstance(node, Conditional)}
    return _Writer(exact, frozenset(numbers | {number for number in conditions if isinstance(number, int)})).write(tree)


@dataclass(frozen=True, slots=True)
class _Writer:
    """exact: as in `write`. referred: the groups whose match matters; the others do not capture."""

    exact: bool
    referred: frozenset[int]

    def write(self, node: Node) -> str:
        match node:
            case Literal(text):
                return escaped(text)
            case CharacterClass(members):
                return written(members, self.exact)
            case Assertion():
                return self.place(node)
            case Keep():
                return r"\K"
            case Sequence(parts):
                return "".join(map(self.part, parts))
            case Alternation(branches):
                return "|".join(map(self.write, branches))
            case Repeat():
                return self.repeat(node)
            case Backreference(number):
                return f"(?P=group_{number})"
            case Capture(number, body) if number in self.referred:
                return f"(?P<group_{number}>{self.write(body)})"
            case Capture(_, body) | Group(body):
                return f"(?:{self.write(body)})"
            case Atomic(Repeat() as body) if _is_single(body.body) and body.greedy:
                return f"{self.repeat(body)}+"
            case Atomic(body):
                return f"(?>{self.write(body)})"
            case Lookaround(body, behind, negative):
                return f"(?{'<' if behind else ''}{'!' if negative else '='}{self.write(body)})"
            case Conditional(int(number), then, otherwise):
                return f"(?(group_{number}){self.part(then)}|{self.part(otherwise)})"
            case Conditional(condition, then, otherwise):
                assert not isinstance(condition, int)
                # `regex` knows no pattern as a condition.
                asked = self.write(condition)
                return f"(?:(?>{asked}){self.part(then)}|(?!{asked}){self.part(otherwise)})"

    def part(self, node: Node) -> str:
        """A node where another one may be beside it."""
        return f"(?:{self.write(node)})" if isinstance(node, Alternation) else self.write(node)

    def repeat(self, node: Repeat) -> str:
        body = self.write(node.body) if _is_single(node.body) else f"(?:{self.write(node.body)})"
        most = "" if node.most is None else node.most
        signs = {(0, ""): "*", (1, ""): "+", (0, 1): "?"}
        sign = signs.get((node.least, most), f"{{{node.least},{most}}}" if node.least != most else f"{{{most}}}")
        return body + sign + ("" if node.greedy else "?")

    def place(self, node: Assertion) -> str:
        if node.kind in _PLACES:
            return _PLACES[node.kind]
        # `\b` of `regex` has the words of the installed Unicode version, and no number such as `²` is in one.
        word = written(node.word, self.exact)
        first, second = ("(?!", "(?=") if node.kind == "word boundary" else ("(?=", "(?!")
        return f"(?:(?<={word}){first}{word})|(?<!{word}){second}{word}))"


def _is_single(node: Node) -> bool:
    """Whether what is written for a node takes a quantifier as a whole."""
    match node:
        case Literal(text):
            return len(text) == 1
        case CharacterClass() | Capture() | Group() | Atomic(Alternation() | Sequence()):
            return True
        case _:
            return False
