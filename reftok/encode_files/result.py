"""The result of `encode_files`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class EncodedFiles:
    """The files that were written, and how much is in them.

    output, sidecar, index: the files; index is None where none was wanted.
    dtype: as numpy has it, little-endian.
    bytes, code_points: of the documents' texts, without separators.
    replaced: documents in which bytes that are not UTF-8 were replaced.
    alters: what the model's own file does to the ids of a document ("truncation and padding"), "" for nothing.
    resumed: documents that a run which was interrupted had written before.
    """

    output: Path
    sidecar: Path
    index: Path | None
    dtype: str
    documents: int
    bytes: int
    code_points: int
    tokens: int
    replaced: int
    alters: str
    resumed: int = 0
