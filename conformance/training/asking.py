"""Who is asked about a case: an official trainer, or one of a user's own in a process that is kept for the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from multiprocessing.util import Finalize
from typing import Any

from conformance.core.observation import Failure
from conformance.subjects.official_trainers import official_training
from conformance.subjects.training_subject import RANKS, TrainingSubject
from conformance.training.case import Result, TrainingCase, learned_of
from conformance.training.reference import reference_training
from reftok.training.unigram import NEVER_ENDS

Ask = Callable[[TrainingCase], Result]
Train = Callable[[str, Sequence[str], Mapping[str, Any]], bytes | Failure]


def asked(train: Train) -> Ask:
    """A function that asks a trainer about a case.

    A case of hf-unigram on which the official trainer never ends is not asked: a faithful port would not end either.
    """

    def ask(case: TrainingCase) -> Result:
        if case.trainer == "hf-unigram":
            due = reference_training(case)
            if isinstance(due, Failure) and NEVER_ENDS in due.message:
                return Failure("refused", "not asked: the official trainer never ends on this case")
        found = train(case.trainer, case.texts, case.options)
        return found if isinstance(found, Failure) else learned_of(found)

    return ask


def official_answer(case: TrainingCase) -> Result:
    """What the official trainer learns; hf-unigram is not asked what the reference refuses: it may never end."""
    if case.trainer == "hf-unigram" and isinstance(reference_training(case), Failure):
        return Failure("refused", "not asked: the reference refuses it")
    if case.trainer == RANKS:
        return Failure("refused", "no official library has this trainer")
    return asked(official_training)(case)


_subjects: dict[tuple[str, float, int], TrainingSubject] = {}
"""Those that this process has started."""


def subject_answer(named: str, timeout: float, memory: int, case: TrainingCase) -> Result:
    """What a trainer of a user's own learns. The other arguments: as of TrainingSubject."""
    return asked(subject_in_process(named, timeout, memory).train)(case)


def subject_in_process(named: str, timeout: float, memory: int) -> TrainingSubject:
    """A subject, in a process that this one keeps. The arguments: as of TrainingSubject."""
    key = named, timeout, memory
    if key not in _subjects:
        _subjects[key] = TrainingSubject(*key)
        Finalize(None, end_subjects, exitpriority=0)
    return _subjects[key]


def end_subjects() -> None:
    """End the processes of subjects that this one has started."""
    while _subjects:
        _subjects.popitem()[1].end()
