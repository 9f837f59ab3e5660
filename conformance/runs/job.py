"""A plan with what surrounds it: the models as a run tells of them, the folder, the files by their hashes."""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from conformance.core.errors import InputError, UsageError
from conformance.core.finding import Finding
from conformance.core.run import ModelInfo
from conformance.core.weight import Gate
from conformance.engine.bench import load_reference
from conformance.engine.plan import ModelPlan, Plan
from conformance.files.digest import sha256
from conformance.generators.knowledge import vocab_by_id
from conformance.report.console import say
from conformance.runs.expectations import Expectation
from conformance.runs.parts import Part
from conformance.runs.selection import Selection
from conformance.runs.subject_version import worked_out_version
from conformance.subjects.adapter_check import FIRST_WORD, all_raised, first_look
from conformance.subjects.adapters import BUILT_IN, load_subject
from conformance.subjects.base import Subject, UnavailableError
from conformance.subjects.isolated import IsolatedSubject
from conformance.subjects.protocol import About
from conformance.subjects.special_tokens import special_tokens
from reftok import Tokenizer
from reftok.explain.unicode_profile import unicode_profile

Engine = Literal["processes", "ray"]


@dataclass(frozen=True, slots=True)
class Job:
    """A plan with what surrounds it.

    models: what the run says of the plan's models. folder: the run folder. command: as typed.
    full: all inputs and checks, so that what is expected must be seen.
    about: what the user's own subjects say of themselves, by label.
    fail_on: which new findings fail it, by their weight.
    accepted: what the user's baselines list.
    selection: the rules that count.
    most_findings: after so many that are first seen it asks no more; 0 for no bound.
    part: the part of the plan's shards that it works on, None for all, from which a run is made at the end.
    engine: what works on them: processes of this machine, or the actors of a Ray cluster.
    """

    plan: Plan
    models: tuple[ModelInfo, ...]
    folder: Path
    command: str
    jobs: int
    full: bool
    about: Mapping[str, About] = field(default_factory=dict)
    fail_on: Gate = "any"
    accepted: tuple[Expectation, ...] = ()
    selection: Selection = field(default_factory=Selection)
    most_findings: int = 0
    part: Part | None = None
    engine: Engine = "processes"


def model_infos(plan: Plan) -> tuple[ModelInfo, ...]:
    """The models as the run describes them; each is loaded once, so that a bad file ends the run before it starts."""
    return tuple(model_info(model, load_reference(model)) for model in plan.models)


def model_info(model: ModelPlan, tokenizer: Tokenizer) -> ModelInfo:
    """A model as a run describes it. tokenizer: the reference with it."""
    return ModelInfo(
        name=model.name,
        path=model.path.name,
        format=model.format,
        sha256=sha256(model.path),
        oracle=model.oracle,
        vocab_size=len(vocab_by_id(tokenizer)),
        unicode=unicode_profile(tokenizer.rules),
    )


def attending(plan: Plan, until: float = math.inf) -> tuple[Plan, dict[str, About]]:
    """The plan, and what the user's own subjects say of themselves, by label.

    A subject that states no version gets that of its files.
    Where none of the user's own subjects reads any model, the built-in ones are left out: nothing that is to be tested
    would be compared, and this is told at once.
    until: of `time.monotonic`, when a subject of the user's own has to have loaded a model.
    Raises UsageError for a subject that is not there at all, or that raises on all of three questions with a model,
    where none of the user's own answers anything, and for a model that only its official library would meet.
    """
    for model in plan.models:
        if {*plan.subjects} == {model.oracle}:
            raise UsageError(
                f"--subject {model.oracle}: is the official library of {model.name}, which would be compared with "
                "nothing; name another subject"
            )
    about: dict[str, About] = {}
    readers: set[str] = set()
    nothing: dict[str, str] = {}
    for name in plan.subjects:
        broken: UnavailableError | None = None
        for model in plan.models:
            try:
                subject = _loaded(plan, name, model, until)
            except UnavailableError as error:
                broken = broken or (error if error.failure.kind != "refused" else None)
                continue
            is_first = name not in readers
            readers.add(name)
            if isinstance(subject, IsolatedSubject):
                _check_answers(name, model, subject)
                if is_first:
                    version = subject.about.version or worked_out_version(name)
                    about[subject.name] = msgspec.structs.replace(subject.about, version=version)
                    nothing[name] = _first_look(plan, name, model, subject)
            subject.close()
            if not isinstance(subject, IsolatedSubject):
                break
        if name not in readers and broken is not None:
            raise UsageError(f"--subject: {broken}")
    if nothing and all(nothing.values()):
        raise UsageError(next(iter(nothing.values())))
    own = tuple(name for name in plan.subjects if name not in BUILT_IN)
    return (plan if readers & {*own} or not own else replace(plan, subjects=own)), about


def _check_answers(name: str, model: ModelPlan, subject: IsolatedSubject) -> None:
    """Raise UsageError for a subject that raises whatever it is asked: that is the adapter's mistake."""
    ids = load_reference(model).encode_ids(FIRST_WORD)
    if said := all_raised(subject, ids):
        subject.close()
        raise UsageError(f"--subject {name}: raises on all that it is asked first with {model.name}:\n{said}")


def _loaded(plan: Plan, name: str, model: ModelPlan, until: float = math.inf) -> Subject:
    tokens = None if name in BUILT_IN else special_tokens(load_reference(model))
    return load_subject(name, model.path, model.format, plan.timeout, model.encoding, plan.memory, tokens, until)


def _first_look(plan: Plan, name: str, model: ModelPlan, subject: IsolatedSubject) -> str:
    """What it gives nothing of; "" where it gives something. What is wrong in its first answers is said at once."""
    try:
        oracle = _loaded(plan, model.oracle, model)
    except UnavailableError:
        return ""
    look = first_look(subject, oracle)
    oracle.close()
    more = shlex.join(["conformance", "subject", "check", name, "--model", str(model.path)])
    for sentence in (look.nothing or look.doubts)[:1]:
        say(f"{subject.name}: {sentence} ({more} says more)")
    return f"--subject {name}: {look.nothing[0]}" if look.nothing else ""


def replay_command(job: Job, finding: Finding) -> str:
    """The command that shows this finding again, on its own."""
    return shlex.join(["conformance", "replay", _relative(job.folder), finding.fingerprint])


def _relative(path: Path) -> str:
    try:
        return os.path.relpath(path)
    except ValueError:
        return str(path)


@cache
def file_hash(path: Path) -> str:
    """SHA-256 of a file, as it was when first asked for in this process."""
    return sha256(path)


def is_unchanged(path: Path, digest: str) -> bool:
    """Whether a file is there, can be read, and is what it was."""
    try:
        return path.is_file() and sha256(path) == digest
    except OSError:
        return False


def check_unchanged(hashes: dict[str, str]) -> None:
    """Raise InputError where a file of a run that is resumed is gone or not what it was."""
    for name, digest in hashes.items():
        if not is_unchanged(Path(name), digest):
            raise InputError(f"{name}: is gone or has changed since the run began; start it anew")


def file_hashes(plan: Plan) -> dict[str, str]:
    """SHA-256 of every file that decides the outcome; raises InputError for one that cannot be read."""
    return hashes_of((*plan.files, *plan.imported))


def hashes_of(paths: Iterable[Path]) -> dict[str, str]:
    """SHA-256 of files, by their real paths; raises InputError for one that cannot be read."""
    hashes = {}
    for path in paths:
        try:
            hashes[os.path.realpath(path)] = file_hash(path)
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    return hashes
