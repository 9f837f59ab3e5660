"""The options that trainers have in common, and the check of those that a caller gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, TypeAlias, TypeVar, get_type_hints

from reftok.errors import TrainingStopped
from reftok.rules.types import AddedToken
from reftok.training.sentencepiece.options import DEFAULTS as SENTENCEPIECE_OPTIONS

SpecialTokens: TypeAlias = Sequence[str | AddedToken]
"""Texts, or tokens with flags, also those of tokenizers; all become special."""
_FLAGS = ("single_word", "lstrip", "rstrip")

Trainer = TypeVar("Trainer")

_ELSEWHERE = {
    "show_progress": "give a function as progress=, or --quiet on the command line",
    "progress_format": "give a function as progress=",
    "max_token_length": "only hf-bpe has it",
    "min_frequency": "hf-bpe, wordpiece and wordlevel have it",
    "limit_alphabet": "hf-bpe and wordpiece have it",
    "initial_alphabet": "hf-bpe, wordpiece and hf-unigram have it",
    "seed_size": "only hf-unigram has it",
    "unk_token": "for other models than Unigram it stands in the tokenizer.json that is given as pipeline",
}


def contents(tokens: SpecialTokens) -> list[str]:
    """The texts of special tokens."""
    return [token if isinstance(token, str) else token.content for token in tokens]


def special_token(given: Any) -> AddedToken:
    """A token that a trainer was given, which becomes special.

    given: a text, an AddedToken of this package or of tokenizers.

    >>> special_token(AddedToken("<mask>", lstrip=True)).special
    True
    """
    if isinstance(given, str | AddedToken):
        return replace(AddedToken(given) if isinstance(given, str) else given, special=True)
    # Only a special AddedToken of tokenizers tells whether `normalized` was given or is the default.
    was_special, given.special = given.special, True
    normalized, given.special = given.normalized, was_special
    flags = {flag: getattr(given, flag) for flag in _FLAGS}
    return AddedToken(given.content, **flags, normalized=normalized, special=True)


def _is_special_token(entry: object) -> bool:
    """Whether a trainer takes it as a special token; an AddedToken of tokenizers is recognised by its attributes."""
    return isinstance(entry, str | AddedToken) or all(hasattr(entry, name) for name in ("content", "special", *_FLAGS))


def trainer_of(kind: type[Trainer], name: str, options: Mapping[str, Any]) -> Trainer:
    """A trainer with these options.

    name: of the trainer, for messages.
    Raises TrainingStopped for an option that it does not have, and for a value that means nothing.

    >>> from reftok.training.bpe import BpeTrainer
    >>> trainer_of(BpeTrainer, "hf-bpe", {"vocab_size": "many"})
    Traceback (most recent call last):
    reftok.errors.TrainingStopped: hf-bpe: vocab_size is 'many': a whole number from 0 is needed
    """
    known = [field.name for field in fields(kind) if field.init]  # type: ignore[arg-type]
    hints = get_type_hints(kind)
    for option, value in options.items():
        if option not in known:
            default = f"it takes {', '.join(known)}"
            if option in SENTENCEPIECE_OPTIONS:
                default = "only sentencepiece-bpe, unigram, word and char have it"
            instead = _ELSEWHERE.get(option, default)
            raise TrainingStopped(f"{name} has no option {option}: {instead}")
        if problem := _problem(str(hints[option]), value):
            raise TrainingStopped(f"{name}: {option} is {value!r:.60}: {problem}")
    return kind(**options)


def _problem(hint: str, value: object) -> str:
    """What is wrong with a value, '' where nothing is."""
    if value is None:
        return "" if "None" in hint else "it cannot be left empty"
    if "int" in hint and "float" not in hint:
        is_number = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63
        return "" if is_number else "a whole number from 0 is needed"
    if "float" in hint:
        is_share = isinstance(value, int | float) and 0 < value < 1
        return "" if is_share else "a number between 0 and 1 is needed"
    if "Sequence" in hint:
        if isinstance(value, str) or not isinstance(value, Sequence):
            return "a list is needed"
        wrong = [entry for entry in value if not _is_special_token(entry)]
        return f"{wrong[0]!r:.60} in it is no text" if wrong else _not_text("".join(contents(value)))
    return _not_text(value) if isinstance(value, str) else "a text is needed"


def _not_text(text: str) -> str:
    return "it has a lone surrogate" if any("\ud800" <= character <= "\udfff" for character in text) else ""
