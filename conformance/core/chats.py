"""Conversations, and how subjects render them with the chat template of a model.

A conversation is a case like any text: as JSON, `{"chat":{"messages":[...]}}`, with `tools` and `add_generation_prompt`
beside the messages. Chats as they are found in JSON have no "chat" around them, and are texts.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypeAlias

from conformance.core.observation import Failure

_BEGIN = '{"chat":{"messages":'


@dataclass(frozen=True, slots=True)
class Conversation:
    """The arguments of `apply_chat_template`. tools: JSON schemas; None for none."""

    messages: tuple[dict[str, Any], ...]
    tools: tuple[dict[str, Any], ...] | None = None
    add_generation_prompt: bool = False

    @property
    def text(self) -> str:
        """The conversation as the text of a case.

        >>> Conversation(({"role": "user", "content": "Hi"},), add_generation_prompt=True).text
        '{"chat":{"messages":[{"role":"user","content":"Hi"}],"add_generation_prompt":true}}'
        """
        given: dict[str, Any] = {"messages": self.messages}
        given |= {"tools": self.tools} if self.tools is not None else {}
        given |= {"add_generation_prompt": True} if self.add_generation_prompt else {}
        return json.dumps({"chat": given}, ensure_ascii=False, separators=(",", ":"))


def conversation_of(text: str) -> Conversation | None:
    """Parses the text of a case; None if it is not a conversation.

    >>> conversation_of('{"chat":{"messages":[{"role":"user","content":"Hi"}]}}')
    Conversation(messages=({'role': 'user', 'content': 'Hi'},), tools=None, add_generation_prompt=False)
    """
    if not text.startswith(_BEGIN):
        return None
    try:
        given = json.loads(text)["chat"]
    except (ValueError, RecursionError):
        return None
    messages, tools = given["messages"], given.get("tools")
    if not _are_objects(messages, "content", "tool_calls") or not all("role" in one for one in messages):
        return None
    if tools is not None and not _are_objects(tools, "function", "name"):
        return None
    tools = None if tools is None else tuple(tools)
    return Conversation(tuple(messages), tools, given.get("add_generation_prompt") is True)


def _are_objects(value: object, *keys: str) -> bool:
    """Whether it is a list of objects with one of the keys each."""
    return isinstance(value, list) and all(isinstance(one, dict) and any(key in one for key in keys) for one in value)


@dataclass(frozen=True, slots=True)
class Chatted:
    """A rendered conversation: its text and ids; None if the subject does not give them."""

    text: str | None = None
    ids: tuple[int, ...] | None = None


ChatAnswer: TypeAlias = Chatted | Failure


@dataclass(frozen=True, slots=True)
class AskedChat:
    """A conversation that a subject was given.

    due: what the reference makes of it, or why the template refuses it. given: what the subject does; None where that
        is not tested.
    cause: the rule that foretells what is given, "" where none is known or nothing is wrong.
    """

    due: ChatAnswer
    given: ChatAnswer | None
    cause: str = ""

    @property
    def differs(self) -> str:
        """The part that differs: "text", "ids", or "an answer" where only one of both refuses; "" for none."""
        return "" if self.given is None else difference(self.due, self.given)


def difference(due: ChatAnswer, given: ChatAnswer) -> str:
    """The part that differs first; "" for none.

    >>> difference(Chatted("a", (1,)), Chatted("a", (2,))), difference(Chatted("a", (1,)), Chatted("a"))
    ('ids', '')
    """
    if isinstance(given, Failure):
        return "" if given.kind == "refused" and isinstance(due, Failure) else "an answer"
    if isinstance(due, Failure):
        return "an answer"
    if None not in (due.text, given.text) and due.text != given.text:
        return "text"
    return "ids" if None not in (due.ids, given.ids) and due.ids != given.ids else ""
