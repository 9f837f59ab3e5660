"""Write reftok/unicode/llama_tables.py, or with --check compare it with what this would write.

    python tools/make_llama_unicode_tables.py llama.cpp/src/unicode-data.cpp            write it anew
    python tools/make_llama_unicode_tables.py --check llama.cpp/src/unicode-data.cpp    exit 1 if it differs

llama.cpp has a table of its own, which it asks for every code point; this takes the figures over, not the code.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from made_module import arguments, write_or_check

TABLES = Path(__file__).resolve().parent.parent / "reftok" / "llama" / "unicode_tables.py"
CATEGORY_OF_FLAG = {0x01: "U", 0x02: "N", 0x04: "L", 0x08: "Z", 0x10: "M", 0x20: "P", 0x40: "S", 0x80: "C"}
_RANGE = re.compile(r"\{0x([0-9A-F]+), 0x([0-9A-F]+)\}")

PAGE = '''\
"""The categories of llama.cpp; made by `python tools/make_llama_unicode_tables.py unicode-data.cpp`, not by hand.

Source: `unicode_ranges_flags`, src/unicode-data.cpp of llama.cpp as llama-cpp-python 0.3.36 has it.
"""

from __future__ import annotations

CATEGORIES = """
{categories}
"""
"""Where a range of code points begins, and its category: letter, mark, number, punctuation, symbol, separator (Z),
control (C, private use and surrogates with it) or unassigned (U). The first letter of Unicode's general category."""
'''


def page(source: str) -> str:
    """The text of the module, from the text of unicode-data.cpp."""
    return PAGE.format(categories=textwrap.fill(" ".join(categories(source)), 112))


def categories(source: str) -> Iterator[str]:
    """Each range as its first code point in hexadecimal, a colon and a category."""
    start = source.index("unicode_ranges_flags")
    table = source[start : source.index("};", start)]
    for first, flag in _RANGE.findall(table):
        if int(first, 16) <= sys.maxunicode:
            yield f"{int(first, 16):X}:{CATEGORY_OF_FLAG[int(flag, 16)]}"


def main() -> int:
    """Write the table, or compare it."""
    given = arguments(__doc__, "unicode-data.cpp")
    return write_or_check(TABLES, page(given.source.read_text("utf-8")), given.check, "source")


if __name__ == "__main__":
    sys.exit(main())
