"""The syntax tree in the syntax of `regex` (its version 1, multi-line)."""

from __future__ import annotations

from dataclasses import dataclass

from reftok.oniguruma.case_folding import folded_parts, foldings
from reftok.oniguruma.members import escaped, without_case, written
from reftok.oniguruma.syntax_tree import (
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
_LOOKAROUNDS = {(False, False): "(?=", (False, True): "(?!", (True, False): "(?<=", (True, True): "(?<!"}


def write(tree: Node, exact: bool) -> str:
    r"""The pattern of `regex`; exact: for characters newer than Unicode 16 as well.

    >>> write(Repeat(Literal("ab"), 1, None), exact=False), write(Literal("ab", ignore_case=True), exact=False)
    ('(?:ab)+', '[aA][bB]')
    """
    nodes = walk(tree)
    numbers = {node.number for node in nodes if isinstance(node, Backreference)}
    conditions = {node.condition for node in nodes if isinstance(node, Conditional)}
    return _Writer(exact, frozenset(numbers | {number for number in conditions if isinstance(number, int)})).write(tree)


@dataclass(frozen=True, slots=True)
class _Writer:
    """referred: the groups whose match matters. behind: whether it is written in a lookbehind."""

    exact: bool
    referred: frozenset[int]
    behind: bool = False

    def write(self, node: Node) -> str:
        match node:
            case Literal(text, ignore_case):
                return self.without_case(text) if ignore_case else escaped(text)
            case CharacterClass():
                return self.character_class(node)
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
            case _:
                return self.group(node)

    def part(self, node: Node) -> str:
        """A node where another one may be beside it."""
        return f"(?:{self.write(node)})" if isinstance(node, Alternation) else self.write(node)

    def group(self, node: Node) -> str:
        match node:
            case Capture(number, body) if number in self.referred:
                return f"(?P<group_{number}>{self.write(body)})"
            case Capture(_, body) | Group(body):
                return f"(?:{self.write(body)})"
            case Atomic(Repeat() as body) if _is_single(body.body) and body.greedy:
                return f"{self.repeat(body)}+"
            case Atomic(body):
                return f"(?>{self.write(body)})"
            case Lookaround(body, behind, negative):
                inner = _Writer(self.exact, self.referred, behind)
                return f"{_LOOKAROUNDS[behind, negative]}{inner.write(body)})"
            case Conditional(int(number), then, otherwise):
                return f"(?(group_{number}){self.part(then)}|{self.part(otherwise)})"
            case Conditional(condition, then, otherwise):
                assert not isinstance(condition, int)
                asked = self.write(condition)
                return f"(?:(?>{asked}){self.part(then)}|(?!{asked}){self.part(otherwise)})"
        raise AssertionError(node)

    def repeat(self, node: Repeat) -> str:
        body = self.write(node.body) if _is_single(node.body) else f"(?:{self.write(node.body)})"
        most = "" if node.most is None else node.most
        signs = {(0, ""): "*", (1, ""): "+", (0, 1): "?"}
        sign = signs.get((node.least, most), f"{{{node.least},{most}}}" if node.least != most else f"{{{most}}}")
        return body + sign + ("" if node.greedy else "?")

    def place(self, node: Assertion) -> str:
        if node.kind in _PLACES:
            return _PLACES[node.kind]
        word = written(node.word, self.exact)
        first, second = ("(?!", "(?=") if node.kind == "word boundary" else ("(?=", "(?!")
        return f"(?:(?<={word}){first}{word})|(?<!{word}){second}{word}))"

    def character_class(self, node: CharacterClass) -> str:
        if not node.ignore_case:
            return written(node.members, self.exact)
        members, several = without_case(node.members)
        alternatives = [written(members, self.exact), *map(_each_alike, several)]
        return alternatives[0] if not several else f"(?:{'|'.join(alternatives)})"

    def without_case(self, text: str) -> str:
        parts = []
        for alone, several in folded_parts(text, single=self.behind):
            one = escaped(alone) if len(alone) == 1 else f"[{escaped(alone)}]"
            parts.append(f"(?:{one}|{_each_alike(several)})" if several else one)
        return "".join(parts)


def _each_alike(folded: str) -> str:
    """The several characters that one folds to, each with those alike."""
    groups = (foldings().alike.get(character, character) for character in folded)
    return "".join(escaped(group) if len(group) == 1 else f"[{escaped(group)}]" for group in groups)


def _is_single(node: Node) -> bool:
    """Whether what is written for a node takes a quantifier as a whole."""
    match node:
        case Literal(text, ignore_case):
            return len(text) == 1 and not ignore_case
        case CharacterClass(_, ignore_case):
            return not ignore_case
        case Capture() | Group() | Atomic(Alternation() | Sequence()):
            return True
        case _:
            return False
