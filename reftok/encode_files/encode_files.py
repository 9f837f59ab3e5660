"""Text files to token ids on disk: `reftok.encode_files`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reftok.errors import EncodingStopped

if TYPE_CHECKING:
    from reftok.encode_files.run import EncodedFiles, Progress


def encode_files(
    model: str | Path,
    inputs: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    separator: str | None = "\n",
    errors: str = "strict",
    add_special_tokens: bool = True,
    end_token: str | None = None,
    index: bool = False,
    encoding: str | None = None,
    workers: int | None = None,
    overwrite: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> EncodedFiles:
    r"""Write the ids of text files, as `encode_ids` gives them for each document, in bounded memory and on all cores.

    model: as for `load`.
    inputs: files of UTF-8, compressed with zstd or not; "-" is standard input.
    output: .npy, which `numpy.load(output, mmap_mode="r")` maps into memory, or .bin for the ids and nothing else;
        uint16 if that holds all ids of the vocab, else uint32, little-endian. Beside it a sidecar, output + ".json",
        has counts, hashes, versions and options.
    separator: ends a document and is not part of it; None if each file is a document. Nothing else is removed. An empty
        document counts, except after the last separator of a file.
    errors: for bytes that are not UTF-8: "strict" stops, "replace" puts U+FFFD in their place.
    end_token: a token that is put after each document.
    index: also write output + ".index.npy", uint64: document i has the ids from index[i] to index[i + 1].
    encoding: as for `load`.
    workers: processes that encode, by default one for each core; 1 is this process. The result is always the same.
    overwrite: replace an existing output, and do not continue an interrupted run.
    progress: is called with how far the run is, several times a second.

    An interrupted run goes on when it is called again with the same inputs and options. This process encodes a document
    of more than 4 MiB as a stream, while the others wait.

    Raises EncodingStopped if the model or a file cannot be read, written or continued, and for a document that cannot
    be encoded, or of which more than 4 Mi code points must be held back. The output is then as it was before.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     texts = Path(folder, "texts.txt")
    ...     _ = texts.write_text("one two\nthree\n", "utf-8")
    ...     written = encode_files("bpe-qwen", texts, Path(folder, "tokens.npy"), workers=1)
    >>> written.documents, written.tokens, written.dtype
    (2, 4, 'uint16')
    """
    # What follows takes a tenth of the time of `import reftok`, and few programs need it.
    from reftok.encode_files.encoder import Task
    from reftok.encode_files.output import Paths
    from reftok.encode_files.run import run_files
    from reftok.encode_files.sources import Sources

    _check(model, inputs, separator, errors, workers)
    paths = Paths(output, index)
    task = Task(str(model), errors, add_special_tokens, end_token, encoding)
    try:
        sources = Sources([inputs] if isinstance(inputs, str | Path) else inputs, separator)
        return run_files(paths, sources, task, _cores() if workers is None else workers, overwrite, progress)
    except OSError as error:
        raise EncodingStopped(f"{error.filename or paths.output}: {error.strerror}") from error


def _check(model: object, inputs: object, separator: str | None, errors: str, workers: int | None) -> None:
    """Raise EncodingStopped for arguments that mean nothing."""
    if not isinstance(model, str | Path):
        raise EncodingStopped(f"model is a path or the name of an embedded model, not {type(model).__name__}")
    if isinstance(inputs, bytes | bytearray):
        raise EncodingStopped(f"inputs are paths, not {type(inputs).__name__}")
    if errors not in ("strict", "replace"):
        raise EncodingStopped(f"errors {errors!r:.60} is neither 'strict' nor 'replace'")
    if separator == "":
        raise EncodingStopped("the separator is empty, and would end a document everywhere")
    if workers is not None and workers < 1:
        raise EncodingStopped(f"workers is {workers}: at least 1 is needed")


def _cores() -> int:
    """The cores that this process may use, which in a container are often fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
