"""One run: from blocks of the inputs to the finished files."""

from __future__ import annotations

import hashlib
import json
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

from reftok.encode_files.id_types import IdType, id_type
from reftok.encode_files.journal import Done, read_journal, write_journal
from reftok.encode_files.messages import Failure, Part, Ready, Reply, Task
from reftok.encode_files.output import Output, Paths, discard, put_in_place, write_durably
from reftok.encode_files.progress import Progress
from reftok.encode_files.result import EncodedFiles
from reftok.encode_files.sources import BLOCK_BYTES, Sources, shown
from reftok.encode_files.units import UNIT_BYTES, Unit, UnitCutter
from reftok.encode_files.workers import Workers, stopped
from reftok.errors import EncodingStopped, VerificationFailed

CHECKPOINT_SECONDS = 5.0
"""The most that a kill costs, a long document aside."""

UNITS_A_WORKER = 2
"""One that is being encoded and one that waits, which bounds the memory."""


class Run:
    """A run of `encode_files` whose arguments are known to be sound.

    separator: None where each source is a document. count: of processes.
    """

    def __init__(
        self,
        paths: Paths,
        sources: Sources,
        task: Task,
        separator: str | None,
        count: int,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self._paths = paths
        self._sources = sources
        self._task = task
        self._separator = None if separator is None else separator.encode("utf-8")
        self._count = count
        self._tell = progress or (lambda progress: None)
        self._workers = Workers(task, count)
        self._options: dict[str, Any] = {}
        self._begun = self._done = self._reached = Done()
        self._raw_bytes = 0
        self._started = self._saved = 0.0

    def run(self) -> EncodedFiles:
        """Everything, or the rest of it."""
        try:
            self._progress("loading")
            ready = self._workers.ready()
            stored = id_type(ready.bound, self._task.model)
            self._options = self._identity(ready)
            self._begun = self._done = self._reached = read_journal(self._paths.journal, self._options)
            if not self._done.is_complete:
                self._encode_all(stored, ready)
            put_in_place(self._paths)
            self._progress("done")
        finally:
            self._workers.close()
        return self._result(stored, ready)

    def _encode_all(self, stored: IdType, ready: Ready) -> None:
        output = Output(self._paths, stored, self._done.documents, self._done.tokens)
        try:
            self._encode(output)
            output.finish(self._done.documents, self._done.tokens)
        except VerificationFailed:
            discard(self._paths)
            raise
        except BaseException:
            self._save(output)
            raise
        finally:
            output.close()
        write_durably(self._paths.folder / "result.json", json.dumps(self._sidecar(stored, ready), indent=2) + "\n")
        self._done = replace(self._done, is_complete=True)
        write_journal(self._paths.journal, self._options, self._done)

    def _encode(self, output: Output) -> None:
        """Every unit that is not done yet: encoded in any order, written in theirs."""
        units = UnitCutter(self._separator, self._task.longest, UNIT_BYTES).units(self._sources.blocks())
        self._skip(units)
        self._started = self._saved = time.monotonic()
        self._progress("encoding")
        waiting: deque[tuple[Unit, Future[Reply | Failure]]] = deque()
        for unit in units:
            if unit.is_part:
                self._write_first(waiting, len(waiting), output)
                self._write_part(unit, output)
            else:
                waiting.append((unit, self._workers.submit(unit.documents)))
                self._write_first(waiting, len(waiting) - UNITS_A_WORKER * self._count, output)
        self._write_first(waiting, len(waiting), output)

    def _skip(self, units: Iterator[Unit]) -> None:
        """Read again what an interrupted run has done, to see that it is the same."""
        unit = None
        for _ in range(self._done.units):
            unit = next(units, None)
            if unit is None:
                break
            self._raw_bytes = unit.raw_bytes
            self._progress("reading again")
        if self._done.units and (unit is None or unit.seen != self._done.seen):
            raise EncodingStopped(
                f"{self._paths.folder}: the input is not what an interrupted run has read: give it the same, "
                "or begin anew with --overwrite"
            )

    def _write_first(self, waiting: deque[tuple[Unit, Future[Reply | Failure]]], count: int, output: Output) -> None:
        """Write the first `count` units, and those after them that are encoded already."""
        while waiting and (count > 0 or waiting[0][1].done()):
            unit, future = waiting.popleft()
            self._write(unit, future.result(), output)
            count -= 1

    def _write_part(self, unit: Unit, output: Output) -> None:
        """A part of a long document, all of which one process encodes."""
        request = Part(unit.documents[0], self._reached == self._done, unit.is_last)
        self._write(unit, self._workers.ask_the_same(request, unit.is_last), output)

    def _write(self, unit: Unit, reply: Reply | Failure, output: Output) -> None:
        """A long document is done with its last part: a run that goes on begins it anew."""
        if isinstance(reply, Failure):
            raise self._error(unit, reply)
        reached = self._reached
        output.write_ids(reply.ids)
        output.write_lengths(reply.lengths, reached.tokens)
        self._reached = replace(
            reached,
            units=reached.units + 1,
            seen=unit.seen,
            documents=reached.documents + len(reply.lengths),
            bytes=reached.bytes + sum(map(len, unit.documents)),
            code_points=reached.code_points + reply.code_points,
            tokens=reached.tokens + sum(reply.lengths),
            replaced=reached.replaced + reply.replaced,
        )
        self._raw_bytes = unit.raw_bytes
        self._progress("encoding")
        if unit.is_last:
            self._done = self._reached
            if time.monotonic() - self._saved >= CHECKPOINT_SECONDS:
                self._save(output)

    def _save(self, output: Output) -> None:
        """Put down what was done."""
        if self._done.units:
            output.sync()
            write_journal(self._paths.journal, self._options, self._done)
        self._saved = time.monotonic()

    def _error(self, unit: Unit, failure: Failure) -> Exception:
        if failure.kind not in ("text", "mismatch"):
            return stopped(failure)
        place = unit.place(failure.document, self._separator)
        name = shown(self._sources.names[place.source])
        number = self._done.documents + failure.document + 1
        if failure.kind == "mismatch":
            told = f"{name}, document {number:,} at byte {place.offset}: {failure.message}"
            return VerificationFailed(f"{told}; nothing was written")
        if failure.byte is not None:
            where = f"{name}: byte {place.offset + failure.byte} (document {number:,})"
        else:
            where = f"{name}, document {number:,} at byte {place.offset}:"
        return EncodingStopped(f"{where} {failure.message}")

    def _progress(self, step: str) -> None:
        reached, begun = self._reached, self._begun
        self._tell(
            Progress(
                step,
                reached.documents,
                reached.tokens,
                reached.bytes,
                reached.bytes - begun.bytes,
                reached.tokens - begun.tokens,
                self._raw_bytes,
                self._sources.raw_size,
                time.monotonic() - self._started if self._started else 0.0,
            )
        )

    def _identity(self, ready: Ready) -> dict[str, Any]:
        """The values that a run that goes on must have in common with the one that was interrupted."""
        task = self._task
        return {
            "model": [_sha256(Path(file)) for file in ready.files],
            "encoding": task.encoding,
            "engine": task.engine,
            "verify": task.verify,
            "versions": ready.versions,
            "separator": None if self._separator is None else self._separator.decode("utf-8"),
            "errors": task.errors,
            "add_special_tokens": task.add_special_tokens,
            "end_token": task.end_token,
            "index": self._paths.has_index,
            "sizes of the work": [BLOCK_BYTES, UNIT_BYTES, task.longest],
            "inputs": [[name, size] for name, size in zip(self._sources.names, self._sources.sizes, strict=True)],
        }

    def _sidecar(self, stored: IdType, ready: Ready) -> dict[str, Any]:
        """Nothing in it depends on when, where or by how many processes the files were written."""
        done, paths, options = self._done, self._paths, self._options
        files = [
            {"file": Path(file).name, "sha256": digest}
            for file, digest in zip(ready.files, options["model"], strict=True)
        ]
        index = {"file": paths.index.name, **self._described(paths.folder / "index")} if paths.has_index else None
        names = ("engine", "verify", "encoding", "separator", "errors", "add_special_tokens", "end_token")
        return {
            "output": {"file": paths.output.name, "dtype": stored.descr, **self._described(paths.folder / "tokens")},
            "index": index,
            "documents": done.documents,
            "bytes": done.bytes,
            "code_points": done.code_points,
            "tokens": done.tokens,
            "documents_with_replaced_bytes": done.replaced,
            "model": {"source": self._task.model, "files": files, "library": ready.library, "ids": ready.bound},
            "options": {name: options[name] for name in names} | {"alters": ready.alters},
            "versions": ready.versions,
            "inputs": self._sources.finished,
        }

    def _described(self, path: Path) -> dict[str, Any]:
        return {"bytes": path.stat().st_size, "sha256": _sha256(path, lambda: self._progress("hashing"))}

    def _result(self, stored: IdType, ready: Ready) -> EncodedFiles:
        done, paths = self._done, self._paths
        return EncodedFiles(
            paths.output,
            paths.sidecar,
            paths.index if paths.has_index else None,
            stored.name,
            done.documents,
            done.bytes,
            done.code_points,
            done.tokens,
            done.replaced,
            ready.alters,
            self._begun.documents,
        )


def _sha256(path: Path, tell: Callable[[], None] = lambda: None) -> str:
    found = hashlib.sha256()
    with open(path, "rb") as file:
        while data := file.read(1 << 20):
            found.update(data)
            tell()
    return found.hexdigest()
