"""Parts of a run put together: their journals are those of one run, which then ends like any other.

A shard's result hangs on the plan, the files and the libraries alone. So what is to be seen to is that these are the
same in all parts, and that each shard is there once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields
from pathlib import Path

from conformance.core.errors import InputError
from conformance.engine.plan import ModelPlan, Plan
from conformance.engine.result import ShardResult
from conformance.files.lock import locked
from conformance.inputs.shards import Shard, shards
from conformance.runs.job import Job, attending, check_unchanged, model_infos
from conformance.runs.journal import JOURNAL, check_planned, read_journal, result_to_json
from conformance.runs.new_folder import begin_folder, check_free
from conformance.runs.parts import Part, read_part
from conformance.runs.plan_file import check_versions, read_trusted_plan, read_versions
from conformance.subjects.versions import installed_versions


@dataclass(frozen=True, slots=True)
class _PartRun:
    """What the folder of a part holds."""

    folder: Path
    part: Part | None
    plan: Plan
    full: bool
    hashes: dict[str, str]
    versions: dict[str, str]
    results: Sequence[ShardResult]


def merged_job(
    folders: Sequence[Path], out: Path | None, command: str, jobs: int, trusts: bool, held: ExitStack
) -> Job:
    """The job of the run that is put together from the folders of its parts, in any order, with nothing left to ask.

    out: its folder, None for one that is named by the time. trusts: as of `read_trusted_plan`.
    held: keeps the folders locked.
    Raises InputError where parts are of different plans, files or libraries, or of others than are here, and where a
    shard is missing or there twice.
    """
    if out is not None:
        check_free(out)
    for number, folder in enumerate(folders):
        if folder.resolve() in [other.resolve() for other in folders[:number]]:
            raise InputError(f"{folder}: is named twice")
    parts = [_read(folder, trusts, held) for folder in folders]
    first = parts[0]
    for other in parts[1:]:
        _check_alike(first, other)
    check_unchanged(first.hashes)
    check_versions(first.folder, installed_versions())
    infos = model_infos(first.plan)
    todo = [shard for info in infos for shard in shards(first.plan.inputs, info.name, info.vocab_size)]
    results = _in_order(parts, todo)
    _check_attendance(parts)
    _, about = attending(first.plan)
    journal = "".join(json.dumps(result_to_json(result)) + "\n" for result in results)
    folder = begin_folder(out, "", first.plan, command, first.full, held, {JOURNAL: journal})
    return Job(first.plan, infos, folder, command, jobs, first.full, about)


def _read(folder: Path, trusts: bool, held: ExitStack) -> _PartRun:
    plan, _, full, hashes = read_trusted_plan(folder, trusts)
    held.enter_context(locked(folder))
    results = read_journal(folder, lambda result: check_planned(result, plan))
    return _PartRun(folder, read_part(folder), plan, full, hashes, read_versions(folder), results)


def _check_alike(first: _PartRun, other: _PartRun) -> None:
    """Raise InputError where two parts are not of one run."""
    where = f"{other.folder}: is no part of the run of {first.folder}"
    for name in (field.name for field in fields(Plan)):
        if getattr(first.plan, name) != getattr(other.plan, name):
            raise InputError(f"{where}: its plan has other {name}: {_apart(first.plan, other.plan, name)}")
    if first.full != other.full:
        raise InputError(f"{where}: {'it' if other.full else 'that one'} was to be everything, the other not")
    for name in sorted(first.hashes.keys() | other.hashes.keys()):
        if first.hashes.get(name) != other.hashes.get(name):
            raise InputError(f"{where}: {name} was another file")
    for name in sorted(first.versions.keys() | other.versions.keys()):
        there, here = (part.versions.get(name, "not installed") for part in (first, other))
        if there != here:
            raise InputError(f"{where}: {name} was {here}, there {there}")


def _apart(first: Plan, other: Plan, name: str) -> str:
    """What two plans say of one thing, from where they differ; of inputs, only what differs."""
    mine, theirs = getattr(first, name), getattr(other, name)
    if name == "inputs":
        name = next(one.name for one in fields(mine) if getattr(mine, one.name) != getattr(theirs, one.name))
        mine, theirs = getattr(mine, name), getattr(theirs, name)
    if isinstance(mine, tuple):
        mine, theirs = (
            tuple(one for one in these if one not in those) for these, those in ((mine, theirs), (theirs, mine))
        )
    return f"{_told(theirs)}, there {_told(mine)}"


def _told(value: object) -> str:
    if not isinstance(value, tuple):
        return str(value)
    named = (f"{one.name} ({one.path})" if isinstance(one, ModelPlan) else str(one) for one in value)
    return ", ".join(named) or "none besides"


def _in_order(parts: Iterable[_PartRun], todo: Sequence[Shard]) -> list[ShardResult]:
    """The result of each shard, in the order of all; raises InputError where one is missing, foreign or there twice."""
    found: dict[str, tuple[_PartRun, ShardResult]] = {}
    planned = {shard.key for shard in todo}
    for part in parts:
        for result in part.results:
            key = result.shard.key
            if key not in planned:
                raise InputError(f"{part.folder}: holds {key}, which is none of the plan's shards: start it anew")
            if key in found:
                raise InputError(f"{part.folder}: holds {key}, which {found[key][0].folder} holds too")
            found[key] = part, result
    for sentence in _missing(parts, todo, found.keys()):
        raise InputError(sentence)
    return [found[shard.key][1] for shard in todo]


def _missing(parts: Iterable[_PartRun], todo: Sequence[Shard], found: Iterable[str]) -> Iterator[str]:
    """What to do about the shards that nobody has."""
    missing = {shard.key for shard in todo} - {*found}
    for part in parts:
        own = todo if part.part is None else part.part.of(todo)
        left = [shard.key for shard in own if shard.key in missing]
        if left:
            yield f"{part.folder}: is not finished: {_few(left)}; go on with conformance run --resume {part.folder}"
    if missing:
        yield f"no folder holds {_few([shard.key for shard in todo if shard.key in missing])}; name those of all parts"


def _few(keys: Sequence[str]) -> str:
    return f"{keys[0]}{f' and {len(keys) - 1:,} more shards' if keys[1:] else ''}"


def _check_attendance(parts: Iterable[_PartRun]) -> None:
    """Raise InputError where a subject took part with a model in one part and not in another."""
    seen: dict[str, tuple[_PartRun, ShardResult]] = {}
    for part in parts:
        for result in part.results:
            other, before = seen.setdefault(result.shard.model, (part, result))
            for subject in sorted(before.unavailable.keys() ^ result.unavailable.keys()):
                absent, there = (other, part) if subject in before.unavailable else (part, other)
                raise InputError(
                    f"{absent.folder}: {subject} took no part with {result.shard.model} there, but it did in "
                    f"{there.folder}: start it anew"
                )
