"""The components under the key `decoder` of tokenizer.json.

Source: tokenizers 0.23 decoders/mod.rs, the `Deserialize` implementation of `DecoderWrapper`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reftok.formats.chain_json import read_chain, read_character, read_metaspace, read_pattern
from reftok.formats.fields import Fields
from reftok.spec import decoders
from reftok.spec.stages import Decoder


def read_decoders(fields: Fields | None) -> tuple[Decoder, ...] | None:
    """The decoders, sequences flattened; None where the file has none.

    Files older than the key `type` are told apart by their other keys, as in the library.
    """
    if fields is None:
        return None
    named = _with_type({key: fields.any(key) for key in fields})
    return read_chain(Fields(named, fields.source, fields.place), "decoders", _DECODERS)


_KEYS_OF_OLD_FILES = {
    "suffix": "BPEDecoder",
    "prefix": "WordPiece",
    "pad_token": "CTC",
    "pattern": "Replace",
    "start": "Strip",
}


def _with_type(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    children = value.get("decoders")
    if isinstance(children, list):
        value = {**value, "decoders": [_with_type(child) for child in children]}
    kinds = [kind for key, kind in _KEYS_OF_OLD_FILES.items() if key in value]
    return {"type": kinds[0], **value} if kinds and "type" not in value else value


def _read_byte_level(fields: Fields) -> decoders.ByteLevel:
    for key in ("add_prefix_space", "trim_offsets"):
        fields.boolean(key)
    fields.boolean("use_regex", True)
    return decoders.ByteLevel()


def _read_strip(fields: Fields) -> decoders.Strip:
    content = read_character(fields, "content")
    return decoders.Strip(content, fields.integer("start", 1 << 64), fields.integer("stop", 1 << 64))


def _read_ctc(fields: Fields) -> decoders.CTC:
    return decoders.CTC(fields.text("pad_token"), fields.text("word_delimiter_token"), fields.boolean("cleanup"))


_DECODERS: dict[str, Callable[[Fields], Decoder]] = {
    "BPEDecoder": lambda fields: decoders.BPEDecoder(fields.text("suffix")),
    "WordPiece": lambda fields: decoders.WordPiece(fields.text("prefix"), fields.boolean("cleanup")),
    "CTC": _read_ctc,
    "ByteLevel": _read_byte_level,
    "ByteFallback": lambda fields: decoders.ByteFallback(),
    "Metaspace": lambda fields: decoders.Metaspace(*read_metaspace(fields)[:2]),
    "Fuse": lambda fields: decoders.Fuse(),
    "Strip": _read_strip,
    "Replace": lambda fields: decoders.Replace(read_pattern(fields), fields.text("content")),
}
