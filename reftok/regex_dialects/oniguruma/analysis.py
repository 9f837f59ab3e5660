"""What is known of a pattern without matching it: may it match nothing, or run away, and is it known to be reproduced.

Oniguruma refuses patterns, or reads them in its own way, though the syntax is sound. Source: `tune_look_behind` and
`check_node_in_look_behind` of Oniguruma, regcomp.c; the rest was found by comparing.
"""

from __future__ import annotations

from types import UnionType

from reftok.errors import UnsupportedFeature
from reftok.limits import DEEPEST_PATTERN, MOST_PATTERN_PARTS, MOST_WAYS
from reftok.regex_dialects.oniguruma.members import is_within_ascii, without_case
from reftok.regex_dialects.oniguruma.syntax_tree import (
    Alternation,
    Assertion,
    Atomic,
    Backreference,
    Capture,
    CharacterClass,
    Complement,
    Conditional,
    Intersection,
    Keep,
    Literal,
    Lookaround,
    Members,
    Node,
    Repeat,
    Sequence,
    Union,
    children,
    walk,
)


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
    """Whether from one place it may go more ways than MOST_WAYS, or take back the ends of two endless repetitions.

    A repeated group counts as if it did. Without that the time grows with the square of the text at worst.

    >>> from reftok.regex_dialects.oniguruma.parser import parse
    >>> runs_away(parse("a*b")), runs_away(parse("(ab)+")), runs_away(parse("a+a+b"))
    (False, True, True)
    """
    return any(endless > 1 or ways > MOST_WAYS for endless, ways in map(_ways, _branches(tree)))


def taken_back(tree: Node) -> list[Node]:
    """What it repeats without end, and may take back one by one where something behind it does not match.

    >>> from reftok.regex_dialects.oniguruma.parser import parse
    >>> taken_back(parse("a+b|c+d*"))
    [Literal(text='a', ignore_case=False)]
    """
    found: list[Node] = []
    for branch in _branches(tree):
        _ways(branch, repeated=found)
    return found


def _branches(tree: Node) -> tuple[Node, ...]:
    return tree.branches if isinstance(tree, Alternation) else (tree,)


_TOO_MANY = 2, 1


def _ways(node: Node, is_last: bool = True, repeated: list[Node] | None = None) -> tuple[int, int]:
    """How many endless repetitions may be taken back one by one, and how many ways there are besides.

    is_last: whether nothing behind it can fail; then its first way is its last. repeated: receives what is repeated.
    """
    match node:
        case Repeat(body, _, most) if is_single_character(body):
            if most is not None:
                return 0, 1 if is_last else most - node.least + 1
            if not is_last and repeated is not None:
                repeated.append(body)
            return int(not is_last), 1
        case Repeat(body, _, most):
            endless, ways = _ways(body, is_last, repeated)
            return (endless, ways + 1) if most in (0, 1) else _TOO_MANY
        case Alternation(branches):
            found = [_ways(branch, is_last, repeated) for branch in branches]
            return max(endless for endless, _ in found), sum(ways for _, ways in found)
        case Lookaround(body):
            # It goes forward at each place anew, even where it matches.
            return _ways(body, False, repeated)
        case Backreference():
            return 1, 1
        case Conditional():
            return _TOO_MANY if any(_ways(part, False, repeated)[0] for part in children(node)) else (0, MOST_WAYS)
    endless, ways = 0, 1
    for part in reversed(children(node)):
        more, times = _ways(part, is_last, repeated)
        endless, ways = endless + more, ways * times
        is_last = is_last and isinstance(part, Repeat) and part.least == 0
    return endless, ways


def is_single_character(node: Node) -> bool:
    """Whether it matches one character, and nothing else."""
    return isinstance(node, CharacterClass) or (isinstance(node, Literal) and len(node.text) == 1)


def written_out(node: Node) -> int:
    """How many parts a pattern has with its least counts written out, as the package `regex` does it.

    >>> written_out(Literal("ab")), written_out(Repeat(Literal("ab"), 2, None))
    (2, 6)
    """
    match node:
        case Literal(text):
            return max(1, len(text))
        case Repeat(body, least):
            return written_out(body) * (least + 1) + (least == 0)
        case _:
            return 1 + sum(map(written_out, children(node)))


def _depth(tree: Node) -> int:
    """How many nodes are within each other, at most; in a loop, since that is what is to be found out."""
    depth, level = 0, [tree]
    while level:
        depth, level = depth + 1, [child for node in level for child in children(node)]
    return depth


