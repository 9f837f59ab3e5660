"""One run: from blocks of the inputs to the finished files, with a journal of its progress on disk.

So a run that was killed goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from reftok.encode_files.messages import ENGINES, Failure, Part, Ready, Reply, Task
from reftok.encode_files.output import (
    IdType,
    Output,
    Paths,
    discard,
    discard_files,
    id_type,
    locked,
    put_in_place,
)
from reftok.encode_files.progress import Progress
from reftok.encode_files.result import EncodedFiles
from reftok.encode_files.sources import BLOCK_BYTES, STANDARD_INPUT, Sources, shown
from reftok.encode_files.units import UNIT_BYTES, Unit, UnitCutter
from reftok.encode_files.workers import Workers, stopped
from reftok.errors import EncodingStopped, VerificationFailed
from reftok.formats.files import write_durably

CHECKPOINT_SECONDS = 5.0
"""The most that a kill costs, a long document aside."""

UNITS_A_WORKER = 2
"""One that is being encoded and one that waits, which bounds the memory."""

_JOURNAL_VERSION = 1


@dataclass(frozen=True, slots=True)
class Done:
    """The progress of a run, as it stands in the files.

    units: of work; the same inputs are cut into the same ones. seen: the hash of the inputs up to the last of them.
    bytes, code_points: of the documents' texts, without separators.
    replaced: documents in which bytes that are not UTF-8 were replaced.
    is_complete: nothing is left to be done but to put the files in their place.
    """

    units: int = 0
    seen: str = ""
    documents: int = 0
    bytes: int = 0
    code_points: int = 0
    tokens: int = 0
    replaced: int = 0
    is_complete: bool = False


def write_journal(path: Path, options: Mapping[str, Any], done: Done) -> None:
    """Put down what was done; what is counted must be on the disk already."""
    write_durably(path, json.dumps({"version": _JOURNAL_VERSION, "options": options, "done": asdict(done)}))


def read_journal(path: Path, options: Mapping[str, Any]) -> Done:
    """The progress of a run with the same options and inputs; none where there is no journal.

    Raises EncodingStopped where the options or the sizes of the inputs were others.
    """
    try:
        value = json.loads(path.read_bytes())
        if value["version"] != _JOURNAL_VERSION:
            raise ValueError
        before, done = dict(value["options"]), Done(**value["done"])
    except FileNotFoundError:
        return Done()
    except (ValueError, KeyError, TypeError):
        raise EncodingStopped(f"{path}: cannot be gone on with; --overwrite begins anew") from None
    if before.get("errors") == "strict":
        # Nothing had to be replaced so far.
        before["errors"] = options["errors"]
    for name in sorted(options.keys() | before.keys()):
        then, now = before.get(name), options.get(name)
        if then != now:
            raise EncodingStopped(
                f"{path.parent}: an interrupted run had another {name}{_changed(name, then, now)}: repeat it as it "
                "was, or begin anew with --overwrite"
            )
    return done


def _changed(name: str, then: Any, now: Any) -> str:
    """The change of an option, in parentheses; of a model only hashes are known, which say nothing."""
    if name == "model":
        return " (its files were others)"
    return f" ({changed_input(then, now) if name == 'inputs' else f'{then!r:.60} then, {now!r:.60} now'})"


def changed_input(then: Any, now: Any) -> str:
    """The first input that is another one, or another size.

    >>> changed_input([["a.txt", 3]], [["a.txt", 4]])
    'a.txt of 3 bytes then, a.txt of 4 bytes now'
    """
    inputs = [[*list(then or ()), None], [*list(now or ()), None]]
    differing = next(pair for pair in zip(*inputs, strict=False) if pair[0] != pair[1])
    first, second = (
        "none" if one is None else one[0] if one[1] is None else f"{one[0]} of {one[1]} bytes" for one in differing
    )
    return f"{first} then, {second} now"


def run_files(
    paths: Paths,
    sources: Sources,
    task: Task,
    separator: str | None,
    workers: int | None,
    overwrite: bool,
    progress: Callable[[Progress], None] | None,
) -> EncodedFiles:
    """The run of `encode_files`, its options checked; where there is nothing to go on from, nothing is left behind."""
    count = _cores() if workers is None else workers
    _check(task, separator, count)
    try:
        with locked(paths):
            try:
                _check_output(paths, sources, overwrite)
                if overwrite:
                    discard_files(paths)
                return Run(paths, sources, task, separator, count, progress).run()
            finally:
                if not paths.journal.exists():
                    discard(paths)
    except OSError as error:
        raise EncodingStopped(f"{error.filename or paths.output}: {error.strerror}") from error


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _check(task: Task, separator: str | None, workers: int) -> None:
    """Raises EncodingStopped for arguments that mean nothing."""
    if task.engine not in ENGINES:
        raise EncodingStopped(f"engine {task.engine!r:.60} is none of {', '.join(ENGINES)}")
    if task.errors not in ("strict", "replace"):
        raise EncodingStopped(f"errors {task.errors!r:.60} is neither 'strict' nor 'replace'")
    if separator == "":
        raise EncodingStopped("the separator is empty, and would end a document everywhere")
    if separator is not None and not _is_text(separator):
        raise EncodingStopped(f"the separator {separator!r:.60} is not text that UTF-8 can write")
    if workers < 1:
        raise EncodingStopped(f"workers is {workers}: at least 1 is needed")


def _is_text(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _check_output(paths: Paths, sources: Sources, overwrite: bool) -> None:
    """Raises EncodingStopped for an output that is an input, or that is there and is not to be replaced."""
    targets = [target for _, target in paths.results if target.exists()]
    for target in targets:
        for name in sources.names:
            if name != STANDARD_INPUT and target.samefile(name):
                raise EncodingStopped(f"{name}: is the input, and would be overwritten")
    if targets and not overwrite and not paths.journal.exists():
        raise EncodingStopped(f"{targets[-1]}: exists already; --overwrite replaces it")


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
        return {
            **asdict(self._task),
            "model": [_sha256(Path(file)) for file in ready.files],
            "versions": ready.versions,
            "separator": None if self._separator is None else self._separator.decode("utf-8"),
            "index": self._paths.has_index,
            "sizes of the work": [BLOCK_BYTES, UNIT_BYTES, self._task.longest],
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
