"""What the official library makes of a trained file: whether it loads it, and how it encodes with it."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass

from conformance.core.observation import Failure
from conformance.subjects import official_trainers
from conformance.subjects.training_subject import RANKS
from conformance.training.asking import subject_in_process
from conformance.training.case import Learned, TrainingCase, TrainingDifference
from conformance.training.configurations import made_case
from conformance.training.reference import reference_training
from conformance.training.whole_file import file_of

MOST_TEXTS = 200
_SECONDS, _MEMORY = 60.0, 4096


@dataclass(frozen=True, slots=True)
class Use:
    """A subject's file and the reference's, each used by the official library.

    refusal: why the library does not load the subject's file, "" if it does. texts: that both encode.
    different: how many of them they encode otherwise; example: the first of these.
    """

    refusal: str = ""
    texts: int = 0
    different: int = 0
    example: str = ""

    @property
    def sentence(self) -> str:
        """What comes of the difference.

        >>> Use("", 200, 3, "a b").sentence
        "3 of 200 texts are encoded otherwise, first 'a b'"
        """
        if self.refusal:
            return f"the official library does not load the file: {self.refusal}"
        if self.different:
            return f"{self.different} of {self.texts} texts are encoded otherwise, first {self.example!r:.60}"
        return f"{self.texts} texts are encoded alike" if self.texts else ""

    @property
    def differences(self) -> tuple[TrainingDifference, ...]:
        """The difference in the use, of path "use"; none where the files are used alike."""
        if not self.refusal and not self.different:
            return ()
        return (TrainingDifference("use", "the file of the reference", self.sentence, "use"),)


def use_of(case: TrainingCase, observed: Learned) -> Use:
    """How the official library uses a subject's file, held against that of the reference.

    What is the same bytes, or has no library, is not used. The scores of hf-unigram differ within bounds, and with
    them what is encoded: of it only the loading counts.
    """
    expected = reference_training(case, observed)
    if isinstance(expected, Failure) or expected.value == observed.value or case.trainer == RANKS:
        return Use()
    texts = _texts(case)
    found = encoded(case.trainer, file_of(observed), texts)
    right = encoded(case.trainer, file_of(expected), texts)
    if isinstance(right, Failure):
        return Use()  # nobody's file of this training is loaded
    if isinstance(found, Failure):
        return Use(found.message)
    if case.trainer == "hf-unigram":
        return Use()
    other = [text for text, left, own in zip(texts, right, found, strict=True) if left != own]
    return Use("", len(texts), len(other), other[0] if other else "")


def encoded(trainer: str, data: bytes, texts: list[str]) -> list[list[int]] | Failure:
    """The ids of each text as the official library has them with a file, or why it does not load it."""
    subject = subject_in_process(f"{official_trainers.__file__}:encode", _SECONDS, _MEMORY)
    found = subject.train(trainer, texts, {"base64": base64.b64encode(data).decode("ascii")})
    ids: list[list[int]] | Failure = found if isinstance(found, Failure) else json.loads(found)
    return ids


def _texts(case: TrainingCase) -> list[str]:
    """The texts of the training, and made ones."""
    made = (text for number in range(MOST_TEXTS) for text in made_case("word", f"use {number}", {}).texts)
    return [*dict.fromkeys((*case.texts[: MOST_TEXTS // 2], *made))][:MOST_TEXTS]
