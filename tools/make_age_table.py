"""Write conformance/core/unicode_ages.txt, or with --check compare it with what this would write.

    python tools/make_age_table.py DerivedAge.txt            write it anew
    python tools/make_age_table.py --check DerivedAge.txt    exit 1 if it differs

DerivedAge.txt is a file of the Unicode Character Database 18.0: the property Age, a range and a version a line.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from made_tables import arguments, write_or_check

CORE = Path(__file__).resolve().parent.parent / "conformance" / "core"
_RANGE = re.compile(r"^([0-9A-F]+)(?:\.\.([0-9A-F]+))? *; *(\d+\.\d+)", re.MULTILINE)


def ages(source: str) -> dict[str, str]:
    r"""The ranges of each version, in their order.

    >>> ages("# DerivedAge\n0000..01F5 ; 1.1 # [502]\n037A ; 1.1 # YPOGEGRAMMENI\n20AC ; 2.1 # EURO SIGN\n")
    {'1.1': '0-1F5 37A', '2.1': '20AC'}
    """
    found: dict[str, list[str]] = {}
    for first, last, version in _RANGE.findall(source):
        ends = [f"{int(end, 16):X}" for end in (first, last) if end]
        found.setdefault(version, []).append("-".join(ends))
    return {version: " ".join(ranges) for version, ranges in found.items()}


def main() -> int:
    """Write the table, or compare it."""
    given = arguments(__doc__, "DerivedAge.txt")
    source = given.source.read_text("utf-8")
    if "DerivedAge-18." not in source:
        sys.exit(f"{given.source} is not of Unicode 18")
    lines = (f"{version} {ranges}" for version, ranges in ages(source).items())
    return write_or_check({"unicode_ages": "\n".join(lines)}, given.check, "source", CORE)


if __name__ == "__main__":
    sys.exit(main())
