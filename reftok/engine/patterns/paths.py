r"""The paths through a pattern, in the order in which a matcher tries them.

A matcher goes back to the next path where one has failed, so what it finds is the end of the first path that leads to
one. Followed all at once, in their order, paths tell that end without going back: where one of them has come to the end
of the pattern, those behind it no longer count, and those before it do as long as they live.

That needs paths that differ in the characters they read. What the next character must not be is a condition of a
path, its guard: that is what `(?!x)`, `$` and `\z` ask for, and what ends the run of a possessive repetition. Where a
path comes to something else (a lookbehind, a boundary, an atomic group), it is in doubt for good: a matcher may be
unable to take it, so that those behind it still count when it has ended. What a lookahead or a boundary looks at is a
path that leads nowhere. So there may be more paths than a matcher can take, never fewer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

from reftok.regex_dialects.oniguruma.case_folding import folded
from reftok.regex_dialects.oniguruma.classes import outside_of_brackets
from reftok.regex_dialects.oniguruma.members import escaped, written
from reftok.regex_dialects.oniguruma.syntax_tree import (
    ANY_CHARACTER,
    NO_LINE_FEED,
    Alternation,
    Assertion,
    Atomic,
    Backreference,
    CharacterClass,
    Conditional,
    Keep,
    Literal,
    Lookaround,
    Members,
    Node,
    Property,
    Repeat,
    Sequence,
    children,
    properties,
    walk,
)

MATCHED = 0
"""The node behind the last one of the pattern."""
_NOWHERE = 1
ANYTHING = written(ANY_CHARACTER.members, exact=True)
"""The class of every character."""
_RENAMED = frozenset({"newline", "idc", "vs", "xdigit", "posixpunct", "extpict", "extendedpictographic"})
"""Properties that `regex` has by another name, if at all."""
_MOST_COPIED = 256
"""So many nodes a bounded repetition may be written out to; a larger one counts as endless."""
_MOST_NODES = 2048
_MOST_STEPS = 1 << 18
_MOST_GUARDS = 3
"""A path with more is in doubt instead, because there are as many paths as there are ways of having some of them."""
_FARTHEST_BACK = 1000

Guards: TypeAlias = frozenset[str]
"""Classes that the next character must not be in."""
Thread: TypeAlias = tuple[int, Guards, bool]
"""A node that a path has come to, its guards, and whether it is in doubt."""
_UNGUARDED: Guards = frozenset()
END: Thread = MATCHED, _UNGUARDED, False
"""The end of the pattern, whatever follows."""


class Undecided(Exception):
    """Says why nothing is known of a pattern."""


@dataclass(frozen=True, slots=True)
class Paths:
    """All paths through a pattern, the first first.

    classes: what each node looks for, as a class of `regex`.
    following: where the paths are behind each node; nothing comes after END.
    first: where they begin.
    doubtful: the nodes from which a path may come into doubt.
    context: how many characters before its start a match may depend on.
    """

    classes: tuple[str, ...]
    following: tuple[tuple[Thread, ...], ...]
    first: tuple[Thread, ...]
    doubtful: frozenset[int]
    context: int


def paths(tree: Node, is_rust: bool = False, in_doubt: bool = False) -> Paths:
    r"""The paths through a pattern. Raises Undecided.

    is_rust: whether the tree stands for a pattern that `regex` reads itself.
    in_doubt: whether every path is so at its end.

    >>> from reftok.regex_dialects.oniguruma.parser import parse
    >>> found = paths(parse(r"a+(?!b)"))
    >>> ((node, _, _),) = found.first
    >>> [(found.classes[following], [*guards]) for following, guards, _ in found.following[node]]
    [('a', []), ('', ['b'])]
    """
    if any(isinstance(node, Assertion) and node.kind == "search start" for node in walk(tree)):
        raise Undecided(r"\G asks where the search has started")
    if is_rust and not _RENAMED.isdisjoint(properties(tree)):
        raise Undecided("it has properties that go by another name")
    in_classes = folded(tree)
    if not is_rust:
        tree = in_classes
    elif _alternations(in_classes) > _alternations(tree):
        raise Undecided("it ignores case where one letter stands for several")
    context = _context(tree)
    network = _Network(is_rust)
    entry = network.build(tree, network.doubt(MATCHED) if in_doubt else MATCHED)
    following = tuple(network.threads(targets) if name else () for name, targets in network.nodes)
    first, doubtful = network.threads((entry,)), network.leading_to_doubt()
    return Paths(tuple(name for name, _ in network.nodes), following, first, doubtful, context)


@dataclass(slots=True)
class _Network:
    """Nodes: a class, or '' where nothing is looked at, and where it leads, the first first.

    guards: where the next character must not be in a class, because the pattern asks for that.
    ends_of_runs: the same because a run would go on.
    doubts: the nodes behind which a path is in doubt.
    steps: how many have been made to find the threads.
    """

    is_rust: bool
    nodes: list[tuple[str, tuple[int, ...]]] = field(default_factory=lambda: [("", ()), ("", ())])
    guards: dict[int, Guards] = field(default_factory=dict)
    ends_of_runs: dict[int, Guards] = field(default_factory=dict)
    doubts: set[int] = field(default_factory=set)
    steps: int = 0

    def add(self, name: str, *targets: int) -> int:
        self.nodes.append((name, targets))
        if len(self.nodes) > _MOST_NODES:
            raise Undecided("it is too large to follow all its paths")
        return len(self.nodes) - 1

    def guard(self, name: str, target: int) -> int:
        """The target, where the next character is not in a class."""
        node = self.add("", target)
        self.guards[node] = frozenset({name})
        return node

    def doubt(self, target: int) -> int:
        """The target, where a matcher may be unable to come."""
        node = self.add("", target)
        self.doubts.add(node)
        return node

    def threads(self, nodes: tuple[int, ...]) -> tuple[Thread, ...]:
        """Where the paths are that begin with these nodes.

        At the end of the pattern the conditions of runs no longer count: a run that goes on comes there again.
        """
        found: dict[Thread, None] = {}
        seen = set()
        waiting = [(node, _UNGUARDED, _UNGUARDED, False) for node in reversed(nodes)]
        while waiting and END not in found:
            if (point := waiting.pop()) in seen:
                continue
            seen.add(point)
            self.steps += 1
            if self.steps > _MOST_STEPS:
                raise Undecided("it is too large to follow all its paths")
            node, asked, of_runs, in_doubt = point
            name, targets = self.nodes[node]
            if name or node == MATCHED or (node == _NOWHERE and asked):
                found[node, asked | of_runs if name or asked else asked, in_doubt] = None
                continue
            asked |= self.guards.get(node, _UNGUARDED)
            of_runs |= self.ends_of_runs.get(node, _UNGUARDED)
            if len(asked) + len(of_runs) > _MOST_GUARDS:
                self.doubts.add(node)
                asked = of_runs = _UNGUARDED
            in_doubt |= node in self.doubts
            waiting += [(target, asked, of_runs, in_doubt) for target in reversed(targets)]
        return tuple(found)

    def leading_to_doubt(self) -> frozenset[int]:
        found, size = {*self.doubts}, -1
        while size != len(found):
            size = len(found)
            for node, (_, targets) in enumerate(self.nodes):
                if not found.isdisjoint(targets):
                    found.add(node)
        return frozenset(found)

    def build(self, node: Node, target: int) -> int:
        """The paths through a node, on to a target: where they begin."""
        match node:
            case Literal(text, ignore_case):
                for character in reversed(text):
                    target = self.add(self.single(Literal(character, ignore_case)), target)
                return target
            case CharacterClass():
                return self.add(self.single(node), target)
            case Sequence(parts):
                for part in reversed(parts):
                    target = self.build(part, target)
                return target
            case Alternation(branches):
                return self.add("", *(self.build(branch, target) for branch in branches))
            case Repeat():
                return self.repeated(node, target, target)
            case Atomic(Repeat(body, greedy=True) as repeat) if name := self.single(body):
                return self.possessive(repeat, name, target)
            case Atomic(body):
                return self.build(body, self.doubt(target))
            case Assertion():
                return self.place(node, target)
            case Lookaround():
                return self.lookaround(node, target)
            case Conditional(condition, then, otherwise):
                target = self.doubt(target)
                then_entry = self.build(then, target)
                if not isinstance(condition, int):
                    then_entry = self.build(condition, then_entry)
                return self.add("", then_entry, self.build(otherwise, target))
            case Backreference():
                raise Undecided("it refers to what a group has matched")
            case Keep():
                raise Undecided(r"its matches start at \K")
            case _:
                (body,) = children(node)
                return self.build(body, target)

    def single(self, node: Node) -> str:
        """The class of what stands for one character, '' for anything else."""
        match node:
            case Literal(text, ignore_case) if len(text) == 1:
                return f"(?i:{escaped(text)})" if ignore_case else escaped(text)
            case CharacterClass(members, ignore_case):
                return f"(?i:{self.written(members)})" if ignore_case else self.written(members)
            case _:
                return ""

    def written(self, members: Members) -> str:
        """A class as it is matched: that of Rust with text as of Unicode 16, and with words of its own."""
        if not self.is_rust:
            return written(members, exact=True)
        name = written(members, exact=False)
        for word in _words():
            name = name.replace(word, r"\w")
        return name

    def possessive(self, node: Repeat, name: str, target: int) -> int:
        """A run that is as long as can be: where it could go on, it has not ended."""
        end = self.add("", target)
        self.ends_of_runs[end] = frozenset({name})
        return self.repeated(node, target, end)

    def repeated(self, node: Repeat, target: int, early: int) -> int:
        """early: where a path goes on that could take more."""
        copies = node.least if node.most is None else node.most
        if copies * _size(node.body) > _MOST_COPIED:
            endless = self.add("")
            again = self.build(node.body, endless)
            self.nodes[endless] = "", (again, self.doubt(target))
            return again if node.least else endless
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

    def place(self, node: Assertion, target: int) -> int:
        match node.kind:
            case "text end":
                return self.guard(ANYTHING, target)
            case "last line end" if self.is_rust:
                # `\Z` of `regex` is the end of the text.
                return self.guard(ANYTHING, target)
            case "last line end":
                looks = self.add("\n", self.add(ANYTHING, _NOWHERE)), self.add(ANYTHING, _NOWHERE)
                return self.add("", *looks, self.doubt(target))
            case "line end":
                return self.guard(written(NO_LINE_FEED.members, exact=True), target)
            case "text start":
                return self.doubt(target)
            case _:
                return self.add("", self.add(ANYTHING, _NOWHERE), self.doubt(target))

    def lookaround(self, node: Lookaround, target: int) -> int:
        """Its look to the right leads nowhere, and the target is reached as well."""
        if not node.behind:
            if node.negative and (name := self.single(node.body)):
                return self.guard(name, target)
            return self.add("", self.build(node.body, _NOWHERE), self.doubt(target))
        inner = walk(node.body)
        if any(isinstance(part, Lookaround) and not part.behind for part in inner):
            raise Undecided("it looks ahead from behind")
        looks = any(isinstance(part, Assertion) for part in inner)
        return self.add("", *[self.add(ANYTHING, _NOWHERE)] * looks, self.doubt(target))


@cache
def _words() -> tuple[str, str]:
    r"""How `\w` of Oniguruma is written, on its own and in brackets; that of Rust has the joiners, no superscripts."""
    word = Property("word")
    return written(outside_of_brackets(word), exact=False)[1:-1], written(word, exact=False)


def _alternations(tree: Node) -> int:
    return sum(isinstance(node, Alternation) for node in walk(tree))


def _size(node: Node) -> int:
    """About how many nodes are added for it."""
    if isinstance(node, Literal):
        return 1 + len(node.text)
    size = 1 + sum(map(_size, children(node)))
    if isinstance(node, Repeat):
        copies = (node.least + 1) if node.most is None else node.most
        return size * copies if size * copies <= _MOST_COPIED else size
    return size


def _context(tree: Node) -> int:
    """How many characters to the left of its place a node may look at, at most."""
    found = 0
    for node in walk(tree):
        if isinstance(node, Assertion):
            found = max(found, 1)
        elif isinstance(node, Lookaround) and node.behind:
            found = max(found, _width(node.body))
    if found > _FARTHEST_BACK:
        raise Undecided("it looks back too far")
    return found


def _width(node: Node) -> int:
    """How many characters it goes over, or looks at farther left, at most."""
    match node:
        case Literal(text):
            return len(text)
        case CharacterClass() | Assertion():
            return 1
        case Alternation(branches):
            return max(map(_width, branches), default=0)
        case Repeat(body, _, most):
            return _width(body) * (_FARTHEST_BACK + 1 if most is None else most)
        case Backreference():
            return _FARTHEST_BACK + 1
        case _:
            return sum(map(_width, children(node)))
