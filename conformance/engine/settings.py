"""Asking subjects questions with settings, and which mistake foretells what they answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from weakref import WeakKeyDictionary

from conformance.checks.settings import of_settings
from conformance.core.observation import UNTESTED, Encoded, Failure
from conformance.core.settings import Asked, Given, Question, Text, is_answer
from conformance.engine.settings_edits import Edit, mistakes_shown, with_causes
from conformance.inputs.settings import drawn_questions, special_questions
from conformance.subjects.base import Subject
from conformance.subjects.library import all_parts
from conformance.subjects.reftok_spec_subject import encodings_with
from reftok import InvalidText, ReftokError, Tokenizer
from reftok.rules.pipeline import Pipeline
from reftok.rules.types import Encoding

PROBES = ("The quick brown fox jumps over 12 lazy dogs.", "a b c d e f g h i j k l m n o p q r s t u v w x y z")
"""Texts that any model cuts into many tokens."""
_PROBED: WeakKeyDictionary[Subject, tuple[Pipeline, tuple[Asked, ...]]] = WeakKeyDictionary()


class Settings:
    """Asks about texts with settings, with a model of `tokenizers` or tiktoken; others have no such questions."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._rules = tokenizer.rules
        self._known = lru_cache(maxsize=4096)(self._answered)
        self._tokens_of = lru_cache(maxsize=1024)(tokenizer.memory.encoder.tokens_of)

    def due(self, subject: Subject, texts: Mapping[int, str]) -> dict[int, tuple[Asked, ...]]:
        """The questions with the answers of the official library, by the number of the text.

        What the reference refuses is not asked of `tokenizers`, which may break down there (a stride that leaves no
        room). A refusal of tiktoken is an answer.
        If the library has no such call on this machine (words, without numpy), the reference's answer is used.
        """
        drawn = [(number, one) for number, text in texts.items() for one in self.questions(text)]
        answers = subject.encode_with([question for _, question in drawn])
        found: dict[int, list[Asked]] = {}
        for (number, question), official in zip(drawn, answers, strict=True):
            answer = self._reference_answer(question) if official is None else official
            if is_answer(answer, question):
                found.setdefault(number, []).append(Asked(question, answer, answer))
        return {number: tuple(asked) for number, asked in found.items()}

    def given(
        self, subject: Subject, due: Mapping[int, Sequence[Asked]]
    ) -> tuple[dict[int, tuple[Asked, ...]], dict[int, str]]:
        """The same questions with the answers of a subject; and what its adapter says of itself in their place."""
        answers = iter(subject.encode_with([one.question for asked in due.values() for one in asked]))
        found: dict[int, tuple[Asked, ...]] = {}
        errors: dict[int, str] = {}
        for number, asked in due.items():
            heard = [replace(one, given=next(answers)) for one in asked]
            failures = [one.given for one in heard if isinstance(one.given, Failure)]
            if said := [one.message for one in failures if one.kind == "adapter error"]:
                errors[number] = said[0]
            tested = [one for one in heard if not isinstance(one.given, Failure) or one.given.kind not in UNTESTED]
            found[number] = tuple(tested)
        differing = [number for number, asked in found.items() if of_settings(asked)]
        probes = self._probed(subject) if differing else ()
        return found | {
            number: with_causes(self._ask, self._rules, found[number], probes) for number in differing
        }, errors

    def mistakes_shown(self, asked: Asked) -> list[Edit]:
        """The mistakes that a question would show."""
        return mistakes_shown(self._ask, self._rules, asked.question, asked.due)

    def _probed(self, subject: Subject) -> Sequence[Asked]:
        """What a subject answers to questions about texts that are always the same: they tell mistakes apart."""
        rules, asked = _PROBED.get(subject, (None, ()))
        if rules is not self._rules:
            questions = [question for text in PROBES for question in self.questions(text)]
            pairs = zip(questions, subject.encode_with(questions), strict=True)
            asked = tuple(Asked(question, self._reference_answer(question), given) for question, given in pairs)
            _PROBED[subject] = self._rules, asked
        return asked

    def questions(self, text: str) -> list[Question]:
        """The questions about a text."""
        if self._rules.library == "tiktoken":
            special = self._rules.added_tokens.tokens.values()
            return special_questions(text, [token.content for token in special])
        if self._rules.library != "tokenizers":
            return []
        try:
            drawn = drawn_questions(text, self._count)
        except ReftokError:
            return []
        return [*filter(self._is_answered, drawn)]

    def _is_answered(self, question: Question) -> bool:
        try:
            return question.truncation is None or bool(self._ask(self._rules, question))
        except ReftokError:
            return False

    def _reference_answer(self, question: Question) -> Given:
        try:
            return self._ask(self._rules, question)
        except InvalidText as error:  # a special token that is not allowed
            return Failure("refused", str(error))

    def _ask(self, rules: Pipeline, question: Question) -> tuple[Encoded, ...]:
        return self._known(question) if rules is self._rules else self._answered(question, rules)

    def _answered(self, question: Question, rules: Pipeline | None = None) -> tuple[Encoded, ...]:
        return tuple(map(all_parts, self._encodings(rules or self._rules, question), question.inputs))

    def _encodings(self, rules: Pipeline, question: Question) -> list[Encoding]:
        return encodings_with(rules, self._tokens_of, question)

    def _count(self, texts: tuple[Text, ...]) -> tuple[int, int]:
        bare = replace(self._rules, truncation=None, padding=None)
        (found,) = self._encodings(bare, Question((texts,), False, not isinstance(texts[0], str)))
        return len(found), sum(step.added_tokens(len(texts) == 2) for step in self._rules.post_processors or ())
