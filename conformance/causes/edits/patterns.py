"""Ways to write a split pattern otherwise, as changes to its text."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ASCII_SPACE = "\\t\\n\\x0b\\f\\r "

_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_GPT2_CONTRACTIONS = "'s|'t|'re|'ve|'m|'ll|'d"

CHANGES: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("contractions in capitals are not split", ((f"{_CONTRACTIONS}|", f"{_GPT2_CONTRACTIONS}|"),)),
    ("contractions in capitals are split", ((f"^{_GPT2_CONTRACTIONS}|", f"{_CONTRACTIONS}|"),)),
    ("contractions are not split", ((f"{_CONTRACTIONS}|", ""),)),
    ("contractions are not split", ((f"^{_GPT2_CONTRACTIONS}|", ""),)),
    ("contractions are not split at the start of the text", ((f"{_CONTRACTIONS}|", f"(?!\\A){_CONTRACTIONS}|"),)),
    ("contractions are not split at the start of the text",
     ((f"^{_GPT2_CONTRACTIONS}|", f"(?!\\A)(?:{_GPT2_CONTRACTIONS})|"),)),
    ("contractions are not split at the end of the text",
     ((f"^{_GPT2_CONTRACTIONS}|", f"(?:{_GPT2_CONTRACTIONS})(?!\\z)|"),)),
    ("contractions of three characters are not split at the end of the text",
     ((f"^{_GPT2_CONTRACTIONS}|", "'s|'t|'m|'d|'(?:re|ve|ll)(?!\\z)|"),)),
    ("contractions take the space before them", ((f"{_CONTRACTIONS}|", f" ?{_CONTRACTIONS}|"),)),
    ("contractions take the space before them", ((f"^{_GPT2_CONTRACTIONS}|", f" ?(?:{_GPT2_CONTRACTIONS})|"),)),
    ("contractions in capitals are split from words", ((f"{_CONTRACTIONS}?", f"(?:{_GPT2_CONTRACTIONS})?"),)),
    ("contractions are split from words", ((f"{_CONTRACTIONS}?", ""),)),
    ("contractions with a typographic apostrophe are split",
     ((_GPT2_CONTRACTIONS, "['\u2019]s|['\u2019]t|['\u2019]re|['\u2019]ve|['\u2019]m|['\u2019]ll|['\u2019]d"),)),
    ("digits in groups of 1", (("\\p{N}{1,3}", "\\p{N}"),)),
    ("digits in groups of 3", (("|\\p{N}|", "|\\p{N}{1,3}|"),)),
    ("digits in groups of 3", (("| ?\\p{N}+|", "| ?\\p{N}{1,3}|"),)),
    ("digits in groups of 1", (("| ?\\p{N}+|", "| ?\\p{N}|"),)),
    ("digits in groups of 3 from the right", (("\\p{N}{1,3}", "\\p{N}{1,3}(?=(?:\\p{N}{3})*(?!\\p{N}))"),)),
    ("digits are not grouped", (("\\p{N}{1,3}", "\\p{N}+"),)),
    ("digits are not grouped", (("|\\p{N}|", "|\\p{N}+|"),)),
    ("white space lookahead is missing", (("\\s+(?!\\S)|", ""),)),
    ("of white space before a word only a space is split off",
     (("\\s+(?!\\S)|", "\\s+(?= \\S)|\\s+(?<! )(?=\\S)|\\s+(?!\\S)|"),)),
    ("the last of the white space at the end is split off", (("\\s+(?!\\S)", "\\s+(?=\\s)"),)),
    ("white space with several line ends is cut after the first", (("\\s*[\\r\\n]+", "\\s*?[\\r\\n]+"),)),
    ("line ends are not split from white space", (("\\s*[\\r\\n]+|", ""),)),
    ("line ends are split from punctuation", (("\\p{N}]+[\\r\\n]*|", "\\p{N}]+|"),)),
    ("spaces are split from punctuation", (("| ?[^\\s", "|[^\\s"),)),
    ("any white space is taken with punctuation", (("| ?[^\\s", "|\\s?[^\\s"),)),
    ("spaces are split from words", (("| ?\\p{L}", "|\\p{L}"),)),
    ("\\p{N} is ASCII digits", (("\\p{N}", "0-9"), ("|0-9", "|[0-9]"), ("?0-9", "?[0-9]"), ("^0-9", "[0-9]"))),
    ("\\p{N} is decimal digits", (("\\p{N}", "\\p{Nd}"),)),
    ("\\p{L} is not all letters", (("\\p{L}", "A-Za-z"), ("]?A-Za-z+", "]?[A-Za-z]+"), ("| ?A-Za-z+", "| ?[A-Za-z]+"),
                                  ("^A-Za-z+", "[A-Za-z]+"))),
    ("marks count as letters", (("\\p{L}", "\\p{L}\\p{M}"), ("]?\\p{L}\\p{M}+", "]?[\\p{L}\\p{M}]+"),
                               ("| ?\\p{L}\\p{M}+", "| ?[\\p{L}\\p{M}]+"))),
    ("marks count as letters", (("]?\\p{L}+", "]?[\\p{L}\\p{M}]+"), ("| ?\\p{L}+", "| ?[\\p{L}\\p{M}]+"))),
    ("letters are those of the property Alphabetic", (("\\p{L}", "\\p{Alphabetic}"),)),
    ("\\w in place of \\p{L}", (("[^\\r\\n\\p{L}\\p{N}]?\\p{L}+", "[^\\r\\n\\w]?\\w+"),)),
    ("\\s is ASCII white space", (("[^\\s", f"[^{_ASCII_SPACE}"), ("(?!\\S)", f"(?![^{_ASCII_SPACE}])"),
                                  ("\\s+", f"[{_ASCII_SPACE}]+"), ("\\s*", f"[{_ASCII_SPACE}]*"))),
)  # fmt: skip
"""Rule, and what stands in the pattern with what is written in its place; "^" binds it to the start."""


_PIECES = re.compile(r"\\[pP]\{[^}]*\}|\\.|\(\?|\{\d*,?\d*\}|.", re.DOTALL)
_OF_TIKTOKEN = "'(?i:[sdmt]|ll|ve|re)"
_NEWER_END, _OLDER_END = r"|\s+\Z|\s*[\r\n]|\s+(?!\S)|\s", r"|\s*[\r\n]+|\s+(?!\S)|\s+"


def spelled_out(pattern: str) -> str:
    r"""The contractions one by one, and greedy quantifiers in place of possessive ones: as others write the pattern.

    pattern: for Oniguruma, where `{3,1}` is possessive. Where it is one of tiktoken's, since 0.6, it matches the same.

    >>> spelled_out(r"[^\r\n]?+\p{L}++|\p{N}{3,1}|[*+]\++|a{1,3}+")
    '[^\\r\\n]?\\p{L}+|\\p{N}{1,3}|[*+]\\++|a{1,3}+'
    """
    pieces: list[str] = []
    depth, is_quantified = 0, False
    for piece in _PIECES.findall(pattern):
        depth += (piece == "[") - (piece == "]" and depth > 0)
        if depth == 0 and piece in ("?", "*", "+"):
            if not (is_quantified and piece == "+"):
                pieces.append(piece)
            is_quantified = not is_quantified
            continue
        is_quantified = False
        pieces.append("{1,3}" if depth == 0 and piece == "{3,1}" else piece)
    return "".join(pieces).replace(_OF_TIKTOKEN, _CONTRACTIONS)


def rewritten(pattern: str) -> Iterator[tuple[str, str]]:
    r"""Rule and pattern, for each change that the pattern, spelled out, has room for.

    >>> dict(rewritten(r"\p{L}+|\p{N}{1,3}|\s+(?!\S)|\s+"))["digits in groups of 1"]
    '\\p{L}+|\\p{N}|\\s+(?!\\S)|\\s+'
    >>> dict(rewritten(r"'(?i:[sdmt]|ll|ve|re)|\p{L}++"))["contractions are not split"]
    '\\p{L}+'
    """
    pattern = spelled_out(pattern)
    yield from _changed(pattern)
    if pattern.endswith(_NEWER_END):
        older = pattern.removesuffix(_NEWER_END) + _OLDER_END
        yield "white space at the end is cut behind a line end", older
        yield from ((rule, changed) for rule, changed in _changed(older) if not changed.endswith(_OLDER_END))


def _changed(pattern: str) -> Iterator[tuple[str, str]]:
    given = {pattern}
    for rule, parts in CHANGES:
        changed = pattern
        for part, other in parts:
            if part.startswith("^"):
                changed = other + changed[len(part) - 1 :] if changed.startswith(part[1:]) else changed
            else:
                changed = changed.replace(part, other)
        if changed not in given:
            given.add(changed)
            yield rule, changed
