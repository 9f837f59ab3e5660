"""Is a given result one that the official trainer may give? The case that a trained file is held against.

What the file says itself is read off it: of a tokenizer.json the pipeline, the special tokens that lead its vocab and
the size; of a `.model` the options that its specs hold. What no file holds is given beside.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from conformance.core.errors import FORM_ERRORS, InputError, UsageError
from conformance.core.observation import Failure
from conformance.training.case import Learned, TrainingCase, TrainingDifference, first_difference, learned_of
from conformance.training.configurations import file_text, lines_of
from conformance.training.hypotheses import hypotheses_for
from conformance.training.reference import check_options, free_choices_of, has_equal_entries, reference_training, why
from conformance.training.use import encoded
from conformance.training.whole_file import file_differences, specs_of
from reftok import ReftokError
from reftok.formats.files import file_bytes
from reftok.rules.byte_level import BYTE_TO_CHARACTER
from reftok.rules.types import AddedToken
from reftok.training.options import contents
from reftok.training.pipelines import pipeline_of

_TRAINER_OF_MODEL = {"BPE": "hf-bpe", "WordPiece": "wordpiece", "WordLevel": "wordlevel", "Unigram": "hf-unigram"}
NOT_TRAINED = frozenset({"trainer_spec.input", "trainer_spec.model_prefix"})
"""Paths of what says where files lay, which no texts tell."""
_NO_OPTIONS = ("model_type", "input", "model_prefix", "precompiled_charsmap")
"""Fields of the specs that say where files lie, or that the trainer makes."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a trained file proved to be.

    case: the training that it was held against. reading: how the texts were taken. difference: where it differs from
    what the reference learns, the free choices taken from the file; None where it is a valid result. reason: why the
    reference learns what it does there. rule: a fault that foretells the whole file, "" where none does.
    choices: what was left to chance, and is taken from the file. has_equal_entries: whether merges were too.
    refusal: of a valid result, why the official library does not load it; "" if it does.
    """

    case: TrainingCase
    reading: str
    difference: TrainingDifference | None
    reason: str = ""
    rule: str = ""
    choices: tuple[str, ...] = ()
    has_equal_entries: bool = False
    refusal: str = ""

    @property
    def is_valid(self) -> bool:
        """Whether the official trainer may give this file."""
        return self.difference is None


def check_file(path: Path, corpora: Sequence[Path], given: Mapping[str, Any], tell: Callable[[str], None]) -> Checked:
    """Whether a trained file is a valid result for the texts, in any of the ways in which a library reads these.

    path: a tokenizer.json or a `.model`. corpora: .txt files. given: options by name, which go before those that are
    read off the file. Raises InputError for a file that cannot be read or is neither, UsageError for options that the
    trainer does not take.
    """
    learned, trainer, options = _read_off(path)
    learned = _as_trained(learned, options)
    try:
        check_options(trainer, {**options, **given})
    except ReftokError as error:
        if given:
            raise UsageError(f"--option: {error}") from None
    best: Checked | None = None
    for reading, texts in _readings(trainer, corpora):
        tell(f"training as {trainer} from {reading}")
        case = TrainingCase(f"{trainer}: {path.name}", trainer, tuple(texts), {**options, **given})
        expected = reference_training(case, learned)
        difference = first_difference(trainer, expected, learned)
        if difference is None and isinstance(expected, Learned):
            difference = next(iter(file_differences(expected, learned, True, NOT_TRAINED)), None)
        found = Checked(case, reading, difference, choices=free_choices_of(case, learned))
        if difference is None:
            loaded = encoded(trainer, file_bytes(path), [])
            return replace(found, refusal=loaded.message if isinstance(loaded, Failure) else "")
        best = found if best is None or difference.path else best
    assert best is not None
    assert best.difference is not None
    if best.difference.path:
        return best
    tell("seeking the rule")
    foretold = ((one.rule, one.foretold(best.case, learned)) for one in hypotheses_for(best.case))
    rules = (rule for rule, result in foretold if result and first_difference(trainer, result, learned) is None)
    reason = why(best.case, learned, best.difference)
    by_chance = has_equal_entries(best.case)
    return Checked(best.case, best.reading, best.difference, reason, next(rules, ""), best.choices, by_chance)


def _as_trained(learned: Learned, options: Mapping[str, Any]) -> Learned:
    """A file without the tokens that were added to it after the training."""
    if not isinstance(learned.value, Mapping):
        return learned
    special = contents(options["special_tokens"])
    added = [one for one in learned.value.get("added_tokens") or () if one["content"] in special]
    return replace(learned, value={**learned.value, "added_tokens": added})


def _readings(trainer: str, corpora: Sequence[Path]) -> Iterator[tuple[str, list[str]]]:
    """How the texts may have been taken: sentencepiece reads lines; what tokenizers is fed is its caller's choice."""
    yield "lines", [line for path in corpora for line in lines_of(path)]
    if trainer in _TRAINER_OF_MODEL.values():
        files = [file_text(path) for path in corpora]
        yield (
            "lines with their line ends, as train(files) has them",
            [line for text in files for line in text.splitlines(keepends=True)],
        )
        yield "whole files", files


