"""A conversation as the text and the ids that a model is given, by the chat template of its files.

Source: transformers 5.24 tokenization_utils_base.py (`apply_chat_template`), utils/chat_template_utils.py
(`render_jinja_template`, `_normalize_chat_messages`, `_alias_reasoning_fields`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import TracebackType
from typing import Any

from reftok.chat.templates import ChatTemplates
from reftok.errors import ChatRefused

INSTALL = 'jinja2 3.1.6 or newer renders chat templates: pip install "reftok[chat]"'
_LEAST_JINJA = (3, 1, 6)
"""Older ones have holes in the sandbox, and templates are the code of strangers."""
_TAG = "CONTINUE_FINAL_MESSAGE_TAG "
_REASONING = ("reasoning_content", "thinking", "reasoning")
"""The names of a message's reasoning; templates read the first, or, of gpt-oss, the second."""


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation for a model.

    text: what the template gives. ids: of the text, without the special tokens that the post-processor would add: the
    template writes them itself, so that there is no second BOS.
    """

    text: str
    ids: tuple[int, ...]


def chat_text(
    templates: ChatTemplates | None,
    messages: Sequence[Mapping[str, Any]],
    *,
    tools: Sequence[Mapping[str, Any]] | None = None,
    documents: Sequence[Mapping[str, Any]] | None = None,
    add_generation_prompt: bool = False,
    continue_final_message: bool | str = False,
    template: str | None = None,
    variables: Mapping[str, Any] | None = None,
) -> str:
    r"""The text of a conversation; arguments and errors are those of `reftok.Tokenizer.chat`.

    >>> source = "{% for one in messages %}\n{{ one.role }}: {{ one.content }}{% endfor %}"
    >>> chat_text(ChatTemplates({"default": source}), [{"role": "user", "content": "Hi"}])
    'user: Hi'
    """
    if not messages:
        raise ChatRefused("a conversation has one message at least")
    if continue_final_message and add_generation_prompt:
        raise ChatRefused("continue_final_message and add_generation_prompt exclude each other")
    name = None if templates is None else templates.chosen(template, tools is not None)
    if templates is None or name is None:
        raise ChatRefused(_missing(templates, template))
    source, place = templates.sources[name], templates.files.get(name, name)
    chat = [_message(one) for one in messages]
    field = continue_final_message if isinstance(continue_final_message, str) else "content"
    final = _tagged(chat, field, source) if continue_final_message else None
    given = {
        **templates.tokens,
        **(variables or {}),
        "messages": chat,
        "tools": _plain(tools),
        "documents": _plain(documents),
        "add_generation_prompt": add_generation_prompt,
    }
    text = _rendered(source, place, given)
    return text if final is None else _until_tag(text, final)


def _missing(templates: ChatTemplates | None, name: str | None) -> str:
    if templates is not None and templates.problem:
        return templates.problem
    if templates is None:
        return (
            "the model has no chat template: there is neither chat_template.jinja nor a chat_template in its settings"
        )
    known = ", ".join(sorted(templates.sources))
    return f"the model has no chat template {name or 'default'!r}, but {known}: name one"


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    """The message as a template sees it, without keys that are None, and its reasoning under both names."""
    if not isinstance(message, Mapping):
        raise ChatRefused(f"a message is no mapping: {message!r:.80}")
    found = {key: _plain(value) for key, value in message.items() if value is not None}
    reasoning = next((found[key] for key in _REASONING if found.get(key) is not None), None)
    return found if reasoning is None else {"thinking": reasoning, **found, "reasoning_content": reasoning}


def _plain(value: Any) -> Any:
    """The value of JSON types alone: a template sees no method of anything else."""
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, Mapping):
        return {_plain(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value] if isinstance(value, list) else tuple(map(_plain, value))
    for kind in (str, int, float):
        if isinstance(value, kind):
            return kind(value)
    return f"<{type(value).__name__}>"


def _tagged(chat: list[dict[str, Any]], field: str, source: str) -> str:
    """Puts a mark behind the text that is to be continued; gives that text."""
    last = chat[-1]
    if last.get(field) is None:
        raise ChatRefused(f"continue_final_message: the last message has no {field!r}")
    value = last[field]
    fields = [one for one in _REASONING if last.get(one) == value] if field in _REASONING else [field]
    if not any(one in source for one in fields):
        raise ChatRefused(f"continue_final_message: the template does not read {field!r}")
    if isinstance(value, list):
        block = next((one for one in reversed(value) if isinstance(one, dict) and "text" in one), None)
        if block is None:
            raise ChatRefused("continue_final_message: the last message has no text")
        value = block["text"]
        block["text"] = value + _TAG
    else:
        last |= {one: last[one] + _TAG for one in fields}
    return str(value)


def _until_tag(text: str, final: str) -> str:
    mark = _TAG.strip()
    if final.strip() not in text or mark not in text:
        raise ChatRefused("continue_final_message: the template does not keep the text of the last message")
    place = text.rindex(mark)
    # Where the template has stripped the content, the space behind the mark is gone, and so is what stood before it.
    return text[:place] if text[place : place + len(_TAG)] == _TAG else text[:place].rstrip()


def _rendered(source: str, place: str, variables: Mapping[str, Any]) -> str:
    try:
        jinja2 = import_module("jinja2")
        version = tuple(int(one) for one in jinja2.__version__.split(".")[:3])
    except (ImportError, ValueError):
        raise ChatRefused(INSTALL) from None
    if version < _LEAST_JINJA:
        raise ChatRefused(INSTALL)
    environment = import_module("reftok.chat.environment")
    try:
        return str(environment.rendered(environment.compiled(source), variables))
    except jinja2.TemplateSyntaxError as error:
        raise ChatRefused(f"{place}: line {error.lineno}: {error.message}") from None
    except RecursionError:
        raise ChatRefused(f"{place}: is nested too deeply") from None
    except Exception as error:  # a template may do anything wrong with what it is given
        line = _line(error.__traceback__)
        raise ChatRefused(f"{place}: {f'line {line}: ' if line else ''}{error or type(error).__name__}") from None


def _line(trace: TracebackType | None) -> int:
    """The last line of the template that an error passed; 0 for none."""
    line = 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
