"""The alternatives of a regular expression, so that those that nothing needs can be dropped."""

from __future__ import annotations

import re

_GROUP = re.compile(r"(\(\?[a-z]*:)(.*)\)", re.DOTALL)


def alternatives(pattern: str) -> list[str]:
    r"""The alternatives at the top of a pattern; joined by "|", they are the pattern again.

    >>> alternatives(r"(?i:'s|'t)| ?[^|\]]+|\||\s+")
    ["(?i:'s|'t)", ' ?[^|\\]]+', '\\|', '\\s+']
    """
    found, start, groups, classes, position = list[str](), 0, 0, 0, 0
    while position < len(pattern):
        character = pattern[position]
        if character == "\\":
            position += 1
        elif character == "[":
            classes += 1
        elif character == "]":
            classes = max(0, classes - 1)
        elif not classes and character in "()":
            groups += 1 if character == "(" else -1
        elif not classes and not groups and character == "|":
            found.append(pattern[start:position])
            start = position + 1
        position += 1
    return [*found, pattern[start:]]


def group_around(pattern: str) -> tuple[str, str] | None:
    """The opening of the one group that the whole pattern is, and its content; None for any other pattern.

    >>> group_around("(?i:a|b)"), group_around("(?:a)(?:b)")
    (('(?i:', 'a|b'), None)
    """
    match = _GROUP.fullmatch(pattern)
    if match is None:
        return None
    depth = 0
    for character in re.sub(r"\\.|\[[^\]]*\]", "", match[2], flags=re.DOTALL):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            return None
    return match[1], match[2]
