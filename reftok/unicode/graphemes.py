r"""Extended grapheme clusters of Unicode 17.0, whatever version of Unicode is installed here.

Source: Unicode Standard Annex #29, rules GB3 to GB13, with the tables of the crate unicode-segmentation 1.13, which
`tokenizers` 0.23.3 cuts clusters with. Each code point is written as the letter of its class, so that what a cluster is
can be said by a pattern over letters.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache

from reftok.unicode.ranges import ranges_of
from reftok.unicode.tables import GRAPHEME_CLASSES

_ZWNJ, _LV, _LVT, _OTHER = "WABO"
"""Beside them C Control, R CR, N LF, E Extend, K InCB_Linker (an Extend as well), Z ZWJ, S SpacingMark, P Prepend,
I Regional_Indicator, L, V and T (Hangul jamo), X Extended_Pictographic, D InCB_Consonant. ZWNJ has a letter because it
is the only Extend that may not be within a conjunct."""
_SYLLABLES = range(0xAC00, 0xD7A4)
_SYLLABLES_WITHOUT_TRAILING_JAMO = _SYLLABLES[::28]
"""Source: the Unicode Standard, section 3.12, Conjoining Jamo Behavior."""

MARKS = "EKWZS"
"""The letters of what joins the cluster before it, whatever that is: rules GB9 and GB9a."""
REGIONAL_INDICATOR = "I"
JOINED_BY_MARKS_ONLY = _OTHER
"""The letter of what nothing but marks joins."""
_ALONE = frozenset("CNABXDO")
"""The letters of what is a cluster of its own as long as nothing else is around."""

_HANGUL = r"L*+(?:V++|AV*+|B)T*+|L++|T++"  # GB6 to GB8
_FLAG = "II"  # GB12 and GB13
_EMOJI = "X(?:[EKW]*+ZX)*+"  # GB11
_CONJUNCT = "D(?:[EZ]*+K[EKZ]*+D)*+"  # GB9c
_CORE = f"{_HANGUL}|{_FLAG}|{_EMOJI}|{_CONJUNCT}|[IO]"
_CLUSTER = re.compile(f"RN|[CRN]|P*+(?:{_CORE})[{MARKS}]*+|P++[{MARKS}]*+|[{MARKS}]++")
"""GB3 to GB5: a line break or a control character is a cluster of its own. GB9b, GB9 and GB9a: prepended characters
join what follows, and marks what stands before them."""


@cache
def _letters() -> defaultdict[int, str]:
    """The letter of each code point, for `str.translate`; those that are in no class fill themselves in."""
    letters = dict.fromkeys(_SYLLABLES, _LVT) | dict.fromkeys(_SYLLABLES_WITHOUT_TRAILING_JAMO, _LV)
    for letter, table in GRAPHEME_CLASSES.items():
        for first, last in ranges_of(table):
            letters |= dict.fromkeys(range(first, last + 1), letter)
    return defaultdict(lambda: _OTHER, letters | {ord("\u200c"): _ZWNJ})


@cache
def _joining() -> frozenset[str]:
    """Code points that may be in one cluster with another; of two code points in a cluster, one is such."""
    return frozenset(chr(code) for code, letter in _letters().items() if letter not in _ALONE)


def class_letters(text: str) -> str:
    r"""The letter of each code point's class: the same length.

    >>> class_letters("e\u0301\r\n🇩🇪")
    'OERNII'
    """
    return text.translate(_letters())


def graphemes(text: str) -> list[str]:
    r"""The extended grapheme clusters of `text`.

    >>> graphemes("e\u0301\r\n") == ["e\u0301", "\r\n"]
    True
    >>> graphemes("🇩🇪🇫🇷👩\u200d🔬क्ष")
    ['🇩🇪', '🇫🇷', '👩\u200d🔬', 'क्ष']
    """
    if _joining().isdisjoint(text):
        return list(text)
    clusters: list[str] = []
    end = 0
    for cluster in _CLUSTER.findall(class_letters(text)):
        clusters.append(text[end : end + len(cluster)])
        end += len(cluster)
    return clusters
