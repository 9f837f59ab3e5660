"""The chat templates of a model: what they are, not how they are rendered, which is `reftok.chat`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

DEFAULT, TOOL_USE = "default", "tool_use"


@dataclass(frozen=True, slots=True)
class ChatTemplates:
    """The chat templates of one model.

    sources: by name, the Jinja source; a single template is "default".
    files: by name, the file that has it, for messages.
    tokens: what a template may write by name ("bos_token"): the contents of the named special tokens.
    problem: why a template of the files cannot be used; only `chat` raises it, so that the model can still be loaded.
    """

    sources: Mapping[str, str]
    files: Mapping[str, str] = field(default_factory=dict)
    tokens: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""

    def chosen(self, name: str | None, has_tools: bool) -> str | None:
        """The name of the template for a conversation; None if there is none.

        name: that is asked for, if any. has_tools: with tools, "tool_use" comes before "default".
        Source: transformers 5.24 tokenization_utils_base.py (`get_chat_template`).

        >>> both = ChatTemplates({"default": "", "tool_use": ""})
        >>> both.chosen(None, True), both.chosen(None, False), both.chosen("rag", False)
        ('tool_use', 'default', None)
        """
        names = [name] if name is not None else [TOOL_USE, DEFAULT] if has_tools else [DEFAULT]
        return next((one for one in names if one in self.sources), None)
