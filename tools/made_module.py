"""What the scripts that make a module of tables share: their arguments, and how they end."""

from __future__ import annotations

import argparse
from pathlib import Path


def arguments(description: str | None, source: str = "") -> argparse.Namespace:
    """The flag `check`, and `source`, a file, where its name is not ""."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the file differs")
    if source:
        parser.add_argument("source", type=Path, help=source)
    return parser.parse_args()


def write_or_check(module: Path, made: str, is_check: bool, maker: str) -> int:
    """Write the text of the module, or compare it with what is there; gives the exit code.

    maker: what the text is made from, for the message.
    """
    if is_check:
        same = module.read_text("utf-8") == made
        print(f"{module.name} is {'as it would be made' if same else f'not what this {maker} would make'}")
        return 0 if same else 1
    module.write_text(made, encoding="utf-8")
    return 0
