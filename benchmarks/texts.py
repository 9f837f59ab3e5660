"""What is encoded: documents made of the lines of the project's corpora, or files that the caller names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

CORPORA = Path(__file__).parents[1] / "corpora"
DOCUMENT = 4096
"""Bytes of UTF-8 that a document has at least; the last one of a file may have fewer."""

_FILES = {
    "english": ("languages/en-*.txt",),
    "japanese": ("languages/ja-*.txt",),
    "multilingual": ("languages/*.txt",),
}


def documents(lines: Sequence[str]) -> list[str]:
    """The lines put together until each document is long enough.

    >>> [len(document) for document in documents(["a" * 3000] * 3)]
    [6002, 3001]
    """
    made: list[str] = []
    current: list[str] = []
    size = 0
    for line in lines:
        current.append(line)
        size += len(line.encode("utf-8")) + 1
        if size >= DOCUMENT:
            made.append("\n".join(current) + "\n")
            current, size = [], 0
    return [*made, "\n".join(current) + "\n"] if current else made


def corpus(name: str, size: int = 200_000, seed: int = 0, repeat: bool = True) -> list[str]:
    """Documents of about `size` bytes in all: the lines of a corpus, in a seeded order, as often as it takes.

    name: english, japanese, multilingual. repeat: False to take each line once at most, however few there are.
    """
    lines = [
        line
        for pattern in _FILES[name]
        for path in sorted(CORPORA.glob(pattern))
        for line in path.read_text("utf-8").splitlines()
        if line
    ]
    random = Random(seed)
    chosen: list[str] = []
    total = 0
    while total < size:
        random.shuffle(lines)
        for line in lines:
            chosen.append(line)
            total += len(line.encode("utf-8")) + 1
            if total >= size:
                break
        if not repeat:
            break
    return documents(chosen)


def from_file(path: Path) -> list[str]:
    """The documents of a file of UTF-8."""
    return documents(path.read_text("utf-8").splitlines())
