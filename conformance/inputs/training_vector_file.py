"""Vectors of training: texts and options, and what the official trainer learns of them. docs/vectors.md explains.

python -m conformance.inputs.training_vector_file > corpora/vectors/tokenizer-training-vectors-1.schema.json
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from conformance.core.errors import FORM_ERRORS, InputError, form_problem
from conformance.inputs.vector_file import Count, Form, Note, Oracle, Vector, read_json

TRAINING_FORM: Literal["tokenizer-training-vectors-1"] = "tokenizer-training-vectors-1"
"""The first key of each file says so."""


class TrainVector(Vector, frozen=True, kw_only=True):
    """A training.

    options: of the official trainer, under its names; of those of `tokenizers` also `pipeline`, the tokenizer.json that
        is trained. tokens: by id, null where an id has none. merges: in their order, of models that have them.
    scores: by id, of models that have them, where they are the same on any processor; null for minus infinity, which
        JSON has no number for.
    """

    texts: tuple[str, ...]
    options: dict[str, Any]
    tokens: tuple[str | None, ...]
    merges: tuple[tuple[str, str], ...] | UnsetType = UNSET
    scores: tuple[float | None, ...] | UnsetType = UNSET


class TrainGroup(Form, frozen=True, kw_only=True, tag_field="type", tag="train"):
    """Trainings by one trainer, named as `reftok train` names it. oracle: the official library that has it."""

    trainer: str
    oracle: Oracle
    tests: tuple[TrainVector, ...]


class TrainingVectorFile(Form, frozen=True, kw_only=True):
    """A file of trainings. made_by: what wrote it. notes: by flag."""

    schema: Literal["tokenizer-training-vectors-1"] = TRAINING_FORM
    licence: str
    made_by: str
    number_of_tests: Count
    notes: dict[str, Note]
    test_groups: tuple[TrainGroup, ...]

    def tests(self) -> Iterator[tuple[TrainGroup, TrainVector]]:
        """Each vector with its group, in order."""
        return ((group, test) for group in self.test_groups for test in group.tests)


def are_training_vectors(value: Any) -> bool:
    """Whether a JSON value is meant to be a file of trainings."""
    return isinstance(value, dict) and value.get("schema") == TRAINING_FORM


def read_training_vectors(path: Path) -> TrainingVectorFile:
    """A file of trainings, packed by gzip or not. Raises InputError, with the place, for what is none."""
    return training_vectors_of(read_json(path), path)


def training_vectors_of(value: Any, path: Path) -> TrainingVectorFile:
    """The trainings of a JSON value. Raises InputError, with the place, for what has none. path: as it is named."""
    try:
        return msgspec.convert(value, TrainingVectorFile)
    except FORM_ERRORS as error:
        raise InputError(f"{path}: holds no vectors of the form {TRAINING_FORM}: {form_problem(error)}") from None
