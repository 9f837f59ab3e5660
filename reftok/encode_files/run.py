"""One run, from the inputs to the files in their places."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from reftok.encode_files.encoder import Encoder, Task
from reftok.encode_files.output import Done, Output, Paths, discard, locked, put_in_place, read_journal
from reftok.encode_files.sources import LONGEST, UNIT_BYTES, Sources, Unit
from reftok.encode_files.workers import encoded
from reftok.errors import EncodingStopped


@dataclass(frozen=True, slots=True)
class EncodedFiles:
    """The files that `encode_files` has written, and how much is in them.

    index: None if none was wanted. dtype: of the ids, as numpy names it; they are little-endian.
    bytes: of the documents, without separators. replaced: number of documents that had bytes which are not UTF-8.
    alters: what the model's own file does to the ids of each document ("truncation and padding"), or "".
    resumed: number of documents that an interrupted run had written before.
    """

    output: Path
    sidecar: Path
    index: Path | None
    dtype: str
    documents: int
    bytes: int
    tokens: int
    replaced: int
    alters: str
    resumed: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is.

    step: "loading", "reading again" what an interrupted run has read, "encoding".
    done: what is written, including what an interrupted run had written.
    raw_bytes: of the inputs on disk, as far as they have come; raw_size: of all of them, None if unknown.
    """

    step: str
    done: Done
    raw_bytes: int
    raw_size: int | None


Report: TypeAlias = Callable[[Progress], None]


def run_files(
    paths: Paths, sources: Sources, task: Task, workers: int, overwrite: bool, progress: Report | None
) -> EncodedFiles:
    """Begin a run whose arguments are known to be sound, or go on with an interrupted one."""

    def tell(step: str, done: Done, raw_bytes: int = 0) -> None:
        if progress is not None:
            progress(Progress(step, done, raw_bytes, sources.raw_size))

    with locked(paths):
        _check_output(paths, sources, overwrite)
        if overwrite:
            discard(paths)
        tell("loading", Done())
        encoder = Encoder(task)
        options = {
            **asdict(task),
            **encoder.identity(),
            "separator": sources.separator,
            "index": paths.index is not None,
            "unit_bytes": [UNIT_BYTES, LONGEST],
            "inputs": [[name, size] for name, size in zip(sources.names, sources.sizes, strict=True)],
        }
        done = begun = read_journal(paths.journal, options)
        if not begun.is_complete:
            with closing(Output(paths, encoder.id_bytes, options, begun)) as output:
                units = sources.units()
                _skip(units, begun, tell)
                tell("encoding", begun)
                with closing(encoded(units, encoder, task, workers)) as pairs:
                    for unit, ids in pairs:
                        output.write(unit, ids)
                        tell("encoding", output.done, unit.raw_bytes)
                output.finish()
            done = output.done
        put_in_place(paths)
    counts = done.documents, done.bytes, done.tokens, done.replaced
    dtype = f"uint{8 * encoder.id_bytes}"
    return EncodedFiles(paths.output, paths.sidecar, paths.index, dtype, *counts, encoder.alters, begun.documents)


def _check_output(paths: Paths, sources: Sources, overwrite: bool) -> None:
    """Raise EncodingStopped for an output that is an input, or that exists and is not to be replaced."""
    targets = [target for _, target in paths.results if target.exists()]
    for target in targets:
        for name in sources.names:
            if name != "-" and target.samefile(name):
                raise EncodingStopped(f"{name}: is the input, and would be overwritten")
    # With a journal, they are of a run that was killed before it had renamed all.
    if targets and not overwrite and not paths.journal.exists():
        raise EncodingStopped(f"{targets[-1]}: exists already; --overwrite replaces it")


def _skip(units: Iterator[Unit], begun: Done, tell: Callable[[str, Done, int], None]) -> None:
    """Read what an interrupted run has read; raise EncodingStopped if it is not the same."""
    seen = ""
    for unit in islice(units, begun.units):
        seen = unit.seen
        tell("reading again", begun, unit.raw_bytes)
    if seen != begun.seen:
        raise EncodingStopped(
            "the input is not what an interrupted run has read: give it the same, or begin anew with --overwrite"
        )
