"""The syntax tree of a pattern: what the parser makes, and the writer reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Ranges:
    """Code points, as inclusive ranges."""

    ranges: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Property:
    """The members of a property; `name` is one of property_names.NAMES."""

    name: str


@dataclass(frozen=True, slots=True)
class Union:
    """The characters that are in any of the parts; without parts, none."""

    parts: tuple[Members, ...]


@dataclass(frozen=True, slots=True)
class Intersection:
    """The characters that are in every part."""

    parts: tuple[Members, ...]


@dataclass(frozen=True, slots=True)
class Complement:
    r"""Every code point that is not in `members`: a Union for `[^a]`, and none for `\P{L}` and `[:^alpha:]`."""

    members: Members


Members: TypeAlias = Ranges | Property | Union | Intersection | Complement


@dataclass(frozen=True, slots=True)
class Literal:
    """These characters."""

    text: str
    ignore_case: bool = False


@dataclass(frozen=True, slots=True)
class CharacterClass:
    r"""One character of a class. In brackets, case may be ignored: it never is by `\p{Lu}` alone."""

    members: Members
    ignore_case: bool = False


AssertionKind: TypeAlias = OneOf[
    "line start", "line end", "text start", "text end", "last line end", "search start", "word boundary", "no boundary"
]


@dataclass(frozen=True, slots=True)
class Assertion:
    """A place. word: what counts as a character of a word, for the boundaries."""

    kind: AssertionKind
    word: Members = Property("word")


@dataclass(frozen=True, slots=True)
class Keep:
    r"""`\K`: the match starts here."""


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after the other; without parts, nothing at all."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alternation:
    """The first branch with which the rest matches."""

    branches: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A group with options of its own: no literal grows together with it."""

    body: Node


@dataclass(frozen=True, slots=True)
class Capture:
    """A group that is numbered from 1."""

    number: int
    body: Node


@dataclass(frozen=True, slots=True)
class Atomic:
    """A match that is not reconsidered."""

    body: Node


@dataclass(frozen=True, slots=True)
class Lookaround:
    """Whether the body matches here, or up to here if `behind`."""

    body: Node
    behind: bool
    negative: bool


@dataclass(frozen=True, slots=True)
class Repeat:
    """least to most times; most is None where there is no end."""

    body: Node
    least: int
    most: int | None
    greedy: bool = True


@dataclass(frozen=True, slots=True)
class Backreference:
    """A backreference: the text that the group matched last."""

    number: int


@dataclass(frozen=True, slots=True)
class Conditional:
    """`then` if the group has matched, or if the condition matches before it; else `otherwise`."""

    condition: int | Node
    then: Node
    otherwise: Node


Node: TypeAlias = (
    Literal
    | CharacterClass
    | Assertion
    | Keep
    | Sequence
    | Alternation
    | Group
    | Capture
    | Atomic
    | Lookaround
    | Repeat
    | Backreference
    | Conditional
)

NOTHING = Sequence(())
ANY_CHARACTER = CharacterClass(Ranges(((0, 0x10FFFF),)))
NO_LINE_FEED = CharacterClass(Complement(Ranges(((0x0A, 0x0A),))))


def children(node: Node) -> tuple[Node, ...]:
    """The parts of a node.

    >>> children(Repeat(Literal("a"), 0, None))
    (Literal(text='a', ignore_case=False),)
    """
    match node:
        case Sequence(parts):
            return parts
        case Alternation(branches):
            return branches
        case Group(body) | Capture(_, body) | Atomic(body) | Lookaround(body) | Repeat(body):
            return (body,)
        case Conditional(condition, then, otherwise):
            return (then, otherwise) if isinstance(condition, int) else (condition, then, otherwise)
        case _:
            return ()


def walk(node: Node) -> list[Node]:
    """The node and everything in it."""
    found = [node]
    for child in children(node):
        found += walk(child)
    return found


def properties(tree: Node) -> frozenset[str]:
    """The names of the properties that a tree asks for.

    >>> sorted(properties(Assertion("word boundary")))
    ['word']
    """
    found: list[Members] = [node.members for node in walk(tree) if isinstance(node, CharacterClass)]
    found += [node.word for node in walk(tree) if isinstance(node, Assertion) and "boundary" in node.kind]
    names: set[str] = set()
    while found:
        match found.pop():
            case Property(name):
                names.add(name)
            case Union(parts) | Intersection(parts):
                found += parts
            case Complement(members):
                found.append(members)
    return frozenset(names)
