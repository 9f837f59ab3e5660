"""The chat templates beside a model.

In this order, the first that is there counts:

1. chat_template.jinja, with the templates of additional_chat_templates/NAME.jinja beside it;
2. `chat_template` of tokenizer_config.json: a template, or a list of `{"name": …, "template": …}`;
3. the model file itself: `tokenizer.chat_template` of a GGUF file.

Source: transformers 5.24 tokenization_utils_base.py (`from_pretrained`, `_from_pretrained`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from reftok.chat.templates import DEFAULT, ChatTemplates
from reftok.errors import ModelFormatError
from reftok.formats.files import read_file
from reftok.formats.settings import CONFIG, Settings, read_settings
from reftok.rules.pipeline import Pipeline

JINJA, MORE = "chat_template.jinja", "additional_chat_templates"
KEY = "chat_template"
_NAMES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
"""What transformers gives a template of the special tokens: those with a name, without additional ones."""


def with_chat_templates(rules: Pipeline, folder: Path) -> Pipeline:
    """The rules with the chat templates of a folder, and with the texts of their special tokens."""
    settings = read_settings(folder)
    try:
        found = _of_files(folder) or _of_config(settings) or rules.chat_templates
    except ModelFormatError as error:
        found = ChatTemplates({}, problem=str(error))
    return rules if found is None else replace(rules, chat_templates=replace(found, tokens=_tokens(settings, rules)))


def _of_files(folder: Path) -> ChatTemplates | None:
    paths = {DEFAULT: folder / JINJA} | {path.stem: path for path in sorted((folder / MORE).glob("*.jinja"))}
    sources = {name: _text(path) for name, path in paths.items() if path.is_file()}
    return ChatTemplates(sources, {name: str(paths[name]) for name in sources}) if sources else None


def _text(path: Path) -> str:
    try:
        return read_file(path).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")  # as Python reads a text file
    except UnicodeDecodeError as error:
        raise ModelFormatError(str(path), "", f"is not UTF-8 at byte {error.start}") from None


def _of_config(settings: Settings) -> ChatTemplates | None:
    value, source = settings.config.get(KEY), str(settings.folder / CONFIG)
    if value is None:
        return None
    named = {DEFAULT: value} if isinstance(value, str) else _of_several(value, source)
    return ChatTemplates(named, dict.fromkeys(named, source))


def _of_several(value: Any, source: str) -> Mapping[str, str]:
    if isinstance(value, dict) and all(isinstance(one, str) for one in value.values()):
        return value
    entries = value if isinstance(value, list) else [value]
    if not all(
        isinstance(one, dict) and {type(one.get(key)) for key in ("name", "template")} == {str} for one in entries
    ):
        raise ModelFormatError(source, KEY, 'is neither a text nor a list of {"name": text, "template": text}')
    return {one["name"]: one["template"] for one in entries}


def _tokens(settings: Settings, rules: Pipeline) -> dict[str, str]:
    """The contents of the named tokens; the model file gives those that no settings name."""
    values = settings.values
    found = {name: content for name in _NAMES if (content := _content(values.get(name))) is not None}
    ids = {f"{name}_token": token_id for name, token_id in rules.named_ids.items() if token_id is not None}
    own = {name: rules.id_to_token(ids[name]) for name in _NAMES if name in ids and name not in values}
    return {name: content for name, content in (own | found).items() if content is not None}


def _content(token: Any) -> str | None:
    """The content of a token, a string or an object of AddedToken; None for anything else."""
    content = token.get("content") if isinstance(token, dict) else token
    return content if isinstance(content, str) else None
