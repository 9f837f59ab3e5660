"""Asks subjects to render conversations, and finds the mistake that predicts their wrong answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias
from weakref import WeakKeyDictionary

from conformance.core.chats import AskedChat, ChatAnswer, Chatted, Conversation, conversation_of
from conformance.core.observation import UNTESTED, Encoded, Failure
from conformance.engine.chat_edits import Reference, cause_of, reference_answer
from conformance.inputs.chats import CONVERSATIONS
from conformance.subjects.base import Subject
from reftok import Tokenizer
from reftok.chat.rendering import INSTALL

Probes: TypeAlias = Sequence[tuple[Conversation, AskedChat]]
_PROBED: WeakKeyDictionary[Subject, tuple[Reference, Probes]] = WeakKeyDictionary()


class Chats:
    """Asks subjects to render the conversations among the texts, if the model has a chat template."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        templates = tokenizer.rules.chat_templates
        self._reference = None if templates is None or not templates.sources else Reference(tokenizer, templates)
        self._known = lru_cache(maxsize=1024)(self._due)

    def given(self, subject: Subject, texts: Mapping[int, str]) -> tuple[dict[int, AskedChat], dict[int, str]]:
        """What a subject makes of them, by the number of the text; and what its adapter says of itself instead.

        None of it where the subject renders no chats. Where the reference cannot, no subject is asked.
        """
        if self._reference is None or not subject.has_chat:
            return {}, {}
        found = {number: conversation_of(text) for number, text in texts.items()}
        conversations = {number: one for number, one in found.items() if one is not None}
        asked = dict(zip(conversations, self._asked(subject, [*conversations.values()]), strict=True))
        errors = {
            number: one.given.message
            for number, one in asked.items()
            if isinstance(one.given, Failure) and one.given.kind == "adapter error"
        }
        told = {number: _tested(one) for number, one in asked.items()}
        wrong = [number for number, one in told.items() if one.differs]
        reference, probes = self._probed(self._reference, subject) if wrong else (self._reference, ())
        every = [*((conversations[number], told[number]) for number in told), *probes]
        causes = {
            number: cause_of(reference, told[number], conversations[number], every)
            for number in wrong
            if isinstance(told[number].given, Chatted)
        }
        return {number: replace(one, cause=causes.get(number, "")) for number, one in told.items()}, errors

    def _asked(self, subject: Subject, conversations: Sequence[Conversation]) -> list[AskedChat]:
        due = [self._known(one.text) for one in conversations]
        if any(isinstance(one, Failure) and one.message == INSTALL for one in due):
            return [AskedChat(Failure("not asked", INSTALL), None) for _ in due]
        answers = subject.chat(conversations)
        return [_without_own_ids(subject, AskedChat(*pair)) for pair in zip(due, answers, strict=True)]

    def _due(self, text: str) -> ChatAnswer:
        conversation = conversation_of(text)
        assert conversation is not None
        assert self._reference is not None
        return reference_answer(self._reference, conversation)

    def _probed(self, reference: Reference, subject: Subject) -> tuple[Reference, Probes]:
        """What a subject makes of conversations that are always the same: they tell mistakes apart.

        With them comes the reference that remembers what each mistake makes of them.
        """
        known = _PROBED.get(subject)
        if known is None or known[0].tokenizer is not reference.tokenizer:
            asked = map(_tested, self._asked(subject, CONVERSATIONS))
            known = _PROBED[subject] = reference, tuple(zip(CONVERSATIONS, asked, strict=True))
        return known


def _tested(asked: AskedChat) -> AskedChat:
    is_untested = isinstance(asked.given, Failure) and asked.given.kind in UNTESTED
    return replace(asked, given=None) if is_untested else asked


def _without_own_ids(subject: Subject, asked: AskedChat) -> AskedChat:
    """The answer without its ids, if the subject also encodes the right text to them: other checks report that."""
    due, given = asked.due, asked.given
    if asked.differs != "ids" or not isinstance(due, Chatted) or not isinstance(given, Chatted) or due.text is None:
        return asked
    own = subject.encode_bare([due.text]) or ()
    is_own = any(isinstance(one, Encoded) and one.ids == given.ids for one in own)
    return replace(asked, given=replace(given, ids=None)) if is_own else asked
