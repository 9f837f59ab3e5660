"""What is known of a pattern without matching it: may it match nothing, or run away, and is it known to be reproduced.

Oniguruma refuses patterns, or reads them in its own way, though the syntax is sound. Source: `tune_look_behind` and
`check_node_in_look_behind` of Oniguruma, regcomp.c; the rest was found by comparing.
"""

from __future__ import annotations

from reftok.errors import UnsupportedFeature
from reftok.limits import DEEPEST_PATTERN, MOST_PATTERN_PARTS
from reftok.oniguruma.case_folding import without_case
from reftok.oniguruma.members import is_within_ascii
from reftok.oniguruma.syntax_tree import (
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
    nodes = walk(tree)
    refers = any(isinstance(node, Backreference | Conditional) for node in nodes)
    for node in nodes:
        problem = ""
        if isinstance(node, Lookaround) and node.behind:
            problem = _lookbehind(node, refers)
        elif isinstance(node, Repeat) and refers and _captures(node) and may_be_empty(node.body):
            problem = "a repetition of what may match nothing, with a group that is referred to"
        elif isinstance(node, Repeat) and node.most not in (0, 1) and may_be_empty(node.body) and _looks(node.body):
            problem = "a repetition of what may match nothing and depends on its place"
        elif isinstance(node, Lookaround | Conditional | Repeat) and any(isinstance(part, Keep) for part in walk(node)):
            problem = r"\K inside of a lookaround, a condition or a repetition"
        elif isinstance(node, CharacterClass) and _is_lost(node):
            problem = "a negated class around a negated one that leaves nothing beyond ASCII"
        if problem:
            raise UnsupportedFeature("", f"pattern {pattern!r}", f"{problem} is not supported")


def _captures(node: Node) -> bool:
    return any(isinstance(part, Capture) for part in walk(node))


def _looks(node: Node) -> bool:
    return any(isinstance(part, Assertion | Lookaround) for part in walk(node))


def _lookbehind(lookbehind: Lookaround, refers: bool) -> str:
    branches = lookbehind.body.branches if isinstance(lookbehind.body, Alternation) else (lookbehind.body,)
    if any(map(_vanishes, branches)):
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
    if not _sets_high_bytes(content) or _reaches_beyond_unicode(content):
        return False
    return is_within_ascii(without_case(content)[0] if node.ignore_case else content)


def _sets_high_bytes(members: Members) -> bool:
    match members:
        case Union(parts):
            return any(map(_sets_high_bytes, parts))
        case Intersection(parts):
            return all(map(_sets_high_bytes, parts))
        case Complement(Union() as content):
            return not _sets_high_bytes(content)
        case _:
            return False


def _reaches_beyond_unicode(members: Members) -> bool:
    """Whether it has the numbers over the last code point: what a negation leaves, and no range can name."""
    match members:
        case Union(parts):
            return any(map(_reaches_beyond_unicode, parts))
        case Intersection(parts):
            return all(map(_reaches_beyond_unicode, parts))
        case Complement(inner):
            return not _reaches_beyond_unicode(inner)
        case _:
            return False
