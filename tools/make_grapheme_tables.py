"""Write reftok/unicode/grapheme_tables.py, or with --check compare it with what this would write.

    python tools/make_grapheme_tables.py unicode-segmentation/src/tables.rs            write it anew
    python tools/make_grapheme_tables.py --check unicode-segmentation/src/tables.rs    exit 1 if it differs

`tokenizers` cuts grapheme clusters by the crate unicode-segmentation, whose tables these are: the figures are taken
over, not the code. They cannot be read off the library, which shows clusters under 6 bytes only.
"""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

from made_module import arguments, write_or_check

TABLES = Path(__file__).resolve().parent.parent / "reftok" / "grapheme_tables.py"
BY_RULE = ("LV", "LVT")
_RANGE = re.compile(r"\('\\u\{([0-9a-f]+)\}',\s*'\\u\{([0-9a-f]+)\}',\s*GC_(\w+)\)")
_LINKER = re.compile(r"'\\u\{([0-9A-F]+)\}'")
_VERSION = re.compile(r"UNICODE_VERSION: \(u64, u64, u64\) = \((\d+), (\d+), (\d+)\)")

PAGE = '''\
"""The grapheme cluster classes of Unicode; made by `python tools/make_grapheme_tables.py tables.rs`, not by hand.

Source: `grapheme_cat_table` and `is_incb_linker`, src/tables.rs of the crate unicode-segmentation 1.13.2.
"""

from __future__ import annotations

from collections.abc import Mapping

UNICODE_VERSION = "{version}"

GRAPHEME_CLASSES: Mapping[str, str] = {{
{classes}
}}
"""The code points of each class, as hexadecimal ranges. A code point is in one class at most, but a linker is an
Extend as well. The classes LV and LVT, the Hangul syllables, follow from a rule and are left out."""
'''


def page(source: str) -> str:
    """The text of the module, from the text of tables.rs."""
    version = _VERSION.search(source)
    assert version is not None
    lines = (f'    "{name}": """\n{textwrap.fill(ranges, 112)}\n""",' for name, ranges in classes(source).items())
    return PAGE.format(version=".".join(version.groups()), classes="\n".join(lines))


def classes(source: str) -> dict[str, str]:
    r"""The ranges of each class, in order of their names.

    >>> table = r"const grapheme_cat_table: &[] = &[('\u{300}', '\u{36f}', GC_Extend)];"
    >>> classes(r"fn is_incb_linker(c: char) { matches!(c, | '\u{94D}') }" + "\n" + table)
    {'Extend': '300-36F', 'InCB_Linker': '94D'}
    """
    found: dict[str, list[str]] = {}
    for first, last, name in _RANGE.findall(_between(source, "const grapheme_cat_table", "];")):
        if name not in BY_RULE:
            found.setdefault(name, []).append(first.upper() if first == last else f"{first}-{last}".upper())
    found["InCB_Linker"] = _LINKER.findall(_between(source, "fn is_incb_linker", "}\n"))
    return {name: " ".join(found[name]) for name in sorted(found)}


def _between(source: str, start: str, end: str) -> str:
    return source.partition(start)[2].partition(end)[0]


def main() -> int:
    """Write the tables, or compare them."""
    given = arguments(__doc__, "tables.rs")
    return write_or_check(TABLES, page(given.source.read_text("utf-8")), given.check, "source")


if __name__ == "__main__":
    sys.exit(main())
