"""The plan of a run: it decides the outcome, whatever the machine and the number of workers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from conformance.core.records import Name
from conformance.engine.imported import imported_files
from conformance.inputs.shards import Inputs
from conformance.subjects.adapters import BUILT_IN, subject_label
from conformance.subjects.definition import MOST_SECONDS, definition
from conformance.subjects.isolated import MOST_MEMORY
from conformance.subjects.reftok_subject import REFERENCE
from reftok.formats.model_files import files_beside

LEAST_MEMORY = 64
"""MiB: Python itself needs some."""


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """A model of a run. oracle: the official library of its format; encoding: of a rank file, "" to recognise it."""

    name: Name
    path: Path
    format: str
    oracle: str
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """Models, subjects, checks and inputs.

    subjects: as given on the command line. timeout: seconds for one answer of an isolated subject. memory: that its
        process may have, in MiB. require: whether what a subject cannot do fails the run: each is to take part with
        each model, and to have what the checks need that were asked for by name.
    """

    models: tuple[ModelPlan, ...]
    subjects: tuple[str, ...]
    checks: tuple[str, ...]
    inputs: Inputs
    timeout: Annotated[float, Meta(ge=0.001, le=MOST_SECONDS)]
    memory: Annotated[int, Meta(ge=LEAST_MEMORY, le=1 << 30)] = MOST_MEMORY
    require: bool = False

    @property
    def labels(self) -> tuple[str, ...]:
        """The subjects as the reports name them."""
        return tuple(map(subject_label, self.subjects))

    def participants(self, model: str) -> tuple[str, ...]:
        """What may answer with a model, as the reports name it: the subjects, its oracle, and the reference."""
        return (*self.labels, *(entry.oracle for entry in self.models if entry.name == model), REFERENCE)

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file that decides the outcome: models, corpora and subjects of the user's."""
        paths = [*(model.path for model in self.models), *self.inputs.files, *self._subject_files]
        return (*paths, *(beside for model in self.models for beside in files_beside(model.path)))

    @property
    def imported(self) -> tuple[Path, ...]:
        """Every file that a subject of the user's imports from its folder."""
        scripts = (file for file in self._subject_files if file.suffix == ".py")
        return tuple(path for file in scripts for path in imported_files(file))

    @property
    def _subject_files(self) -> list[Path]:
        return [file for name in self.subjects if name not in BUILT_IN for file in definition(name).code]
