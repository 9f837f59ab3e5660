"""plan.json of a folder of `conformance train`: what its run is to do, on which files and with which libraries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from conformance.core.errors import FORM_ERRORS, InputError, form_problem
from conformance.core.records import Count, Name, Seconds, from_json, to_json
from conformance.files.atomic import write_atomically
from conformance.files.lock import locked
from conformance.runs.job import check_unchanged, hashes_of
from conformance.runs.new_folder import make_folder
from conformance.runs.plan_file import PLAN, check_same_versions, choose
from conformance.runs.trust import check_trust, seal
from conformance.subjects.process import sweep
from conformance.subjects.training_subject import RANKS
from conformance.subjects.versions import installed_versions
from conformance.training.case import TrainingCase
from conformance.training.configurations import (
    TRAINERS,
    Configuration,
    configured_cases,
    configured_files,
    made_cases,
    matrix_cases,
    matrix_files,
    option_cases,
    read_configurations,
)
from reftok.formats.files import file_bytes

CONFIGURATIONS = ("default", "random")
"""The matrix, or made ones."""


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """What is asked of whom.

    subject: FILE.py:FUNCTION, "" for the official trainers. trainers: their names.
    configurations: one of CONFIGURATIONS; of made ones there are `count`, from the seed.
    corpora: files for the matrix, none for its languages.
    timeout: seconds for one training. memory: of a subject's process, in MiB.
    config: a file of a user's own configurations, which stand in the place of the others.
    """

    subject: str
    trainers: tuple[Name, ...]
    configurations: str
    count: Count
    seed: int
    corpora: tuple[Path, ...]
    timeout: Seconds
    memory: Count
    config: Path | None = None

    def cases(self, each_option: bool = True) -> tuple[TrainingCase, ...]:
        """The trainings, always the same; raises InputError for a corpus or a config that cannot be read.

        each_option: whether the matrix is followed by each value of each option.
        """
        if self.config is not None:
            return tuple(configured_cases(self._configured(self.config), self.corpora))
        if self.configurations == "random":
            return tuple(made_cases(self.trainers, self.count, self.seed))
        matrix = matrix_cases(self.trainers, self.corpora)
        return (*matrix, *(option_cases(self.trainers) if each_option and not self.corpora else ()))

    def _configured(self, config: Path) -> list[Configuration]:
        return [one for one in read_configurations(config) if one[0] in self.trainers]

    @property
    def files(self) -> list[Path]:
        """What decides the outcome, beside the libraries."""
        texts = [] if self.configurations == "random" else self.corpora or matrix_files(self.trainers)
        if self.config is not None:
            texts = [self.config, *(self.corpora or configured_files(self._configured(self.config)))]
        return [*texts, *([Path(self.subject.rpartition(":")[0])] if self.subject else [])]


@dataclass(frozen=True, slots=True)
class _PlanFile:
    """plan.json. hashes: of the plan's files. versions: of libraries. seal: of its subject."""

    training: TrainingPlan
    hashes: dict[str, str]
    versions: dict[str, str]
    seal: str = ""


def begin_training(folder: Path, plan: TrainingPlan, held: ExitStack) -> None:
    """Make the folder of a new run, and put the plan into it.

    held: keeps it locked. Raises InputError where it is not free or cannot be written.
    """
    file = _PlanFile(plan, hashes_of(plan.files), installed_versions(), seal(_code(plan)))
    text = json.dumps(to_json(file), indent=1)
    make_folder(folder, False, held, lambda made: write_atomically(made / PLAN, text))


def resume_training(folder: Path, trusts: bool, held: ExitStack) -> TrainingPlan:
    """The plan of a folder that is gone on with.

    trusts: as of `conformance.runs.plan_file.read_trusted_plan`. held: keeps the folder locked.
    Raises InputError where it has none, where it was made elsewhere, and where a file or a library has changed.
    """
    file = _read(folder)
    if not trusts:
        check_trust(folder, _code(file.training), file.seal)
    held.enter_context(locked(folder))
    sweep()  # where all is done, no subject is started, which would do it
    check_unchanged(file.hashes)
    check_same_versions(folder, file.versions, installed_versions())
    return file.training


def _code(plan: TrainingPlan) -> list[str]:
    return [plan.subject] if plan.subject else []


def _read(folder: Path) -> _PlanFile:
    try:
        value = json.loads(file_bytes(folder / PLAN))
        if isinstance(value, Mapping) and "training" not in value:
            raise InputError(f"{folder}: is not the folder of a conformance train")
        file = from_json(value, _PlanFile)
        choose(file.training.configurations, CONFIGURATIONS, "the kind of configurations")
        for trainer in file.training.trainers:
            choose(trainer, (*TRAINERS, RANKS), "a trainer")
    except FileNotFoundError:
        raise InputError(f"{folder}: is not the folder of a conformance train: it has no {PLAN}") from None
    except (OSError, *FORM_ERRORS) as error:
        raise InputError(f"{folder / PLAN}: cannot be read ({form_problem(error)}); start the run anew") from None
    return file
