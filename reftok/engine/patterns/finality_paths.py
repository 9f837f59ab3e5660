r"""The text that a matcher could look at to the right of the place where a match may start, whatever it tries.

A pattern becomes the network of all paths through it. Each node looks at one character, and leads on if that is one of
its class. There is a path for every alternative and every number of repetitions; what a lookahead, a boundary or `$`
looks at is a path that leads nowhere; that something is atomic, possessive or negative closes no path. So there may be
more paths than a matcher can take, never fewer: where all have ended, it has looked no further.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from reftok.oniguruma.case_folding import folded_parts, foldings
from reftok.oniguruma.members import escaped, without_case, written
from reftok.oniguruma.syntax_tree import (
    Alternation,
    AnyCharacter,
    Assertion,
    Backreference,
    CharacterClass,
    Conditional,
    Keep,
    LineBreak,
    Literal,
    Lookaround,
    Node,
    Repeat,
    Sequence,
    children,
    walk,
)

MATCHED = 0
"""The node behind the last one of the pattern."""
_NOWHERE = 1
ANYTHING = r"(?s:.)"
"""The class of every character."""
_LINE_BREAK = r"[\n-\r\x85\u2028\u2029]"
_MOST_COPIED = 256
"""So many nodes a bounded repetition may be written out to; a larger one counts as endless."""
_MOST_NODES = 2048
_FARTHEST_BACK = 1000
_LONGEST_FOLDING = 3


class Undecided(Exception):
    """Says why nothing is known of a pattern."""


@dataclass(frozen=True, slots=True)
class Paths:
    """All paths through a pattern.

    classes: what each node looks for, as a class of `regex`.
    following: the nodes that come after each node; MATCHED among them if the pattern may end there.
    first: the nodes that look at the first character.
    context: how many characters before its start a match may depend on.
    """

    classes: tuple[str, ...]
    following: tuple[frozenset[int], ...]
    first: frozenset[int]
    context: int


def paths(tree: Node) -> Paths:
    r"""The paths through a pattern. Raises Undecided.

    >>> from reftok.oniguruma.parser import parse
    >>> found = paths(parse("b+(?!a)"))
    >>> (node,) = found.first
    >>> found.classes[node], sorted(found.classes[following] for following in found.following[node])
    ('b', ['', 'a', 'b'])
    """
    if any(isinstance(node, Assertion) and node.kind == "search start" for node in walk(tree)):
        raise Undecided(r"\G asks where the search has started")
    context = _context(tree)
    network = Network()
    entry = network.build(tree, MATCHED)
    following = tuple(network.reached(targets) for _, targets in network.nodes)
    return Paths(tuple(name for name, _ in network.nodes), following, network.reached((entry,)), context)


@dataclass(slots=True)
class Network:
    """Nodes: a class, or '' where nothing is looked at, and where it leads."""

    nodes: list[tuple[str, tuple[int, ...]]] = field(default_factory=lambda: [("", ()), ("", ())])

    def add(self, name: str, *targets: int) -> int:
        self.nodes.append((name, targets))
        if len(self.nodes) > _MOST_NODES:
            raise Undecided("it is too large to follow all its paths")
        return len(self.nodes) - 1

    def reached(self, nodes: tuple[int, ...]) -> frozenset[int]:
        """The nodes that look at a character, and MATCHED, as far as nothing has to be looked at before."""
        waiting, seen = [*nodes], set(nodes)
        while waiting:
            name, targets = self.nodes[waiting.pop()]
            if not name:
                waiting += {*targets} - seen
                seen.update(targets)
        return frozenset(node for node in seen if self.nodes[node][0] or node == MATCHED)

    def build(self, node: Node, target: int) -> int:
        """The paths through a node, on to a target: where they begin."""
        match node:
            case Literal(text, ignore_case):
                return self.literal(text, ignore_case, target)
            case CharacterClass():
                return self.character_class(node, target)
            case AnyCharacter(line_feed):
                return self.add(ANYTHING if line_feed else ".", target)
            case LineBreak():
                return self.add("", self.add("\r", self.add("\n", target)), self.add(_LINE_BREAK, target))
            case Sequence(parts):
                for part in reversed(parts):
                    target = self.build(part, target)
                return target
            case Alternation(branches):
                return self.add("", *(self.build(branch, target) for branch in branches))
            case Repeat():
                return self.repeat(node, target)
            case Assertion() | Lookaround():
                return self.place(node, target)
            case Conditional(condition, then, otherwise):
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

    def literal(self, text: str, ignore_case: bool, target: int) -> int:
        if not ignore_case:
            for character in reversed(text):
                target = self.add(escaped(character), target)
            return target
        for alone, several in reversed([*folded_parts(text, single=False)]):
            ways = [self.add(_without_case(alone), target)]
            if several:
                ways.append(self.alike(several, target))
            target = self.add("", *ways)
        return target

    def alike(self, folded: str, target: int) -> int:
        """The several characters that one folds to, each with those alike."""
        for character in reversed(folded):
            target = self.add(_without_case(foldings().alike.get(character, character)), target)
        return target

    def character_class(self, node: CharacterClass, target: int) -> int:
        if not node.ignore_case:
            return self.add(written(node.members, exact=True), target)
        members, several = without_case(node.members)
        either = f"(?:{written(members, exact=True)}|(?i:{written(node.members, exact=True)}))"
        return self.add("", self.add(either, target), *(self.alike(folded, target) for folded in several))

    def repeat(self, node: Repeat, target: int) -> int:
        if not is_written_out(node):
            return self.endless(node.body, target)
        copies = node.least if node.most is None else node.most
        entry = target
        if node.most is None:
            entry = self.endless(node.body, target)
        for _ in range(copies - node.least):
            entry = self.add("", self.build(node.body, entry), target)
        for _ in range(node.least):
            entry = self.build(node.body, entry)
        return entry

    def endless(self, body: Node, target: int) -> int:
        loop = self.add("")
        self.nodes[loop] = "", (self.build(body, loop), target)
        return loop

    def place(self, node: Assertion | Lookaround, target: int) -> int:
        """The node of an assertion: its look to the right leads nowhere, and the target is reached as well."""
        match node:
            case Lookaround(body, behind=False):
                return self.add("", self.build(body, _NOWHERE), target)
            case Lookaround(body):
                inner = walk(body)
                if any(isinstance(part, Lookaround) and not part.behind for part in inner):
                    raise Undecided("it looks ahead from behind")
                looks = any(isinstance(part, Assertion) for part in inner)
            case Assertion("last line end"):
                return self.add("", self.add("\n", self.add(ANYTHING, _NOWHERE)), self.add(ANYTHING, _NOWHERE), target)
            case _:
                looks = node.kind != "text start"
        return self.add("", self.add(ANYTHING, _NOWHERE), target) if looks else target


def _without_case(characters: str) -> str:
    return f"[{escaped(characters)}]"


def is_written_out(node: Repeat) -> bool:
    """Whether its bounds are kept; larger ones count as endless."""
    copies = node.least if node.most is None else node.most
    return copies * _size(node.body) <= _MOST_COPIED


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
        case Literal(text, ignore_case):
            return len(text) * (_LONGEST_FOLDING if ignore_case else 1)
        case CharacterClass(_, ignore_case):
            return _LONGEST_FOLDING if ignore_case else 1
        case AnyCharacter() | Assertion():
            return 1
        case LineBreak():
            return 2
        case Alternation(branches):
            return max(map(_width, branches), default=0)
        case Repeat(body, _, most):
            return _width(body) * (_FARTHEST_BACK + 1 if most is None else most)
        case Backreference():
            return _FARTHEST_BACK + 1
        case _:
            return sum(map(_width, children(node)))
