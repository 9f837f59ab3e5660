"""Vectors with settings: the fewest questions about pairs, words, truncation and padding that show each mistake."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from conformance.core.settings import Asked, Question, is_answer
from conformance.engine.settings import PROBES, Settings
from conformance.inputs.settings import LONGEST
from conformance.inputs.vector_file import (
    EncodeWithGroup,
    EncodeWithVector,
    PaddingSetting,
    SpecialTokensSetting,
    TruncationSetting,
    encoding_parts,
)
from conformance.subjects.base import Subject
from conformance.vectors.choosing import Choice, cover
from conformance.vectors.notes import flag_of
from reftok import Tokenizer

MOST_TEXTS = 12
"""The number of texts that are taken from other vectors."""
SHORTEST_TEXT = 12
"""In code points: a shorter one has too few parts to be cut and padded."""


def settings_groups(
    tokenizer: Tokenizer, oracle: Subject, texts: Sequence[str], times: int, most: int | None = None
) -> list[EncodeWithGroup]:
    """The vectors, with special tokens and without; none for models of sentencepiece, which has no such settings.

    texts: those of other vectors. times: the vectors that show each mistake. most: the most vectors in all.
    """
    settings = Settings(tokenizer)
    asked = official_answers(settings, oracle, _texts(tokenizer, texts))
    shown = [flags_of(settings, one) for one in asked]
    counts = Counter(flag for flags in shown for flag in flags)
    choices = [_choice(one.question, flags) for one, flags in zip(asked, shown, strict=True)]
    chosen = cover(choices, {(flag, ""): times for flag in counts}, most)
    by_rarity = ([*sorted(shown[number], key=lambda flag: (counts[flag], flag))] for number in chosen)
    return grouped(zip((asked[number] for number in chosen), by_rarity, strict=True))


def official_answers(settings: Settings, oracle: Subject, texts: Iterable[str]) -> list[Asked]:
    """The questions about some texts, each once, with the answers of the official library, where it gives any."""
    questions = [*dict.fromkeys(question for text in texts for question in settings.questions(text))]
    answers = zip(questions, oracle.encode_with(questions), strict=True)
    return [Asked(question, answer, answer) for question, answer in answers if is_answer(answer, question)]


def flags_of(settings: Settings, asked: Asked) -> frozenset[str]:
    """The flags of the mistakes that a question shows."""
    return frozenset(flag_of(edit.stage, edit.rule) for edit in settings.mistakes_shown(asked))


def grouped(asked: Iterable[tuple[Asked, Sequence[str]]]) -> list[EncodeWithGroup]:
    """Questions with their flags as vectors, with special tokens and without."""
    every = [*asked]
    groups = []
    for adds in (True, False):
        tests = [_vector(one, flags) for one, flags in every if one.question.add_special_tokens == adds]
        groups.append(EncodeWithGroup(add_special_tokens=adds, tests=tuple(tests)))
    return [group for group in groups if group.tests]


def _vector(asked: Asked, flags: Sequence[str]) -> EncodeWithVector:
    """A question with the official library's answer as a vector."""
    question, due = asked.question, asked.due
    truncation, padding, special = question.truncation, question.padding, None
    if (tokens := question.special_in_text) is not None:
        special = SpecialTokensSetting(allowed_special=tokens.allowed, disallowed_special=tokens.disallowed)
    return EncodeWithVector(
        tc_id=0,
        flags=tuple(flags),
        result="valid" if isinstance(due, tuple) else "refused",
        inputs=question.inputs,
        is_pretokenized=question.is_pretokenized,
        truncation=None if truncation is None else TruncationSetting(**asdict(truncation)),
        padding=None if padding is None else PaddingSetting(**asdict(padding)),
        special_in_text=special,
        encodings=tuple(map(encoding_parts, due)) if isinstance(due, tuple) else None,
    )


def _texts(tokenizer: Tokenizer, texts: Sequence[str]) -> list[str]:
    """Some texts of a usual length, spread over all, and some with special tokens."""
    usual = [text for text in texts if SHORTEST_TEXT <= len(text) <= LONGEST]
    special = [token.content for token in tokenizer.rules.added_tokens.tokens.values() if token.special]
    made = [f"a{one}b" for one in special[:MOST_TEXTS]] + ["".join(special[:3])] * bool(special)
    return [*PROBES, *usual[:: 1 + len(usual) // MOST_TEXTS], *made]


def _choice(question: Question, flags: Iterable[str]) -> Choice[tuple[str, str]]:
    """What a question shows: each mistake, and each once more if a port with only this setting would show it."""
    keys = {(flag, "") for flag in flags}
    if len(question.needs) == 1:
        (need,) = question.needs
        keys |= {(flag, need) for flag in flags}
    return Choice(sum(len(text) for texts in question.inputs for text in texts), frozenset(keys))
