"""Write reftok/unicode/data/grapheme_classes_in_17.txt, or with --check compare it with what this would write.

    python tools/make_grapheme_tables.py unicode-segmentation/src/tables.rs            write it anew
    python tools/make_grapheme_tables.py --check unicode-segmentation/src/tables.rs    exit 1 if it differs

`tokenizers` cuts grapheme clusters by the crate unicode-segmentation, whose tables these are: the figures are taken
over, not the code. They cannot be read off the library, which shows clusters under 6 bytes only.
"""

from __future__ import annotations

import re
import sys

from made_tables import arguments, write_or_check

LETTERS = {
    "Control": "C",
    "CR": "R",
    "LF": "N",
    "Extend": "E",
    "InCB_Linker": "K",
    "ZWJ": "Z",
    "SpacingMark": "S",
    "Prepend": "P",
    "Regional_Indicator": "I",
    "L": "L",
    "V": "V",
    "T": "T",
    "Extended_Pictographic": "X",
    "InCB_Consonant": "D",
}
"""The classes by the letters of reftok/unicode/graphemes.py. LV and LVT follow from a rule."""
_VERSION = re.compile(r"UNICODE_VERSION: \(u64, u64, u64\) = \((\d+), (\d+), (\d+)\)")
_RANGE = re.compile(r"\('\\u\{([0-9a-f]+)\}',\s*'\\u\{([0-9a-f]+)\}',\s*GC_(\w+)\)")
_LINKER = re.compile(r"'\\u\{([0-9A-F]+)\}'")


def classes(source: str) -> dict[str, str]:
    r"""The ranges of each class, by its letter; linkers behind the other Extend.

    >>> table = r"const grapheme_cat_table: &[] = &[('\u{300}', '\u{36f}', GC_Extend)];"
    >>> classes(r"fn is_incb_linker(c: char) { matches!(c, | '\u{94D}') }" + "\n" + table)
    {'E': '300-36F', 'K': '94D'}
    """
    found: dict[str, list[str]] = {}
    for first, last, name in _RANGE.findall(_between(source, "const grapheme_cat_table", "];")):
        if name in LETTERS:
            found.setdefault(name, []).append(first.upper() if first == last else f"{first}-{last}".upper())
    found["InCB_Linker"] = _LINKER.findall(_between(source, "fn is_incb_linker", "}\n"))
    return {letter: " ".join(found[name]) for name, letter in LETTERS.items() if name in found}


def _between(source: str, start: str, end: str) -> str:
    return source.partition(start)[2].partition(end)[0]


def main() -> int:
    """Write the tables, or compare them."""
    given = arguments(__doc__, "tables.rs")
    source = given.source.read_text("utf-8")
    version = _VERSION.search(source)
    if version is None or version[1] != "17":
        sys.exit(f"{given.source} is not of Unicode 17: the table's name says which version it has")
    lines = (f"{name} {ranges}" for name, ranges in classes(source).items())
    return write_or_check({"grapheme_classes_in_17": "\n".join(lines)}, given.check, "source")


if __name__ == "__main__":
    sys.exit(main())
