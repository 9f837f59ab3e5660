"""What subjects get wrong in chats: the reference asked otherwise, its template changed, or its answer.

An edit foretells the answer to every conversation. It explains a wrong answer that it foretells, unless it foretells
another than a right one that the subject gave as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

from conformance.core.chats import AskedChat, ChatAnswer, Chatted, Conversation, conversation_of, difference
from conformance.core.observation import Failure
from reftok import ReftokError, Tokenizer
from reftok.chat.rendering import chat_text
from reftok.chat.templates import ChatTemplates
from reftok.rules.pipeline import Pipeline

STAGE = "Chat"
"""Findings of chats name this in place of a stage of the tokenizer."""


class Reference:
    """The reference tokenizer with its chat templates, which the edits change."""

    def __init__(self, tokenizer: Tokenizer, templates: ChatTemplates) -> None:
        self.tokenizer = tokenizer
        self.templates = replace(templates, files={})  # no report names a file of this machine
        self.bos = templates.tokens.get("bos_token", "")
        self.foretold = lru_cache(maxsize=8192)(self._foretold)

    def text(self, conversation: Conversation, variables: Mapping[str, Any] | None = None) -> str:
        """The text of a conversation. Raises ChatRefused."""
        return chat_text(
            self.templates,
            conversation.messages,
            tools=conversation.tools,
            add_generation_prompt=conversation.add_generation_prompt,
            variables=variables,
        )

    def ids(self, text: str, add_special_tokens: bool = False) -> tuple[int, ...]:
        """The ids of a text; special tokens in it are recognized."""
        return tuple(self.tokenizer.encode_ids(text, add_special_tokens=add_special_tokens))

    def answer(self, conversation: Conversation) -> Chatted:
        """The text and the ids of a conversation. Raises ReftokError."""
        return self.of_text(self.text(conversation))

    def of_text(self, text: str) -> Chatted:
        """A text with its ids."""
        return Chatted(text, self.ids(text))

    def changed(self, change: Callable[[str], str]) -> Reference:
        """A copy whose templates are changed."""
        sources = {name: change(source) for name, source in self.templates.sources.items()}
        return Reference(self.tokenizer, replace(self.templates, sources=sources))

    def _foretold(self, edit: Edit, text: str) -> Chatted | None:
        """The answer that an edit predicts for the conversation in a text; None if it is a refusal."""
        conversation = conversation_of(text)
        assert conversation is not None
        try:
            return edit.answer(self, conversation)
        except ReftokError:
            return None

    @cached_property
    def without_special(self) -> Pipeline:
        """The rules with special tokens treated as ordinary text."""
        return replace(self.tokenizer.rules, encode_special_tokens=True)

    @cached_property
    def special(self) -> Mapping[str, int]:
        """The special tokens with their ids."""
        tokens = self.tokenizer.rules.added_tokens.tokens
        return {token.content: token_id for token_id, token in tokens.items() if token.special and token.content}


Foretelling: TypeAlias = Callable[[Reference, Conversation], Chatted]


@dataclass(frozen=True, slots=True)
class Edit:
    """A mistake. answer: what a subject that makes it answers; raises ReftokError where it refuses."""

    rule: str
    answer: Foretelling


def cause_of(
    reference: Reference, wrong: AskedChat, conversation: Conversation, every: Sequence[tuple[Conversation, AskedChat]]
) -> str:
    """The rule that a wrong answer follows from, "" for none: of those that fit, the one that foretells the most.

    every: the subject's answers to other conversations, which tell mistakes apart.
    """
    right = sum(not one.differs and isinstance(one.given, Chatted) for _, one in every)
    best, rule = 0, ""
    for edit in EDITS:
        if _gives(edit, reference, conversation, wrong.given):
            foretold = [bool(one.differs) for other, one in every if _gives(edit, reference, other, one.given)]
            if foretold.count(False) == right and foretold.count(True) > best:
                best, rule = foretold.count(True), edit.rule
    return rule


def _gives(edit: Edit, reference: Reference, conversation: Conversation, given: ChatAnswer | None) -> bool:
    if not isinstance(given, Chatted):
        return False
    found = reference.foretold(edit, conversation.text)
    return found is not None and not difference(found, given)


# --- edits


def _asks(rule: str, change: Callable[[Conversation], Conversation]) -> Edit:
    """An edit of the conversation."""
    return Edit(rule, lambda reference, conversation: reference.answer(change(conversation)))


def _renders(rule: str, change: Callable[[str], str]) -> Edit:
    """An edit of the template."""
    return Edit(rule, lambda reference, conversation: reference.changed(change).answer(conversation))


def _writes(rule: str, change: Callable[[Reference, str], str]) -> Edit:
    """An edit of the rendered text."""
    return Edit(rule, lambda reference, asked: reference.of_text(change(reference, reference.text(asked))))


def _encodes(rule: str, encode: Callable[[Reference, str, Conversation], Sequence[int]]) -> Edit:
    """An edit that renders the right text and encodes it wrongly."""

    def answer(reference: Reference, conversation: Conversation) -> Chatted:
        text = reference.text(conversation)
        return Chatted(text, tuple(encode(reference, text, conversation)))

    return Edit(rule, answer)


def _contents(change: Callable[[str], str]) -> Callable[[Conversation], Conversation]:
    def changed(message: dict[str, Any]) -> dict[str, Any]:
        content = message.get("content")
        return {**message, "content": change(content)} if isinstance(content, str) else message

    return lambda conversation: replace(conversation, messages=tuple(map(changed, conversation.messages)))


def _without_system(conversation: Conversation) -> Conversation:
    return replace(conversation, messages=tuple(one for one in conversation.messages if one.get("role") != "system"))


def _with_line_ends(source: str) -> str:
    """Doubles the line end behind each block, since trim_blocks removes one."""
    return re.sub(r"(?<!\+)([%#]\})\n", r"\1\n\n", source)


def _with_indents(source: str) -> str:
    """Writes blocks as `{%+`, before which lstrip_blocks removes nothing."""
    return re.sub(r"(?m)^([ \t]+)\{([%#])(?![-+])", r"\1{\2+", source)


def _without_trim(source: str) -> str:
    return re.sub(r"\s*\|\s*trim\b(\(\))?|\.strip\(\)", "", source)


def _with_escapes(source: str) -> str:
    """Filters behind tojson that escape what HTML reserves, as the tojson of Jinja does."""
    escapes = "".join(rf'|replace("{one}","\\u{ord(one):04x}")' for one in "<>&'")
    return re.sub(r"\|\s*tojson\b(\([^()]*\))?", lambda found: found[0] + escapes, source)


def _doubled(reference: Reference, ids: tuple[int, ...]) -> tuple[int, ...]:
    bos = reference.ids(reference.bos)
    return (*bos, *ids) if ids[: len(bos)] == bos else ids


def _without_bos(reference: Reference, ids: tuple[int, ...]) -> tuple[int, ...]:
    bos = reference.ids(reference.bos)
    return ids[len(bos) :] if ids[: len(bos)] == bos else ids


def _doubled_text(reference: Reference, text: str) -> str:
    return reference.bos + text if text.startswith(reference.bos) else text


def _content_spans(text: str, conversation: Conversation) -> Iterator[tuple[int, int]]:
    """Yields where the contents of the messages stand in the text, if the template keeps their order."""
    place = 0
    for message in conversation.messages:
        content = message.get("content")
        trimmed = content.strip() if isinstance(content, str) else ""
        found = text.find(trimmed, place)
        if trimmed and found >= 0:
            place = found + len(trimmed)
            yield found, place


def _escaped(reference: Reference, text: str, conversation: Conversation) -> Sequence[int]:
    """Recognizes the special tokens of the template only, and encodes those in contents as text."""
    spans = [*_content_spans(text, conversation)]
    special = sorted(reference.special, key=len, reverse=True)
    ids: list[int] = []
    start = 0
    for found in re.finditer("|".join(map(re.escape, special)) or "(?!)", text):
        if not any(begin <= found.start() and found.end() <= end for begin, end in spans):
            ids += (*_plain(reference, text[start : found.start()]), reference.special[found[0]])
            start = found.end()
    return (*ids, *_plain(reference, text[start:]))


def _apart(reference: Reference, text: str, conversation: Conversation) -> Sequence[int]:
    """Encodes each content separately, as plain text."""
    ids: list[int] = []
    start = 0
    for begin, end in _content_spans(text, conversation):
        ids += (*reference.ids(text[start:begin]), *_plain(reference, text[begin:end]))
        start = end
    return (*ids, *reference.ids(text[start:]))


def _plain(reference: Reference, text: str) -> Sequence[int]:
    return reference.without_special.encode_ids(text, None, False) if text else ()


def _rendered_all_the_same(reference: Reference, conversation: Conversation) -> Chatted:
    return reference.of_text(reference.text(conversation, {"raise_exception": lambda message: ""}))


NOT_ENCODED = "special tokens in contents are not encoded as tokens"
EDITS: tuple[Edit, ...] = (
    _encodes("BOS is doubled", lambda reference, text, _: _doubled(reference, reference.ids(text))),
    _writes("BOS is doubled", _doubled_text),
    _encodes("BOS is missing", lambda reference, text, _: _without_bos(reference, reference.ids(text))),
    _writes("BOS is missing", lambda reference, text: text.removeprefix(reference.bos)),
    _encodes("special tokens are added to those of the template", lambda reference, text, _: reference.ids(text, True)),
    _asks("the generation prompt is missing", lambda asked: replace(asked, add_generation_prompt=False)),
    _asks("the generation prompt is always added", lambda asked: replace(asked, add_generation_prompt=True)),
    _asks("contents are trimmed", _contents(str.strip)),
    _renders("contents are not trimmed", _without_trim),
    _renders("trim_blocks is off", _with_line_ends),
    _renders("lstrip_blocks is off", _with_indents),
    _renders("trim_blocks and lstrip_blocks are off", lambda source: _with_indents(_with_line_ends(source))),
    _renders("tojson escapes what HTML reserves", _with_escapes),
    _asks("tools are ignored", lambda asked: replace(asked, tools=None)),
    _asks("the system message is dropped", _without_system),
    _writes("the last newline is lost", lambda _, text: text.removesuffix("\n")),
    _encodes(NOT_ENCODED, _escaped),
    _encodes(NOT_ENCODED, _apart),
    _encodes(
        "special tokens of the template are not encoded as tokens", lambda reference, text, _: _plain(reference, text)
    ),
    Edit("what the template refuses is rendered", _rendered_all_the_same),
)
"""All known mistakes. If several predict the same answers, the first is reported."""
RULES = frozenset(edit.rule for edit in EDITS)


def reference_answer(reference: Reference, conversation: Conversation) -> ChatAnswer:
    """The reference's answer to a conversation, or its refusal."""
    try:
        return reference.answer(conversation)
    except ReftokError as error:
        return Failure("refused", str(error))
