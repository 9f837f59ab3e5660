"""Write reftok/unicode/data/llama_categories.txt, or with --check compare it with what this would write.

    python tools/make_llama_unicode_tables.py llama.cpp/src/unicode-data.cpp            write it anew
    python tools/make_llama_unicode_tables.py --check llama.cpp/src/unicode-data.cpp    exit 1 if it differs

llama.cpp has a table of its own, which it asks for every code point; this takes the figures over, not the code.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator

from made_tables import arguments, write_or_check

CATEGORY_OF_FLAG = {0x01: "U", 0x02: "N", 0x04: "L", 0x08: "Z", 0x10: "M", 0x20: "P", 0x40: "S", 0x80: "C"}
_RANGE = re.compile(r"\{0x([0-9A-F]+), 0x([0-9A-F]+)\}")


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
    table = textwrap.fill(" ".join(categories(given.source.read_text("utf-8"))), 112)
    return write_or_check({"llama_categories": table}, given.check, "source")


if __name__ == "__main__":
    sys.exit(main())
