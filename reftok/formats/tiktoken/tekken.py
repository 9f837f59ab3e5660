"""tekken.json of Mistral: a vocab of bytes in the order of their ranks, a pattern, and special tokens before them all.

Source: mistral-common 1.13.1 tokens/tokenizers/tekken.py `Tekkenizer.from_file`, `__init__`, `_reload_mergeable_ranks`.
What follows from it:

- The ids of the special tokens come first, `default_num_special_tokens` of them. Those without a name are called
  `<SPECIAL_17>` by their number. The ranks come behind.
- `default_vocab_size` counts both; what the vocab has beyond it is cut off. `num_vocab_tokens` is not used.
- The bytes on the two sides of a special token make no character, though it is skipped: see `TekkenBytes`.
- A text has no special tokens: `<s>` in it is three characters. None is added either: that is done with a chat.
- A file up to version v7 may leave its special tokens out; it has the 20 that Mistral had then.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from reftok.errors import ModelFormatError
from reftok.formats.fields import Fields
from reftok.formats.strict_json import parse_json
from reftok.formats.tiktoken.build import rank_rules
from reftok.formats.tiktoken.encodings import stands_for_bytes
from reftok.regex_dialects.fancy_regex import compile_fancy_regex
from reftok.rules.huggingface.decoders import TekkenBytes
from reftok.rules.pipeline import Pipeline

VERSIONS = ("v1", "v2", "v3", "v7", "v11", "v13", "v15")
_DEFAULT_SPECIAL_TOKENS = (
    "<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]",
    "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]",
)  # fmt: skip
_WITHOUT_EFFECT = ("version", "type", "image", "audio", "multimodal", "model_settings_builder")
"""Keys about chats, pictures and sounds, which change no id of a text."""


def read_tekken(data: bytes, source: str = "") -> Pipeline:
    """The rules of a tekken.json.

    Raises ModelFormatError where the file is not sound, UnsupportedFeature for a version or a key that is not known.
    """
    root = Fields(parse_json(data, source), source, "")
    config = root.object("config")
    version = config.choice("version", VERSIONS)
    pattern = config.pattern("pattern", compile_fancy_regex)
    size, special_size = config.integer("default_vocab_size"), config.integer("default_num_special_tokens")
    config.any("num_vocab_tokens", None)
    config.done()
    special_tokens = _special_tokens(root, version, special_size)
    vocab = root.items("vocab")
    for key in _WITHOUT_EFFECT:
        root.any(key, None)
    root.done()
    _refuse_what_the_version_has_not(root, version)
    if not 256 <= size - special_size <= len(vocab):
        problem = f"is not between 256 and {len(vocab)} more than the {special_size} special tokens: {size}"
        raise config.wrong("default_vocab_size", problem)
    ranks = _ranks(vocab[: size - special_size], source)
    ids = {token: special_size + rank for token, rank in ranks.items()}
    rules = rank_rules("mistral-common", ids, special_tokens, pattern, TekkenBytes())
    return replace(rules, encode_special_tokens=True)


def _refuse_what_the_version_has_not(root: Fields, version: str) -> None:
    """Pictures under their old name are refused from v13 on, settings of a model before v15."""
    number = int(version[1:])
    if number > 11 and root.any("multimodal", None):
        raise root.unsupported("multimodal", f"this key in a file of version {version}")
    if number < 15 and root.any("model_settings_builder", None) is not None:
        raise root.unsupported("model_settings_builder", f"this key in a file of version {version}")


def _special_tokens(root: Fields, version: str, size: int) -> dict[str, int]:
    """Content to id."""
    if root.any("special_tokens", None) is None:
        if int(version[1:]) > 7:
            raise root.wrong("special_tokens", f"is missing in a file of version {version}")
        contents = list(_DEFAULT_SPECIAL_TOKENS)
    else:
        contents = [_special_token(entry, number) for number, entry in enumerate(root.objects("special_tokens"))]
    if len(contents) > size:
        raise root.wrong("special_tokens", f"has {len(contents)} tokens, more than default_num_special_tokens: {size}")
    if size > _MOST_SPECIAL_TOKENS:
        raise root.unsupported("config.default_num_special_tokens", f"more than {_MOST_SPECIAL_TOKENS}")
    contents += [f"<SPECIAL_{number}>" for number in range(len(contents), size)]
    ids = {content: number for number, content in enumerate(contents)}
    if len(ids) < len(contents):
        repeated = next(content for number, content in enumerate(contents) if ids[content] != number)
        raise root.wrong("special_tokens", f"has the token {repeated!r:.60} twice")
    return ids


_MOST_SPECIAL_TOKENS = 100_000
"""Published files have 1,000; those without a name take memory that their file does not."""


def _special_token(entry: Fields, number: int) -> str:
    content = entry.text("token_str")
    if entry.integer("rank") != number:
        raise entry.wrong("rank", f"is not {number}, its place in the list")
    entry.boolean("is_control", True)
    entry.done()
    if content == "" or stands_for_bytes(content):
        raise entry.unsupported("token_str", f"the text {content!r:.60}")
    return content


def _ranks(vocab: Sequence[Any], source: str) -> Mapping[bytes, int]:
    """Token bytes to rank: those of the single bytes come first, in their order."""
    ranks: dict[bytes, int] = {}
    for rank, entry in enumerate(vocab):
        place = f"vocab[{rank}]"
        if not isinstance(entry, dict) or entry.keys() != {"rank", "token_bytes", "token_str"}:
            raise ModelFormatError(source, place, "is not an object with the keys rank, token_bytes and token_str")
        if entry["rank"] != rank or type(entry["rank"]) is not int:
            raise ModelFormatError(source, f"{place}.rank", "is not its place in the list")
        try:
            token = base64.b64decode(entry["token_bytes"], validate=True)
        except (TypeError, ValueError, binascii.Error):
            raise ModelFormatError(source, f"{place}.token_bytes", "is not base64") from None
        if rank < 256 and token != bytes([rank]):
            raise ModelFormatError(source, f"{place}.token_bytes", f"is not the byte {rank:02X}")
        if token in ranks:
            raise ModelFormatError(source, f"{place}.token_bytes", f"is also that of {ranks[token]}")
        ranks[token] = rank
    return ranks
