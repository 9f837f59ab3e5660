"""One run, from the inputs to the files in their places."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from reftok.encode_files.encoder import Task, Workers
from reftok.encode_files.output import Done, Output, Paths, discard, locked, put_in_place, read_journal
from reftok.encode_files.sources import LONGEST, UNIT_BYTES, Sources, Unit
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
    """Begin a run, or go on with an interrupted one."""

    def tell(step: str, done: Done, raw_bytes: int = 0) -> None:
        if progress is not None:
            progress(Progress(step, done, raw_bytes, sources.raw_size))

    # A small input is encoded before another process has started.
    count = 1 if sources.raw_size is not None and sources.raw_size <= UNIT_BYTES else workers
    with locked(paths), closing(Workers(task, count)) as pool:
        _check_output(paths, sources, overwrite)
        if overwrite:
            discard(paths)
        tell("loading", Done())
        identity = pool.identity()
        options = {
            **asdict(task),
            **identity,
            "separator": sources.separator,
            "index": paths.index is not None,
            "unit_bytes": [UNIT_BYTES, LONGEST],
            "inputs": [[name, size] for name, size in zip(sources.names, sources.sizes, strict=True)],
        }
        done = begun = read_journal(paths.journal, options)
        id_bytes = int(identity["dtype"][-1])
        if not begun.is_complete:
            with closing(Output(paths, id_bytes, options, begun)) as output:
                units = sources.units()
                _skip(units, begun, tell)
                tell("encoding", begun)
                for unit, encoded in pool.encoded(units):
                    output.write(unit, encoded)
                    tell("encoding", output.done, unit.raw_bytes)
                output.finish()
            done = output.done
        put_in_place(paths)
    places = paths.output, paths.sidecar, paths.index, f"uint{8 * id_bytes}"
    counts = done.documents, done.bytes, done.tokens, done.replaced
    return EncodedFiles(*places, *counts, identity["alters"], begun.documents)


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
        raise EncodingStopped("the input has changed since the interrupted run: restore it, or begin with --overwrite")
