"""tokenizer_config.json with special_tokens_map.json and added_tokens.json: the added tokens of a published folder.

Strict: a key that is not known here is refused by name, since it may change ids.
Source: transformers 5.23 tokenization_utils_base.py `_from_pretrained` and tokenization_utils_tokenizers.py
`TokenizersBackend.__init__`. Quirks that follow from it:

- The ids under `added_tokens_decoder` and in added_tokens.json only give the order: `tokenizers` assigns ids itself.
- special_tokens_map.json and added_tokens.json count only where there is no `added_tokens_decoder`.
- Every named token (`eos_token`, but also `image_token`) becomes an added token, in the vocab or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.formats.components_json import reader
from reftok.formats.fields import Fields, is_id
from reftok.formats.files import read_file
from reftok.formats.strict_json import parse_json
from reftok.spec.named_ids import WELL_KNOWN
from reftok.spec.types import AddedToken

FILES = ("tokenizer_config.json", "special_tokens_map.json", "added_tokens.json")

_NAMED = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
_EXTRA = ("extra_special_tokens", "additional_special_tokens")
"""The second is the name before transformers 5."""

_WITHOUT_EFFECT = frozenset(
    {
        "backend", "chat_control_tokens", "chat_template", "clean_up_tokenization_spaces", "errors", "is_local",
        "legacy", "local_files_only", "max_len", "max_length", "model_input_names", "model_max_length",
        "name_or_path", "pad_to_multiple_of", "pad_token_type_id", "padding_side", "processor_class",
        "response_schema", "response_template", "return_token_type_ids", "special_tokens_map_file", "stride",
        "tokenizer_file", "truncation_side", "truncation_strategy", "use_fast", "vocab_size",
    }
)  # fmt: skip
"""Settings about batches, chats and files, which change no id."""


@dataclass(frozen=True, slots=True)
class TokenizerConfig:
    """The settings of one tokenizer, from all files that tell of them.

    tokenizer_class: without a "Fast" at its end.
    named: the contents of the tokens with a name, by name, in the order in which they are added.
    tokens: every added token, in the order in which they are added.
    special: the contents of the tokens with a name and of the extra ones.
    options: what is left, for the class to ask for.
    """

    tokenizer_class: str
    named: Mapping[str, str]
    tokens: tuple[AddedToken, ...]
    special: frozenset[str]
    options: Fields


def read_tokenizer_config(path: Path, defaults: Mapping[str, Mapping[str, str]]) -> TokenizerConfig:
    """The configuration of a folder.

    path: of tokenizer_config.json; the other two are read where they lie beside it.
    defaults: by class the named tokens that it has when no file names them.
    Raises ModelFormatError where a file is not sound, UnsupportedFeature for a class or an option that is not known.
    """
    config, source = _read_object(path), str(path)
    options = Fields(config, source, "")
    tokenizer_class = options.text("tokenizer_class").removesuffix("Fast")
    if tokenizer_class not in defaults:
        raise options.unsupported("tokenizer_class", tokenizer_class)
    mapped = _read_map(path.with_name(FILES[1])) if "added_tokens_decoder" not in config else {}
    values: dict[str, Any] = {**defaults[tokenizer_class], **config, **mapped}
    keys = [*_NAMED, *(key for key in values if _is_model_specific(key, values[key]))]
    named = {key: _content(values[key], source, key) for key in keys if values.get(key) is not None}
    special = frozenset(named.values())
    extra = _extra(config, mapped, source)
    given = [(key, values[key]) for key in named] + [(f"{_EXTRA[0]}[{i}]", value) for i, value in enumerate(extra)]
    others = [_token(value, source, place, special) for place, value in given]
    if "added_tokens_decoder" in config:
        listed = _decoder_tokens(options.object("added_tokens_decoder"), special)
    else:
        known = {named[key] for key in _NAMED if key in named and (isinstance(config.get(key), str) or key in mapped)}
        known |= {value for value in _extra(config, {}, source) if isinstance(value, str)}
        listed = _added_tokens_file(path.with_name(FILES[2]), known, special)
    defaulted = defaults[tokenizer_class].keys() - config.keys() - mapped.keys()
    chosen = [token for token, (place, _) in zip(others, given, strict=True) if place not in defaulted]
    _refuse_contradiction(chosen, listed, source)
    _refuse_what_changes_ids(options)
    for key in {*named, *_NAMED, *_WITHOUT_EFFECT, *_EXTRA, *(key for key in config if config[key] is None)}:
        options.any(key, None)
    tokens = _in_order(listed, others)
    return TokenizerConfig(tokenizer_class, named, tokens, frozenset(token.content for token in others), options)


def _read_map(path: Path) -> dict[str, Any]:
    return {key: _as_special(value) for key, value in _read_object(path).items()} if path.is_file() else {}


def _in_order(listed: list[AddedToken], others: list[AddedToken]) -> tuple[AddedToken, ...]:
    """A listed token keeps its flags; of the others with one content the last that is new has them."""
    tokens = {token.content: token for token in listed}
    tokens |= {token.content: token for token in dict.fromkeys(others) if token.content not in tokens}
    return tuple(token for token in tokens.values() if token.content)


def _refuse_contradiction(tokens: list[AddedToken], listed: list[AddedToken], source: str) -> None:
    """Refuse one content with two sets of flags, of which transformers takes the one or the other."""
    first = {token.content: token for token in reversed(tokens)}
    settled = {token.content for token in listed}
    for token in tokens:
        if token != first[token.content] and token.content not in settled:
            raise ModelFormatError(source, "", f"names the token {token.content!r:.60} with other flags twice")


def _refuse_what_changes_ids(options: Fields) -> None:
    if options.optional_boolean("split_special_tokens"):
        raise options.unsupported("split_special_tokens", "true")
    if options.any("auto_map", None) is not None:
        raise options.unsupported("auto_map", "a tokenizer that comes as code")
    if options.any("init_inputs", None):
        raise options.unsupported("init_inputs", "more than an empty list")


def _read_object(path: Path) -> dict[str, Any]:
    value = parse_json(read_file(path), str(path))
    if not isinstance(value, dict):
        raise ModelFormatError(str(path), "", "is not an object")
    return value


def _as_special(value: Any) -> Any:
    """A token of special_tokens_map.json in the form of tokenizer_config.json, where an older file leaves it out."""
    if isinstance(value, dict) and "content" in value:
        return {**value, "__type": "AddedToken", "special": True}
    return value


def _is_token(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, dict) and value.get("__type") == "AddedToken")


def _is_model_specific(key: str, value: Any) -> bool:
    return key.endswith("_token") and key not in _NAMED and _is_token(value)


def _content(value: Any, source: str, place: str) -> str:
    if not _is_token(value):
        raise ModelFormatError(source, place, 'is neither a string nor an object of "__type": "AddedToken"')
    return value if isinstance(value, str) else Fields(value, source, place).text("content")


def _token(value: Any, source: str, place: str, special: frozenset[str]) -> AddedToken:
    """A string, which stands for a special token, or the flags of a token. special: contents with a name."""
    content = _content(value, source, place)
    if isinstance(value, str):
        return AddedToken(content, normalized=False, special=True)
    return _read_flags(Fields({key: flag for key, flag in value.items() if key != "__type"}, source, place), special)


def _read_flags(fields: Fields, special: frozenset[str]) -> AddedToken:
    token = _FLAGS(fields)
    fields.done()
    is_special = token.special or token.content in special
    is_normalized = token.normalized if fields.has("normalized") else not is_special
    return replace(token, special=is_special, normalized=is_normalized)


_FLAGS = reader(AddedToken, single_word=False, lstrip=False, rstrip=False, normalized=False, special=False)


def _extra(config: Mapping[str, Any], mapped: Mapping[str, Any], source: str) -> list[Any]:
    """The extra tokens: of the map beside it, the old name counts only where the configuration has neither name."""
    values = config.get(_EXTRA[0]) or config.get(_EXTRA[1]) or []
    if not any(key in config for key in _EXTRA):
        values = mapped.get(_EXTRA[1]) or []
    more = mapped.get(_EXTRA[0]) or []
    if not isinstance(values, list) or not isinstance(more, list):
        raise UnsupportedFeature(source, _EXTRA[0], "other than a list is not supported")
    return [*values, *(value for value in more if value not in values)]


def _decoder_tokens(fields: Fields, special: frozenset[str]) -> list[AddedToken]:
    tokens = [(token_id, _read_flags(token, special)) for token_id, token in fields.objects_by_id()]
    return [token for _, token in sorted(tokens, key=lambda pair: pair[0])]


def _added_tokens_file(path: Path, known: set[str], special: frozenset[str]) -> list[AddedToken]:
    """Content to id. known: contents that are not normalized; special: contents with a name.

    Quirk: a token is known by a string in tokenizer_config.json, not by an object there nor by a default of the class.
    """
    entries = _read_object(path) if path.is_file() else {}
    for content, token_id in entries.items():
        if not is_id(token_id):
            raise ModelFormatError(str(path), repr(content)[:60], "has no id")
    return [
        AddedToken(content, normalized=content not in known, special=content in known or content in special)
        for content in sorted(entries, key=lambda content: int(entries[content]))
    ]


def read_named_tokens(folder: Path, defaults: Mapping[str, Mapping[str, str]]) -> dict[str, str | None]:
    """The contents of the tokens that the files of a folder name, by the names of `reftok.spec.named_ids`.

    defaults: as of `read_tokenizer_config`; a class that is not known has none.
    A name that a file gives as null is None; one that no file has is not there. What else the files hold is not looked
    at. Raises ModelFormatError where a file or a name is not sound.
    """
    path, beside = (folder / name for name in FILES[:2])
    config = _read_map(path)
    mapped = _read_map(beside) if "added_tokens_decoder" not in config else {}
    tokenizer_class = str(config.get("tokenizer_class")).removesuffix("Fast")
    values = {**defaults.get(tokenizer_class, {}), **config, **mapped}
    given = {name: values[f"{name}_token"] for name in WELL_KNOWN if f"{name}_token" in values}
    return {
        name: None if value is None else _content(value, str(path), f"{name}_token") for name, value in given.items()
    }