def _read_off(path: Path) -> tuple[Learned, str, dict[str, Any]]:
    """What a trained file has learned, the trainer that makes such files, and the options that the file tells."""
    try:
        data = file_bytes(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    learned = learned_of(data)
    if isinstance(learned, Failure):
        raise InputError(f"{path}: {learned.message.removeprefix('its file ')}")
    try:
        return learned, *(_of_json(learned) if isinstance(learned.value, Mapping) else _of_specs(data))
    except (*FORM_ERRORS, ReftokError, struct.error) as error:
        raise InputError(f"{path}: its options cannot be read off it: {error!s:.200}") from None


def option(written: str) -> tuple[str, Any]:
    """An option as the command line has it: NAME=VALUE, the value as JSON or, where it is none, as text.

    >>> option("min_frequency=2"), option('special_tokens=["<s>"]'), option("end_of_word_suffix=</w>")
    (('min_frequency', 2), ('special_tokens', ['<s>']), ('end_of_word_suffix', '</w>'))
    """
    name, equals, value = written.partition("=")
    if not equals or not name.isidentifier():
        raise UsageError(f"--option {written!s:.60}: is not NAME=VALUE, as min_frequency=2")
    try:
        return name, json.loads(value)
    except (ValueError, RecursionError):
        return name, value


def _of_json(learned: Learned) -> tuple[str, dict[str, Any]]:
    """The trainer of a tokenizer.json, and its options as far as the file tells them.

    The special tokens are those added tokens that lead the vocab, as a trainer puts them. A byte-level vocab that has
    the characters of all bytes was begun with them.
    """
    value = learned.value
    kind = value["model"]["type"]
    trainer = _TRAINER_OF_MODEL[kind]
    leading = {token: number for number, token, _ in learned.entries}
    added = sorted(value.get("added_tokens") or (), key=lambda one: int(one["id"]))
    special = [_special(one) for place, one in enumerate(added) if leading.get(one["content"]) == place == one["id"]]
    options: dict[str, Any] = {
        "pipeline": pipeline_of({**value, "added_tokens": []}, kind),
        "vocab_size": len(learned.entries),
        "special_tokens": special,
    }
    if trainer == "hf-bpe":
        alphabet = [*BYTE_TO_CHARACTER.values()]
        options["initial_alphabet"] = alphabet if leading.keys() >= {*alphabet} else []
    if trainer in ("hf-bpe", "wordpiece"):
        for name in ("continuing_subword_prefix", "end_of_word_suffix"):
            if value["model"].get(name):
                options[name] = value["model"][name]
    unknown = value["model"].get("unk_id")
    if trainer == "hf-unigram" and unknown is not None:
        options["unk_token"] = learned.entries[unknown][1]
    return trainer, options


def _special(token: Mapping[str, Any]) -> str | AddedToken:
    """A special token as a trainer is given it: one with flags of its own as an AddedToken."""
    flags = {name: True for name in ("single_word", "lstrip", "rstrip", "normalized") if token.get(name)}
    return AddedToken(token["content"], special=True, **flags) if flags else str(token["content"])


def _of_specs(data: bytes) -> tuple[str, dict[str, Any]]:
    """The trainer of a `.model`, and the options that its specs hold; what is not there has its default."""
    options = specs_of(data)
    kind = options.get("model_type", "unigram")
    return "sentencepiece-bpe" if kind == "bpe" else kind, {
        name: value for name, value in options.items() if name not in _NO_OPTIONS
    }
