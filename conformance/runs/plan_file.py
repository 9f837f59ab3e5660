"""plan.json: what a run is to do, and the files and libraries that it began with."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.checks import CHECKS
from conformance.core.errors import FORM_ERRORS, InputError, UsageError, form_problem
from conformance.core.records import from_json, to_json
from conformance.engine.plan import ModelPlan, Plan
from conformance.files.atomic import write_atomically
from conformance.inputs.shards import SOURCES
from conformance.runs.job import is_unchanged
from conformance.runs.trust import check_trust, seal
from conformance.subjects.adapters import BUILT_IN, FORMATS, ORACLES, absolute_subject, oracles
from conformance.subjects.definition import definition
from conformance.subjects.versions import installed_versions
from reftok.formats.files import file_bytes

PLAN = "plan.json"


@dataclass(frozen=True, slots=True)
class _Beginning:
    """The keys of plan.json besides those of the plan.

    command: as typed. full: whether the plan is everything. hashes: of the plan's files. versions: of libraries.
    seal: of its subjects.
    """

    command: str
    full: bool
    hashes: dict[str, str]
    versions: dict[str, str]
    seal: str = ""


def write_plan(
    folder: Path, plan: Plan, command: str, full: bool, hashes: dict[str, str], versions: Mapping[str, str]
) -> None:
    """Remember what the run was to do, whether that is everything, and on which files with which libraries."""
    subjects = [absolute_subject(name) for name in plan.subjects]
    value = {
        "command": command,
        "full": full,
        **to_json(plan),
        "models": [{**to_json(model), "path": _path(model.path)} for model in plan.models],
        "subjects": subjects,
        "inputs": {**to_json(plan.inputs), "files": [os.path.realpath(path) for path in plan.inputs.files]},
        "hashes": hashes,
        "versions": dict(versions),
        "seal": seal(subjects),
    }
    write_atomically(folder / PLAN, json.dumps(value, indent=1))


def _path(path: Path) -> str:
    """From any folder, under its own name: what lies beside it is named like it, not like what it links to."""
    return os.path.join(os.path.realpath(path.parent), path.name)


def read_plan(folder: Path) -> tuple[Plan, str, bool, dict[str, str]]:
    """The plan of a run folder, its command, whether it is everything, and the hashes of the files at that time.

    Raises InputError where it is not what `write_plan` writes.
    """
    plan, beginning = _read(folder)
    return plan, beginning.command, beginning.full, beginning.hashes


def read_trusted_plan(folder: Path, trusts: bool) -> tuple[Plan, str, bool, dict[str, str]]:
    """As `read_plan`, of a folder whose code is going to be run.

    trusts: whether the user said so. Raises InputError also where the plan names code and was not written here.
    """
    plan, beginning = _read(folder)
    if not trusts:
        check_trust(folder, plan.subjects, beginning.seal)
    return plan, beginning.command, beginning.full, beginning.hashes


def read_versions(folder: Path) -> dict[str, str]:
    """The libraries that the run of this folder began with, and their versions."""
    return _read(folder)[1].versions


def check_versions(folder: Path, installed: Mapping[str, str]) -> None:
    """Raise InputError where a library is not in the version that the run of this folder began with."""
    check_same_versions(folder, _read(folder)[1].versions, installed)


def check_same_versions(folder: Path, before: Mapping[str, str], installed: Mapping[str, str]) -> None:
    """Raise InputError where a library is not in the version that it was `before`, when a folder was begun."""
    for name in sorted({*before, *installed}):
        was, now = before.get(name, "not installed"), installed.get(name, "not installed")
        if was != now:
            raise InputError(f"{folder}: {name} was {was}, is {now}: start the run anew")


def changed_since(folder: Path) -> list[str]:
    """The files of a run that are gone or not what they were when it began, and the libraries of another version."""
    beginning = _read(folder)[1]
    files = [name for name, digest in beginning.hashes.items() if not is_unchanged(Path(name), digest)]
    libraries = dict(beginning.versions.items() ^ installed_versions().items())
    return files + sorted(libraries)


def choose(value: str, allowed: Collection[str], what: str) -> None:
    """Raise ValueError for what is none of the allowed names."""
    if value not in allowed:
        raise ValueError(f"{what} is {value!r}, not one of {', '.join(allowed)}")


def _read(folder: Path) -> tuple[Plan, _Beginning]:
    try:
        value: dict[str, Any] = {**json.loads(file_bytes(folder / PLAN))}
        beginning = from_json({name: value.pop(name) for name in _Beginning.__slots__ if name in value}, _Beginning)
        plan = from_json(value, Plan)
        _check(plan, beginning.hashes)
    except FileNotFoundError:
        raise InputError(f"{folder}: is not the folder of a run: it has no {PLAN}") from None
    except (OSError, *FORM_ERRORS) as error:
        problem = form_problem(error)
        raise InputError(f"{folder / PLAN}: cannot be read ({problem}); start the run anew") from None
    return plan, beginning


def _check(plan: Plan, hashes: Collection[str]) -> None:
    """Raise ValueError where the plan is none that can be worked on."""
    for model in plan.models:
        _check_model(model)
    for subject in plan.subjects:
        _check_subject(subject)
    for check in plan.checks:
        choose(check, CHECKS, "a check")
    for source in plan.inputs.sources:
        choose(source, SOURCES, "a source")
    for names in ([model.name for model in plan.models], plan.labels, plan.checks, plan.inputs.sources):
        if not names or len(set(names)) != len(names):
            raise ValueError(f"a name is missing, or there twice, among: {', '.join(names)}")
    for path in plan.files:
        if os.path.realpath(path) not in hashes:
            raise ValueError(f"there is no hash of {os.path.realpath(path)}")


def _check_model(model: ModelPlan) -> None:
    choose(model.format, ORACLES, "the format of a model")
    choose(model.oracle, oracles(model.format), "the oracle of a model")
    choose(model.encoding, ["", *FORMATS[model.format].encodings], "the encoding of a model")


def _check_subject(name: str) -> None:
    if name not in BUILT_IN:
        try:
            definition(name)
        except UsageError as error:
            if name.endswith(".toml") and not os.path.isfile(name):  # the plan is sound: `replay` tells the two apart
                raise
            raise ValueError(str(error)) from None
