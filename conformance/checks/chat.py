"""Compares the text and ids of conversations that are rendered by the model's chat template."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.checks.base import (
    Answers,
    Check,
    Diagnosis,
    Difference,
    Outcome,
    failure_difference,
    tails,
    text_tails,
)
from conformance.checks.methods import CHAT as METHOD
from conformance.core.case import Case
from conformance.core.chats import AskedChat, Chatted
from conformance.core.finding import NO_RULE
from conformance.core.observation import Failure


@dataclass(frozen=True, slots=True)
class ChatCheck(Check):
    """What a subject makes of a conversation equals what the reference makes of it, which renders as transformers does.

    What the template refuses, a subject must refuse. Ids that the subject gives for the right text as well are told by
    other checks.
    """

    name: str = "chat"
    compares = "chat"
    diagnosis: Diagnosis = "chat"
    expected_by = "reftok"
    methods: tuple[str, ...] = (METHOD,)

    def __call__(self, case: Case, oracle: Answers, subject: Answers) -> Outcome:
        asked = subject.chat
        if asked is None or asked.given is None:
            return "not applicable"
        if not asked.differs:
            return "both refuse" if isinstance(asked.due, Failure) else "same"
        return told(asked)


def told(asked: AskedChat) -> Difference:
    """The difference in an answer."""
    due, given, part = asked.due, asked.given, asked.differs
    if isinstance(given, Failure):
        return failure_difference(due, given)
    assert given is not None
    if isinstance(due, Failure):
        rule = asked.cause or "answers what the oracle refuses"
        return Difference(rule, "other text", due.message, repr(given.ids if given.text is None else given.text)[:80])
    rule = asked.cause or f"{NO_RULE}: other {part} of a chat"
    if part == "text":
        return Difference(rule, "other text", *text_tails(due.text or "", given.text or ""))
    return Difference(rule, "other ids", *tails(*ids_of_both(due, given)))


def ids_of_both(due: Chatted, given: Chatted) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The expected and the observed ids."""
    return due.ids or (), given.ids or ()


CHAT = ChatCheck()