def check(pattern: str, tree: Node) -> None:
    """Raise UnsupportedFeature for what is out of bounds, or in the tree but not known to be reproduced."""
    if _depth(tree) > DEEPEST_PATTERN:
        raise UnsupportedFeature("", f"pattern {pattern[:60]!r}", "is nested too deeply")
    parts = written_out(tree)
    if parts > MOST_PATTERN_PARTS + len(pattern):
        problem = f"has {parts:,} parts with its counts written out, more than {MOST_PATTERN_PARTS:,}"
        raise UnsupportedFeature("", f"pattern {pattern[:200]!r}", problem)
    refers = _has(tree, Backreference | Conditional)
    for node in walk(tree):
        problem = ""
        if isinstance(node, Lookaround) and node.behind:
            problem = _lookbehind(node, refers)
        elif isinstance(node, Repeat) and refers and _has(node, Capture) and may_be_empty(node.body):
            problem = "a repetition of what may match nothing, with a group that is referred to"
        elif (
            isinstance(node, Repeat)
            and node.most not in (0, 1)
            and may_be_empty(node.body)
            and _has(node.body, Assertion | Lookaround)
        ):
            problem = "a repetition of what may match nothing and depends on its place"
        elif isinstance(node, Lookaround | Conditional | Repeat) and _has(node, Keep):
            problem = r"\K inside of a lookaround, a condition or a repetition"
        elif isinstance(node, CharacterClass) and _is_lost(node):
            problem = "a negated class around a negated one that leaves nothing beyond ASCII"
        if problem:
            raise UnsupportedFeature("", f"pattern {pattern!r}", f"{problem} is not supported")


def _has(node: Node, kind: type | UnionType) -> bool:
    return any(isinstance(part, kind) for part in walk(node))


def _lookbehind(lookbehind: Lookaround, refers: bool) -> str:
    """What a lookbehind has that is not known to be reproduced, "" for nothing."""
    if any(map(_vanishes, _branches(lookbehind.body))):
        return "nothing but repetitions that may be left out in a lookbehind"
    for node in (inner for child in children(lookbehind) for inner in walk(child)):
        match node:
            case Lookaround(_, True, negative) if negative == lookbehind.negative:
                pass
            case Lookaround():
                return "this lookaround in a lookbehind"
            case Assertion("text end" | "last line end"):
                return "an end of the text in a lookbehind"
            case Capture() if lookbehind.negative or refers:
                return "a group that captures in a lookbehind"
            case Atomic() | Conditional() | Backreference() | Keep():
                return f"{type(node).__name__.lower()} in a lookbehind"
    return ""


def _vanishes(branch: Node) -> bool:
    """Whether Oniguruma leaves out every part, and then takes the empty list for an error of its own.

    Source: `list_reduce_in_look_behind`, regcomp.c, whose last result is returned as if it were an error.
    """
    return isinstance(branch, Sequence) and branch.parts != () and all(map(_is_left_out, branch.parts))


def _is_left_out(part: Node) -> bool:
    if not isinstance(part, Repeat) or part.least > 0:
        return False
    body = part.body
    if isinstance(body, Repeat) and body.least == body.most and isinstance(body.body, Literal):
        body = body.body
    return isinstance(body, Literal | CharacterClass | Backreference)


def _is_lost(node: CharacterClass) -> bool:
    """Whether Oniguruma loses every character beyond ASCII, though the class has them all.

    Such a class is compared byte by byte, and a negated class in it has set the bits of the bytes over 0x7F.
    Source: `or_cclass`, regparse.c; `OP_CCLASS_NOT`, regexec.c.
    """
    if not isinstance(node.members, Complement):
        return False
    content = node.members.members
    # What is negated within has the numbers over the last code point too, which no range can name; with them the class
    # is not compared byte by byte. Only a class in brackets sets the bits of bytes, `\P{L}` does not.
    if not _reaches_beyond(content, of_brackets=True) or _reaches_beyond(content, of_brackets=False):
        return False
    return is_within_ascii(without_case(content)[0] if node.ignore_case else content)


def _reaches_beyond(members: Members, of_brackets: bool) -> bool:
    """Whether it has what only a negation gives. of_brackets: whether that of a class in brackets alone counts."""
    match members:
        case Union(parts):
            return any(_reaches_beyond(part, of_brackets) for part in parts)
        case Intersection(parts):
            return all(_reaches_beyond(part, of_brackets) for part in parts)
        case Complement(inner):
            return (isinstance(inner, Union) or not of_brackets) and not _reaches_beyond(inner, of_brackets)
        case _:
            return False
