"""The components under the key `pre_tokenizer` of tokenizer.json."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reftok.formats.chain_json import read_chain, read_character, read_metaspace, read_pattern
from reftok.formats.fields import Fields
from reftok.spec import pretokenizers
from reftok.spec.stages import PreTokenizer

_BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
_DEFAULT_LENGTH = 5


def read_pre_tokenizers(fields: Fields | None) -> tuple[PreTokenizer, ...]:
    """The pre-tokenizers, sequences flattened."""
    return read_chain(fields, "pretokenizers", _PRE_TOKENIZERS)


def _read_byte_level(fields: Fields) -> pretokenizers.ByteLevel:
    fields.boolean("trim_offsets")
    return pretokenizers.ByteLevel(fields.boolean("add_prefix_space"), fields.boolean("use_regex", True))


def _read_split(fields: Fields) -> pretokenizers.Split:
    behavior: Any = fields.choice("behavior", _BEHAVIORS)
    return pretokenizers.Split(read_pattern(fields), behavior, fields.boolean("invert"))


def _read_punctuation(fields: Fields) -> pretokenizers.Punctuation:
    behavior: Any = fields.choice("behavior", _BEHAVIORS, "Isolated")
    return pretokenizers.Punctuation(behavior)


def _read_fixed_length(fields: Fields) -> pretokenizers.FixedLength:
    length = fields.integer("length", end=1 << 64) if fields.has("length") else _DEFAULT_LENGTH
    if length == 0:
        raise fields.unsupported("length", "0, with which the library panics,")
    return pretokenizers.FixedLength(length)


_PRE_TOKENIZERS: dict[str, Callable[[Fields], PreTokenizer]] = {
    "ByteLevel": _read_byte_level,
    "Split": _read_split,
    "Metaspace": lambda fields: pretokenizers.Metaspace(*read_metaspace(fields)),
    "WhitespaceSplit": lambda fields: pretokenizers.WhitespaceSplit(),
    "Whitespace": lambda fields: pretokenizers.Whitespace(),
    "BertPreTokenizer": lambda fields: pretokenizers.BertPreTokenizer(),
    "Punctuation": _read_punctuation,
    "Digits": lambda fields: pretokenizers.Digits(fields.boolean("individual_digits")),
    "CharDelimiterSplit": lambda fields: pretokenizers.CharDelimiterSplit(read_character(fields, "delimiter")),
    "UnicodeScripts": lambda fields: pretokenizers.UnicodeScripts(),
    "FixedLength": _read_fixed_length,
}
