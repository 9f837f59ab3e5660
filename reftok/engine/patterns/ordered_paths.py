r"""The paths through a pattern in the order in which a matcher tries them.

A matcher goes back to the next path where one has failed, so what it finds is the end of the first path that leads to
one. Followed all at once, in their order, paths tell that end without going back: where one of them has come to the end
of the pattern, those behind it no longer count, and those before it do as long as they live. They have read all of the
text, so that whatever follows, the match ends where a path has come to the end last, or beyond the text so far.

That needs paths that are told by the characters they read. What the next character must not be is a condition of a
path, its guard: that is what `(?!x)`, `$` and `\z` ask for, and what ends the run of a possessive repetition. Where a
path comes to something else (a lookbehind, a boundary, an atomic group), it is in doubt for good: while it lives,
nothing is known of those behind it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from reftok.engine.patterns.finality_paths import ANYTHING, MATCHED, Network, Undecided, is_written_out
from reftok.oniguruma.case_folding import folded_parts
from reftok.oniguruma.members import escaped, without_case, written
from reftok.oniguruma.syntax_tree import (
    AnyCharacter,
    Assertion,
    Atomic,
    CharacterClass,
    Conditional,
    LineBreak,
    Literal,
    Lookaround,
    Members,
    Node,
    Property,
    Ranges,
    Repeat,
    Union,
    properties,
)

DOUBT = 1
"""The node of a path of which nothing more is known; it goes on with every character."""
_WORD = Property("word")
_RENAMED = frozenset({"newline", "idc", "vs", "xdigit", "posixpunct", "extpict", "extendedpictographic"})
"""Properties that `regex` has by another name, if at all."""
_NOT_A_LINE_FEED = r"[^\n]"

Thread: TypeAlias = tuple[int, frozenset[str]]
"""A node that a path has come to, and the classes that the next character must not be in."""
END: Thread = MATCHED, frozenset()
"""The end of the pattern, whatever follows."""


@dataclass(frozen=True, slots=True)
class OrderedPaths:
    """All paths through a pattern, the first first.

    classes: what each node looks for, as a class of `regex`.
    following: where the paths are behind each node; nothing comes after END.
    first: where they begin.
    doubtful: the nodes from which a path may come into doubt.
    """

    classes: tuple[str, ...]
    following: tuple[tuple[Thread, ...], ...]
    first: tuple[Thread, ...]
    doubtful: frozenset[int]


def ordered_paths(tree: Node, is_rust: bool) -> OrderedPaths:
    r"""The paths in order. Raises Undecided.

    is_rust: whether the tree stands for a pattern that `regex` reads itself.

    >>> from reftok.oniguruma.parser import parse
    >>> found = ordered_paths(parse(r"a+(?!b)"), is_rust=False)
    >>> ((node, _),) = found.first
    >>> [(found.classes[following], [*guards]) for following, guards in found.following[node]]
    [('a', []), ('', ['b'])]
    """
    if is_rust and not _RENAMED.isdisjoint(properties(tree)):
        raise Undecided("it has properties that go by another name")
    network = _OrderedNetwork(is_rust=is_rust)
    network.nodes[DOUBT] = ANYTHING, (DOUBT,)
    entry = network.build(tree, MATCHED)
    following = tuple(network.ordered(targets) for _, targets in network.nodes)
    return OrderedPaths(
        tuple(name for name, _ in network.nodes), following, network.ordered((entry,)), network.leading_to_doubt()
    )


@dataclass(slots=True)
class _OrderedNetwork(Network):
    """The nodes of a pattern, and where the next character must not be in a class.

    guards: because the pattern asks for that. ends_of_runs: because a run would go on.
    """

    is_rust: bool = False
    guards: dict[int, frozenset[str]] = field(default_factory=dict)
    ends_of_runs: dict[int, frozenset[str]] = field(default_factory=dict)

    def ordered(self, nodes: tuple[int, ...]) -> tuple[Thread, ...]:
        """Where the paths are that begin with these nodes.

        At the end of the pattern the conditions of runs no longer count: a run that goes on comes there again.
        """
        found: dict[Thread, None] = {}
        seen = set()
        waiting = [(node, frozenset[str](), frozenset[str]()) for node in reversed(nodes)]
        while waiting and END not in found:
            if (point := waiting.pop()) in seen:
                continue
            seen.add(point)
            node, asked, of_runs = point
            name, targets = self.nodes[node]
            if name or node == MATCHED:
                found[node, asked | of_runs if name or asked else asked] = None
            asked |= self.guards.get(node, frozenset())
            of_runs |= self.ends_of_runs.get(node, frozenset())
            waiting += [(target, asked, of_runs) for target in reversed(() if name else targets)]
        return tuple(found)

    def leading_to_doubt(self) -> frozenset[int]:
        found: frozenset[int] = frozenset()
        more = frozenset({DOUBT})
        while more != found:
            found = more
            more |= {node for node, (_, targets) in enumerate(self.nodes) if not found.isdisjoint(targets)}
        return found

    def guard(self, name: str, target: int) -> int:
        """The target, where the next character is not in a class."""
        node = self.add("", target)
        self.guards[node] = frozenset({name})
        return node

    def build(self, node: Node, target: int) -> int:
        match node:
            case Atomic(Repeat(body, greedy=True) as repeat) if name := self.single(body):
                return self.possessive(repeat, name, target)
            case Atomic() | Conditional() | LineBreak():
                target = DOUBT
        # Named, because `super()` does not work in a class with slots before Python 3.14.
        return Network.build(self, node, target)

    def single(self, node: Node) -> str:
        """The class of what stands for one character, '' for anything else."""
        match node:
            case Literal(text, ignore_case=False) if len(text) == 1:
                return escaped(text)
            case CharacterClass(members, ignore_case=False):
                return self.written(members)
            case AnyCharacter(line_feed):
                return ANYTHING if line_feed else "."
            case _:
                return ""

    def written(self, members: Members) -> str:
        """A class as it is matched: that of Rust with text as of Unicode 16, and with the joiners in words."""
        if not self.is_rust:
            return written(members, exact=True)
        return written(members, exact=False).replace(written(_WORD, exact=False), r"\w")

    def literal(self, text: str, ignore_case: bool, target: int) -> int:
        several = ignore_case and any(folded for _, folded in folded_parts(text, single=False))
        if self.is_rust and ignore_case and (several or not text.isascii()):
            return DOUBT
        return Network.literal(self, text, ignore_case, target)

    def character_class(self, node: CharacterClass, target: int) -> int:
        if not node.ignore_case:
            return self.add(self.single(node), target)
        if self.is_rust and not _is_of_ascii(node):
            return DOUBT
        members, several = without_case(node.members)
        one = self.add(self.written(members), target)
        return self.add("", one, *(self.alike(folded, target) for folded in several))

    def repeat(self, node: Repeat, target: int) -> int:
        return self.repeated(node, target, target)

    def possessive(self, node: Repeat, name: str, target: int) -> int:
        """A run that is as long as can be: where it could go on, it has not ended."""
        end = self.add("", target)
        self.ends_of_runs[end] = frozenset({name})
        return self.repeated(node, target, end)

    def repeated(self, node: Repeat, target: int, early: int) -> int:
        """early: where a path goes on that could take more."""
        if not is_written_out(node):
            endless = self.endless(node.body, DOUBT)
            return self.build(node.body, endless) if node.least else endless
        entry = target
        if node.most is None:
            entry = self.add("")
            again = self.build(node.body, entry)
            self.nodes[entry] = "", (again, early) if node.greedy else (early, again)
        for _ in range(0 if node.most is None else node.most - node.least):
            again = self.build(node.body, entry)
            entry = self.add("", *((again, early) if node.greedy else (early, again)))
        for _ in range(node.least):
            entry = self.build(node.body, entry)
        return entry

    def place(self, node: Assertion | Lookaround, target: int) -> int:
        match node:
            case Lookaround(body, behind=False, negative=True) if name := self.single(body):
                return self.guard(name, target)
            case Assertion("text end"):
                return self.guard(ANYTHING, target)
            case Assertion("last line end") if self.is_rust:
                # `\Z` of `regex` is the end of the text.
                return self.guard(ANYTHING, target)
            case Assertion("line end"):
                return self.guard(_NOT_A_LINE_FEED, target)
            case _:
                return DOUBT


def _is_of_ascii(node: CharacterClass) -> bool:
    """Whether it is a class of single characters of ASCII, and what is like them is so to every library."""
    match node.members:
        case Ranges(ranges):
            return all(last < 128 for _, last in ranges)
        case Union(parts):
            return all(_is_of_ascii(CharacterClass(part)) for part in parts)
        case _:
            return False
