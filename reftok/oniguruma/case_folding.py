"""Matching without regard to case, in Unicode 16.

Source: `onigenc_unicode_get_case_fold_codes_by_str` and `onigenc_unicode_apply_all_case_fold` of Oniguruma, unicode.c,
and `unravel_case_fold_string`, regcomp.c.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import regex

from reftok.unicode.characters import character_class
from reftok.unicode.tables import UNASSIGNED_IN_16

_LAST_CASED = 0x1E943
_SINCE_14 = {0x1C89: 0x1C8A, 0xA7CB: 0x264, 0xA7CC: 0xA7CD, 0xA7DA: 0xA7DB, 0xA7DC: 0x19B} | {
    capital: capital + 0x20 for capital in range(0x10D50, 0x10D66)
}
"""Foldings that the oldest supported Python, with its Unicode 14, does not know."""
_LONGEST = 3


@dataclass(frozen=True, slots=True)
class Foldings:
    """alike: the characters that fold to the same one, for each of them. sharing: those that fold to several."""

    alike: dict[str, str]
    sharing: dict[str, str]


@cache
def foldings() -> Foldings:
    """The tables.

    >>> foldings().alike["s"], foldings().sharing["ss"]
    ('sSſ', 'ßẞ')
    """
    unassigned = regex.compile(character_class(UNASSIGNED_IN_16))
    alike: dict[str, str] = {}
    sharing: dict[str, str] = {}
    for character in map(chr, range(_LAST_CASED + 1)):
        folded = chr(_SINCE_14[ord(character)]) if ord(character) in _SINCE_14 else character.casefold()
        if folded == character or unassigned.match(character):
            continue
        group = sharing if len(folded) > 1 else alike
        group[folded] = group.get(folded, folded if len(folded) == 1 else "") + character
    return Foldings({character: group for group in alike.values() for character in group}, sharing)


def folded_characters() -> str:
    """Every character that matches another one, or several."""
    return "".join({*foldings().alike, *"".join(foldings().sharing.values())})


def folded_parts(text: str, single: bool) -> Iterator[tuple[str, str]]:
    """A literal in the parts that are folded as one: what each stands for alone, and the several that it folds to.

    single: whether one character can only stand for one, as in a lookbehind.

    >>> list(folded_parts("as", False)), list(folded_parts("ss", False)), list(folded_parts("ß", True))
    ([('aA', ''), ('sSſ', '')], [('ßẞ', 'ss')], [('ßẞ', '')])
    """
    position = 0
    while position < len(text):
        folded = "" if single else _several(text, position)
        character = text[position]
        if folded:
            yield foldings().sharing[folded], folded
            position += len(folded)
            continue
        own = next((folded for folded, group in foldings().sharing.items() if character in group), "")
        yield foldings().sharing.get(own, foldings().alike.get(character, character)), "" if single else own
        position += 1


def _several(text: str, position: int) -> str:
    """The longest folding to several characters that the text has at a position."""
    alike = foldings().alike
    folded = "".join(alike.get(character, character)[0] for character in text[position : position + _LONGEST])
    return next((folded[:length] for length in (3, 2) if folded[:length] in foldings().sharing), "")
