"""The files that a Python file imports from its folder: what it answers hangs on them too."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from os.path import isfile
from pathlib import Path


def imported_files(file: Path) -> tuple[Path, ...]:
    """The files below its folder that a Python file imports, and those that they import; nothing is run.

    What is no Python, or imported by a name that is only known when it runs, is not found.
    """
    found: dict[Path, None] = {}
    waiting = [file]
    while waiting:
        imported = _imported(waiting.pop(), file.parent)
        waiting += (path for path in imported if path not in found)
        found |= dict.fromkeys(imported)
    return tuple(path for path in found if path != file)


def _imported(file: Path, folder: Path) -> list[Path]:
    try:
        nodes = list(ast.walk(ast.parse(file.read_bytes())))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    places = (place for node in nodes for place in _places(node, file, folder))
    return [path for place in places for path in (place.with_suffix(".py"), place / "__init__.py") if isfile(path)]


def _places(node: ast.AST, file: Path, folder: Path) -> Iterator[Path]:
    """Where the modules that a statement may import stand, without .py, the packages around them too."""
    if isinstance(node, ast.Import):
        start, names = folder, [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        start = file.parents[node.level - 1] if 0 < node.level <= len(file.parents) else folder
        names = [".".join(filter(None, (node.module, alias.name))) for alias in node.names]
    else:
        return
    for name in names:
        parts = name.split(".")
        yield from (start.joinpath(*parts[:count]) for count in range(1, len(parts) + 1))
