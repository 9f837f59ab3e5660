"""The folder of a run that begins: free, made, locked, with the plan in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from conformance.core.errors import InputError, UsageError
from conformance.engine.plan import Plan
from conformance.files.atomic import left_behind, write_atomically
from conformance.files.lock import LOCK, locked
from conformance.report.run.folder import RUN
from conformance.runs.job import file_hashes
from conformance.runs.plan_file import PLAN, write_plan
from conformance.subjects.versions import installed_versions

DEFAULT_PARENT = Path("reports") / "runs"


def check_free(folder: Path, beside: Mapping[str, str] = MappingProxyType({})) -> None:
    """Raise InputError where a folder holds a run or other files, or is none; one that is not there is free.

    beside: as of `begin_folder`; a start that was killed before it had its plan on disk has left them.
    """
    try:
        names = {path.name for path in folder.iterdir()} - {LOCK, *(path.name for path in left_behind(folder))}
        names -= {name for name in names & beside.keys() if (folder / name).read_bytes() == beside[name].encode()}
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror}") from None
    if PLAN in names:
        raise InputError(f"{folder}: holds a run already; go on with --resume {folder}, or name another folder")
    if names:
        raise InputError(f"{folder}: is not empty; name another folder")


def last_run() -> Path:
    """The folder of the run under reports/runs that ended last; raises UsageError if there is none."""
    ended = [path for path in DEFAULT_PARENT.glob(f"*/{RUN}") if path.is_file()]
    if not ended:
        raise UsageError(f"RUN: there is no finished run in {DEFAULT_PARENT}: name the folder of one")
    return max(ended, key=lambda path: (path.stat().st_mtime, path)).parent


def begin_folder(
    out: Path | None,
    prefix: str,
    plan: Plan,
    command: str,
    full: bool,
    held: ExitStack,
    beside: Mapping[str, str] = MappingProxyType({}),
) -> Path:
    """The folder of a new run, with its plan.

    out: None for one under reports/runs that is named by the time. prefix: of that name. command, full: as in the plan.
    held: keeps the folder locked. beside: the texts of files, by name, that are to be there before the plan, which
        makes the folder one of a run.
    Raises InputError where the folder is not free or cannot be written, and for a file of the plan that is gone.
    """
    hashes = file_hashes(plan)
    folder = out or DEFAULT_PARENT / f"{prefix}{datetime.now(UTC):%Y%m%d-%H%M%S}"

    def written(folder: Path) -> None:
        for name, text in beside.items():
            write_atomically(folder / name, text)
        write_plan(folder, plan, command, full, hashes, installed_versions())

    return make_folder(folder, out is None, held, written, beside)


def make_folder(
    folder: Path,
    unique: bool,
    held: ExitStack,
    write: Callable[[Path], None],
    beside: Mapping[str, str] = MappingProxyType({}),
) -> Path:
    """A folder that is free, made and locked.

    unique: one that was not there before, with -2, -3 and so on at the end of its name where need be. held: keeps it
    locked. write: is given it, to put a plan into it. beside: as of `begin_folder`.
    Raises InputError where the folder is not free or cannot be written.
    """
    try:
        folder = _made(folder, unique)
        held.enter_context(locked(folder))
        check_free(folder, beside)
        write(folder)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror}") from None
    return folder


def _made(folder: Path, unique: bool) -> Path:
    """The folder, made. unique: one that was not there before, with -2, -3 and so on at its end where need be."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    if not unique:
        folder.mkdir(exist_ok=True)
        return folder
    made, number = folder, 1
    while True:
        try:
            made.mkdir()
            return made
        except FileExistsError:
            number += 1
            made = folder.with_name(f"{folder.name}-{number}")
