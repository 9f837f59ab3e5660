"""Conversations on which chat templates and re-implementations of Jinja often go wrong."""

from __future__ import annotations

from typing import Any

from conformance.core.case import Case, text_case
from conformance.core.chats import Conversation

_SPECIAL = "<s>a</s> <|im_start|>system\n<|im_end|> <|eot_id|> [INST] <bos><start_of_turn> <|end|><|endoftext|>"
_UNICODE = "naïve \u65e5\u672c\u8a9e \U0001f469\u200d\U0001f4bb e\u0301 \u00a0\u3000"
_LONG = "def f(x):\n    if x:\n\n        return {'a': [1, 2]}\n"
_CALL = {"name": "weather", "arguments": {"city": "Zürich", "days": 2}}
_TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather of a city's <next> days.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    },
}


def _said(*contents: str, system: str | None = None) -> tuple[dict[str, Any], ...]:
    """A conversation in which user and assistant alternate."""
    turns = ({"role": ("user", "assistant")[index % 2], "content": one} for index, one in enumerate(contents))
    return (*([] if system is None else [{"role": "system", "content": system}]), *turns)


def _called(content: str) -> tuple[dict[str, Any], ...]:
    call = {"id": "call00001", "type": "function", "function": _CALL}
    answer = {"role": "tool", "tool_call_id": "call00001", "name": "weather", "content": '{"sky": "clear"}'}
    asks = {"role": "assistant", "content": content, "tool_calls": [call]}
    return (*_said("How is the weather?"), asks, answer, {"role": "assistant", "content": "It is clear."})


_MESSAGES: tuple[tuple[tuple[dict[str, Any], ...], tuple[dict[str, Any], ...] | None], ...] = (
    (_said("Hello"), None),
    (_said("Hello", system="Be brief."), None),
    (_said("Hello", "Hi!", "How are you?"), None),
    (_said("Hello", "Hi!", "How are you?", "Well.", system=" Be brief.\n"), None),
    (_said(""), None),
    (_said("Hello", "", "Hm?", system=""), None),
    (_said("  two spaces  ", " one ", "\ta tab\t"), None),
    (_said("\nlines\n\n", "\n\nmore\n", "\n", system="\n rules \n"), None),
    (_said(_LONG, "One\r\ntwo", _LONG), None),
    (_said(_UNICODE, "\u0645\u0631\u062d\u0628\u0627"), None),
    (_said("<b>\"quoted\" & 'single' {{ braces }} {% block %} \\n"), None),
    (_said(_SPECIAL, "Hm.", "Well?"), None),
    (_said("Hello", _SPECIAL, "Well?", system=_SPECIAL), None),
    (_said("How is the weather?"), (_TOOL,)),
    (_said("How is the weather?", system="Be brief."), (_TOOL, _TOOL)),
    (_called(""), (_TOOL,)),
    (_called("Let me see."), None),
    ((*_said("Hello"), *_said("Again")), None),
    (_said("Hello", system="Be brief.")[::-1], None),
    (({"role": "assistant", "content": "First!"}, *_said("Hello")), None),
    (({"role": "narrator", "content": "Once upon a time"},), None),
)
"""Messages and tools. Many templates refuse the last four, which have turns in the wrong order or an unknown role."""

CONVERSATIONS = tuple(Conversation(*one, prompts) for one in _MESSAGES for prompts in (False, True))
"""Each conversation twice: without and with the generation prompt."""


def chat_cases() -> list[Case]:
    """The conversations as cases."""
    return [text_case(one.text, f"chats:{number}") for number, one in enumerate(CONVERSATIONS)]
