"""The texts that the models are trained on, always in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDERS = ("languages", "domains")
"""The edge cases are not among them: a model that has learned them would meet them without surprise."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The documents of the corpora, sorted by path."""

    documents: tuple[str, ...]

    @classmethod
    def read(cls, corpora: Path) -> Texts:
        """All documents of a folder of corpora; only LF ends a line, so the text is read as it is."""
        paths = [path for folder in FOLDERS for path in sorted((corpora / folder).glob("*.txt"))]
        if not paths:
            raise FileNotFoundError(f"{corpora}: no texts in {' or '.join(FOLDERS)}")
        return cls(tuple(path.read_bytes().decode("utf-8") for path in paths))

    def lines(self) -> Iterator[str]:
        """The lines that are not empty."""
        return (line for document in self.documents for line in document.split("\n") if line)
