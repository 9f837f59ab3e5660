"""What reftok's trainers make of a case, and the choices that an official trainer leaves to chance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.core.observation import Failure
from conformance.subjects.training_subject import RANKS
from conformance.training.case import Learned, Result, TrainingCase, TrainingDifference, of_tokenizer_json
from conformance.training.case import learned_of as learned_of_file
from conformance.training.ranks import ranks_training
from reftok import ReftokError
from reftok.training.bpe import BpeTrainer
from reftok.training.monitor import Monitor, TrainingTrace
from reftok.training.options import contents
from reftok.training.sentencepiece.options import trainer_options
from reftok.training.sentencepiece.trainer import train
from reftok.training.texts import Texts
from reftok.training.train import SENTENCEPIECE_TRAINERS, training_of
from reftok.training.training import Training


def reference_training(case: TrainingCase, given: Result | None = None) -> Result:
    """What the reference learns.

    given: a result of the same case, whose free choices are taken over where they can be: the order of characters with
    prefix or suffix, and the alphabet that a limit leaves. The official library makes these by chance.
    """
    try:
        if case.trainer in SENTENCEPIECE_TRAINERS:
            kind = case.trainer.removeprefix("sentencepiece-")
            return learned_of_file(train(case.texts, trainer_options(model_type=kind, **case.options)))
        if case.trainer == RANKS:
            return ranks_training(case, given)
        training = _training(case)
        if isinstance(given, Learned) and (free := free_choices(training, given)):
            try:
                return _trained(_training(case, free), case)
            except ReftokError:
                pass  # its choices are none: it lacks a character
        return _trained(training, case)
    except ReftokError as error:
        return Failure("refused", str(error))


def check_options(trainer: str, options: Mapping[str, Any]) -> None:
    """Raise ReftokError for options that the trainer does not take."""
    given = dict(options)
    training_of(trainer, Texts(()), given.pop("pipeline", None), given)


def free_choices(training: Training, given: Learned) -> dict[str, Any]:
    """The options that make the reference choose as a result did; none where nothing is left to chance."""
    trainer = training.trainer
    if not isinstance(trainer, BpeTrainer):
        return {}
    vocab = [token for _, token, _ in given.entries]
    choices: dict[str, Any] = {}
    if trainer.limit_alphabet is not None:
        special = set(contents(trainer.special_tokens))
        choices["kept_alphabet"] = [token for token in vocab if len(token) == 1 and token not in special]
    if trainer.continuing_subword_prefix or trainer.end_of_word_suffix:
        choices["derived_order"] = vocab
    return choices


_CHOICES = {
    "kept_alphabet": "which of equally frequent characters limit_alphabet keeps",
    "derived_order": "the order of the characters with a prefix or suffix",
}


def free_choices_of(case: TrainingCase, given: Learned) -> tuple[str, ...]:
    """What of a result is left to chance, in words; nothing of sentencepiece's."""
    if case.trainer in SENTENCEPIECE_TRAINERS:
        return ()
    if case.trainer == "hf-unigram":
        return ("the order of equal scores, and the last digits of scores",)
    try:
        return tuple(_CHOICES[name] for name in free_choices(_training(case), given))
    except ReftokError:
        return ()


def has_equal_entries(case: TrainingCase) -> bool:
    """Whether the official library makes a merge in an order of chance, which nothing of its result tells."""
    if case.trainer not in ("hf-bpe", "wordpiece"):
        return False
    try:
        training = _training(case)
        trainer = training.trainer
        return isinstance(trainer, BpeTrainer) and trainer.train(training.count(case.texts)).equal_entries > 0
    except ReftokError:
        return False


def _training(case: TrainingCase, choices: dict[str, Any] | None = None) -> Training:
    return Training.of(case.trainer, Texts.of(case.texts, None), **{**case.options, **(choices or {})})


def _trained(training: Training, case: TrainingCase) -> Learned:
    return of_tokenizer_json(training.train(training.count(case.texts)))


def why(case: TrainingCase, given: Result, difference: TrainingDifference) -> str:
    """The count of a merge of the reference, and the pairs that have it too; "" for another difference."""
    kind, _, number = difference.place.partition(" ")
    try:
        if case.trainer == "hf-bpe" and kind == "merge":
            training = _training(case)
            if isinstance(given, Learned) and (free := free_choices(training, given)):
                training = _training(case, free)
            trace = TrainingTrace(number)
            training.train(training.count(case.texts), Monitor(trace=trace))
            for merge in trace.merges.values():
                return f"it has the count {merge.count:,}"
        if case.trainer == "sentencepiece-bpe" and kind == "entry":
            trace = TrainingTrace()
            train(case.texts, trainer_options(model_type="bpe", **case.options), Monitor(trace=trace))
            for merge in trace.merges.values():
                if repr(merge.piece) == difference.expected:
                    return _told(merge.count, [repr("".join(rival)) for rival in merge.rivals])
    except ReftokError:
        pass
    return ""


def _told(count: int, rivals: list[str]) -> str:
    shown = ", ".join(rivals[:3]) + (" …" if len(rivals) > 3 else "")
    return f"it has the count {count:,}" + (f", and so has {shown}" if rivals else ", and no other pair has it")
