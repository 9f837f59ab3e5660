"""What the scripts that make the tables of Unicode share: their arguments, and how they end."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "reftok" / "unicode" / "data"


def arguments(description: str | None, source: str = "") -> argparse.Namespace:
    """The flag `check`, and `source`, a file, where its name is not ""."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a table differs")
    if source:
        parser.add_argument("source", type=Path, help=source)
    return parser.parse_args()


def write_or_check(tables: Mapping[str, str], is_check: bool, maker: str, folder: Path = DATA) -> int:
    """Write the tables, or compare them with what is there; gives the exit code.

    tables: by name. maker: what they are made from, for the message. folder: where they are.
    """
    differing = 0
    for name, table in tables.items():
        path = folder / f"{name}.txt"
        if not is_check:
            path.write_text(f"{table}\n", encoding="ascii")
        elif path.read_text("ascii") != f"{table}\n":
            differing = 1
            print(f"{path.name} is not what this {maker} would make")
    if is_check and not differing:
        print(f"this {maker} would make the same tables")
    return differing
