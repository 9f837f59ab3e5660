"""Text files to token ids on disk: `reftok.encode_files`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reftok.errors import EncodingStopped

if TYPE_CHECKING:
    from reftok.encode_files.progress import Progress
    from reftok.encode_files.result import EncodedFiles


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
    engine: str = "reftok",
    verify: bool = False,
    encoding: str | None = None,
    workers: int | None = None,
    overwrite: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> EncodedFiles:
    """Write the ids of text files, as `encode_ids` gives them for each document, in bounded memory and on all cores.

    model: as for `load`.
    inputs: files of UTF-8, compressed with zstd or not; "-" is standard input.
    output: .npy, or .bin for the ids and nothing else; uint16 where it holds all ids of the vocab, else uint32,
        little-endian. Beside it lies a sidecar, output + ".json", with counts, hashes, versions and options.
    separator: ends a document and is not part of it; None where each file is a document. Nothing else is taken off a
        text: neither a carriage return nor a byte order mark. An empty document counts; behind the last separator of
        a file there is one only where it is not empty.
    errors: what happens with bytes that are not UTF-8: "strict" stops, "replace" puts U+FFFD in their place.
    end_token: a token that is put behind each document.
    index: also write output + ".index.npy", uint64: document i has the ids from index[i] to index[i + 1].
    engine: "reftok", or the official library that the model follows: "tokenizers", "sentencepiece", "tiktoken".
    verify: compare reftok with the official library on the way.
    encoding: as for `load`.
    workers: processes that encode; as many as there are cores where it is None. The result is the same with any number.
    overwrite: replace an existing output, and forget an interrupted run.
    progress: called now and then.

    A run that was interrupted goes on when it is called again with the same inputs and options. A document of more
    than about 4 MiB is encoded as a stream by one process, while the others wait; the official libraries, and so
    `verify`, take no document of more than 16 MiB, and a stream that must hold back more than 4 Mi code points stops.

    Raises EncodingStopped where the model or a file cannot be read, written or gone on with and for a document that
    cannot be encoded, VerificationFailed where `verify` finds a difference; the output is then as it was before.
    """
    # A tenth of the time that `import reftok` takes, for what few programs do.
    from reftok.encode_files.messages import Task
    from reftok.encode_files.output import checked_paths
    from reftok.encode_files.run import run_files
    from reftok.encode_files.sources import Sources

    given: object = model
    if not isinstance(given, str | Path):
        raise EncodingStopped(f"model is a path or the name of an embedded model, not {type(given).__name__}")
    named: object = inputs
    if isinstance(named, bytes | bytearray):
        raise EncodingStopped(f"inputs are paths, not {type(named).__name__}")
    paths = checked_paths(output, index)
    sources = Sources([inputs] if isinstance(inputs, str | Path) else inputs)
    task = Task(str(model), encoding, engine, verify, errors, add_special_tokens, end_token)
    return run_files(paths, sources, task, separator, workers, overwrite, progress)
