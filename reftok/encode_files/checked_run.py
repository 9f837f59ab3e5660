"""The checks of a run before anything is read or written."""

from __future__ import annotations

import os
from collections.abc import Callable

from reftok.encode_files.messages import ENGINES, Task
from reftok.encode_files.output import Paths, discard, discard_files, locked
from reftok.encode_files.progress import Progress
from reftok.encode_files.result import EncodedFiles
from reftok.encode_files.run import Run
from reftok.encode_files.sources import STANDARD_INPUT, Sources
from reftok.errors import EncodingStopped


def checked_run(
    paths: Paths,
    sources: Sources,
    task: Task,
    separator: str | None,
    workers: int | None,
    overwrite: bool,
    progress: Callable[[Progress], None] | None,
) -> EncodedFiles:
    """The run of `encode_files`, its options checked; a run that put nothing down leaves nothing behind."""
    count = _cores() if workers is None else workers
    _check(task, separator, count)
    try:
        _check_output(paths, sources, overwrite)
        with locked(paths):
            if overwrite:
                discard_files(paths)
            try:
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
