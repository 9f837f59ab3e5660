"""Vectors of training: the fewest small trainings that tell each known fault of a trainer, made and run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from msgspec import UNSET, UnsetType, structs

from conformance.core.observation import UNTESTED, Failure
from conformance.inputs.training_vector_file import TrainGroup, TrainingVectorFile, TrainVector
from conformance.inputs.vector_file import Note, Oracle
from conformance.subjects.adapters import subject_version
from conformance.subjects.official_trainers import library_of
from conformance.training.asking import Ask, official_answer
from conformance.training.case import Learned, TrainingCase, first_difference
from conformance.training.configurations import made_cases
from conformance.training.hypotheses import hypotheses_for
from conformance.training.reference import free_choices_of, has_equal_entries, reference_training
from conformance.vectors.choosing import Choice, cover
from conformance.vectors.notes import flag_of
from conformance.vectors.running import Outcome

TRIED = {"hf-bpe": 300, "wordlevel": 100, "sentencepiece-bpe": 60, "word": 60, "char": 60, "unigram": 20}
"""The trainers whose result is a function of the texts and options (docs/training.md), and how many trainings of each
are tried: few of unigram, whose trainings are long."""
TOLD_BY = 2
MOST_CHARACTERS = 1000
"""Of all texts of a training."""
_PLAIN = "what is learned is another model"
_ROUNDED = "unigram"
"""The trainer whose scores hang on the processor in their last bits: they are left out."""


def make_training_vectors(say: Callable[[str], None], tried: Mapping[str, int] = TRIED) -> TrainingVectorFile:
    """The trainings that tell the most faults. tried: of each trainer, so many. say: hears how far it is."""
    groups: list[TrainGroup] = []
    number = 0
    for trainer, count in tried.items():
        small = [case for case in made_cases((trainer,), count, 0) if sum(map(len, case.texts)) <= MOST_CHARACTERS]
        made = [one for case in small if (one := _answered(case)) is not None]
        choices = [Choice(_size(test), frozenset(test.flags)) for test in made]
        counted = Counter(flag for test in made for flag in test.flags)
        numbers = cover(choices, {flag: min(times, TOLD_BY) for flag, times in counted.items()})
        say(f"{trainer}: {len(numbers)} of {len(made)} trainings")
        tests = [structs.replace(made[place], tc_id=number + n) for n, place in enumerate(numbers, 1)]
        number += len(tests)
        library = library_of(trainer)
        oracle = Oracle(library=library, version=subject_version(library))
        groups.append(TrainGroup(trainer=trainer, oracle=oracle, tests=tuple(tests)))
    flags = sorted({flag for group in groups for test in group.tests for flag in test.flags})
    return TrainingVectorFile(
        licence="CC0-1.0",
        made_by="tools/make_vectors.py",
        number_of_tests=number,
        notes={flag: _note(flag) for flag in flags},
        test_groups=tuple(groups),
    )


def _answered(case: TrainingCase) -> TrainVector | None:
    """The vector of a training; None where the official result hangs on chance, or the reference learns otherwise."""
    found = official_answer(case)
    if isinstance(found, Failure) or first_difference(case.trainer, reference_training(case), found) is not None:
        return None
    if free_choices_of(case, found) or has_equal_entries(case):
        return None
    right = _portable(case.trainer, found)
    rules = dict.fromkeys(_told(case, right))
    scores = [score for _, _, score in right.entries if score is not None]
    tokens = {token_id: token for token_id, token, _ in right.entries}
    return TrainVector(
        tc_id=0,
        flags=tuple(flag_of("Training", rule) for rule in rules or (_PLAIN,)),
        result="valid",
        texts=case.texts,
        options=dict(case.options),
        tokens=tuple(tokens.get(token_id) for token_id in range(1 + max(tokens, default=-1))),
        merges=right.merges if case.trainer == "hf-bpe" else UNSET,
        scores=tuple(None if score == -math.inf else score for score in scores) if scores else UNSET,
    )


def _told(case: TrainingCase, right: Learned) -> Iterator[str]:
    """The rules of the faults by which something else is learned."""
    for hypothesis in hypotheses_for(case):
        found = hypothesis.foretold(case, right)
        if isinstance(found, Learned) and first_difference(case.trainer, right, _portable(case.trainer, found)):
            yield hypothesis.rule


def _portable(trainer: str, learned: Learned) -> Learned:
    """What is the same on any processor."""
    if trainer != _ROUNDED:
        return learned
    return replace(learned, entries=tuple((token_id, token, None) for token_id, token, _ in learned.entries))


def _size(test: TrainVector) -> int:
    """Characters of the texts, and of what is learned."""
    return sum(len(text or "") for text in (*test.texts, *test.tokens))


def _note(flag: str) -> Note:
    stage, _, rule = flag.partition(": ")
    return Note(stage=stage, rule=rule, effect="another model")


def run_training_vectors(vectors: TrainingVectorFile, ask: Ask) -> list[Outcome]:
    """The outcome of each training, in order. ask: the trainer; what it refuses is not asked."""
    return [_outcome(group, test, ask) for group, test in vectors.tests()]


def _outcome(group: TrainGroup, test: TrainVector, ask: Ask) -> Outcome:
    case = TrainingCase(str(test.tc_id), group.trainer, test.texts, test.options)
    observed = ask(case)
    if isinstance(observed, Failure):
        if observed.kind in UNTESTED or observed.kind == "refused":
            return Outcome(group, test, "not asked")
        return Outcome(group, test, "fail", observed.kind, f"{len(test.tokens):,} entries", observed.message)
    scores: Sequence[float | None] = (None,) * len(test.tokens)
    if not isinstance(test.scores, UnsetType):
        scores = [-math.inf if score is None else score for score in test.scores]
    merges = () if isinstance(test.merges, UnsetType) else test.merges
    entries = zip(range(len(test.tokens)), test.tokens, scores, strict=True)
    expected = Learned(tuple((number, token, score) for number, token, score in entries if token is not None), merges)
    found = first_difference(group.trainer, expected, _portable(group.trainer, observed))
    if found is None:
        return Outcome(group, test, "pass")
    return Outcome(group, test, "fail", found.place, found.expected, found.observed)
