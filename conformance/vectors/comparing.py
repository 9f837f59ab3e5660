"""Two files of vectors: what a new release of an official library changed, by flag. And what is wrong with one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from conformance.core.errors import InputError
from conformance.inputs.training_vector_file import TrainingVectorFile, are_training_vectors, training_vectors_of
from conformance.inputs.vector_file import (
    EncodeVector,
    Group,
    StreamEncodeVector,
    Vector,
    VectorFile,
    read_json,
    vectors_of,
    written,
)

_ANSWERS = ("result", "ids", "text", "pieces", "offsets", "due", "besideText", "encodings")
_ASKED_BY_ANSWER = {"decode": ("ids",), "stream-decode": ("ids",), "encode": ("text",)}
"""What is an answer elsewhere, and is asked here."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A vector whose answer is another. old, new: the answers, as in the files."""

    flags: tuple[str, ...]
    asked: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class VectorsDiff:
    """Two files compared. added, removed: how many questions are in one alone. by_flag: changed answers."""

    changed: tuple[Changed, ...]
    added: int
    removed: int
    same: int

    @property
    def by_flag(self) -> list[tuple[str, int]]:
        """How many answers changed, by flag."""
        count = Counter(flag for one in self.changed for flag in one.flags)
        return sorted(count.items(), key=lambda item: (-item[1], item[0]))


def compare_vectors(old: VectorFile, new: VectorFile) -> VectorsDiff:
    """What changed. Raises InputError where they are not of one model."""
    if old.model.sha256 != new.model.sha256:
        raise InputError(f"{old.model.name} and {new.model.name} are not the same model: their hashes differ")
    before, after = dict(_by_question(old)), dict(_by_question(new))
    changed = tuple(
        Changed(test.flags, asked, before[asked][1], answer)
        for asked, (test, answer) in after.items()
        if asked in before and before[asked][1] != answer
    )
    both = before.keys() & after.keys()
    return VectorsDiff(changed, len(after) - len(both), len(before) - len(both), len(both) - len(changed))


def _by_question(vectors: VectorFile) -> Iterator[tuple[str, tuple[Vector, str]]]:
    for group, test in vectors.tests():
        asked, answer = asked_and_answered(group, test)
        yield asked, (test, answer)


def asked_and_answered(group: Group, test: Vector) -> tuple[str, str]:
    """What a vector asks, and what it answers, each as JSON."""
    value = msgspec.to_builtins(test)
    settings = msgspec.to_builtins(msgspec.structs.replace(group, tests=()))
    asked_too = _ASKED_BY_ANSWER.get(settings["type"], ())
    answers = {name: value.pop(name) for name in _ANSWERS if name in value and name not in asked_too}
    for name in ("tcId", "flags", "comment"):
        value.pop(name, None)
    return _json({**settings, **value}), _json(answers)


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def lint(path: Path) -> list[str]:
    """What is wrong with a file of vectors, or of trainings, beyond its form, a sentence each.

    Raises InputError where it has not the form.
    """
    value = read_json(path)
    if are_training_vectors(value):
        return list(training_mistakes(training_vectors_of(value, path)))
    return list(mistakes(vectors_of(value, path)))


def mistakes(vectors: VectorFile) -> Iterator[str]:
    """What is wrong with vectors, a sentence each."""
    asked = [(test, asked_and_answered(group, test)[0]) for group, test in vectors.tests()]
    yield from _mistakes_of_all(vectors, asked)
    for test, _ in asked:
        yield from (f"test {test.tc_id}: {sentence}" for sentence in _mistakes(test))


def training_mistakes(vectors: TrainingVectorFile) -> Iterator[str]:
    """What is wrong with trainings, a sentence each."""
    asked = [(test, _json([group.trainer, test.texts, test.options])) for group, test in vectors.tests()]
    yield from _mistakes_of_all(vectors, asked)
    for _, test in vectors.tests():
        if not isinstance(test.scores, msgspec.UnsetType) and len(test.scores) != len(test.tokens):
            yield f"test {test.tc_id}: has {len(test.tokens)} tokens and {len(test.scores)} scores"
        if not test.flags:
            yield f"test {test.tc_id}: has no flag"


def _mistakes_of_all(vectors: VectorFile | TrainingVectorFile, asked: Sequence[tuple[Vector, str]]) -> Iterator[str]:
    """What is wrong with numbers, flags and notes. asked: the tests, each with its question as JSON."""
    numbers = [test.tc_id for test, _ in asked]
    if numbers != sorted({*numbers}):
        yield "tcId: the numbers do not rise from test to test"
    if vectors.number_of_tests != len(numbers):
        yield f"numberOfTests: is {vectors.number_of_tests}, and there are {len(numbers)}"
    flags = {flag for test, _ in asked for flag in test.flags}
    yield from (f"notes: {flag!r} is no flag of any test" for flag in sorted(vectors.notes.keys() - flags))
    yield from (f"flags: {flag!r} has no note" for flag in sorted(flags - vectors.notes.keys()))
    seen: dict[str, int] = {}
    for test, question in asked:
        if (known := seen.setdefault(question, test.tc_id)) != test.tc_id:
            yield f"test {test.tc_id}: asks what test {known} asks"
    if not written(vectors).isascii():
        yield "the file is not ASCII"


def _mistakes(test: Vector) -> Iterator[str]:
    if not test.flags:
        yield "has no flag"
    if test.result == "acceptable" and test.comment is msgspec.UNSET:
        yield "is acceptable, and no comment says why"
    if isinstance(test, EncodeVector):
        asked = [one for one in (test.text, test.bytes_hex, test.utf16) if one is not msgspec.UNSET]
        if len(asked) != 1:
            yield "has not exactly one of text, bytesHex and utf16"
        if test.result != "refused" and test.ids is msgspec.UNSET:
            yield "has no ids"
        yield from _unequal(test)
    if isinstance(test, StreamEncodeVector) and (test.chunks is msgspec.UNSET) == (test.chunks_hex is msgspec.UNSET):
        yield "has not exactly one of chunks and chunksHex"


def _unequal(test: EncodeVector) -> Iterator[str]:
    ids = () if isinstance(test.ids, msgspec.UnsetType) else test.ids
    for name, some in (("offsets", test.offsets), ("pieces", test.pieces)):
        if not isinstance(some, msgspec.UnsetType) and len(some) != len(ids):
            yield f"has {len(ids)} ids and {len(some)} {name}"
