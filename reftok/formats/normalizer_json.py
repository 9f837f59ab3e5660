"""The components under the key `normalizer` of tokenizer.json."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable

from reftok.formats.chain_json import read_chain, read_pattern
from reftok.formats.fields import Fields
from reftok.spec import normalizers
from reftok.spec.charsmap import Charsmap
from reftok.spec.stages import Normalizer


def read_normalizers(fields: Fields | None) -> tuple[Normalizer, ...]:
    """The normalizers, sequences flattened."""
    return read_chain(fields, "normalizers", _NORMALIZERS)


def _charsmap(fields: Fields) -> Charsmap:
    try:
        blob = base64.b64decode(fields.text("precompiled_charsmap"), validate=True)
    except binascii.Error as error:
        raise fields.wrong("precompiled_charsmap", f"is not base64: {error}") from None
    return Charsmap(blob, fields.source)


def _read_prepend(fields: Fields) -> normalizers.Prepend:
    prefix = fields.text("prepend")
    if not prefix:
        raise fields.unsupported("prepend", "nothing, with which the library loses its alignment,")
    return normalizers.Prepend(prefix)


def _read_replace_normalizer(fields: Fields) -> normalizers.Replace:
    pattern = read_pattern(fields)
    if not pattern:
        raise fields.unsupported("pattern", "a match of nothing, with which the library loses its alignment,")
    return normalizers.Replace(pattern, fields.text("content"))


def _read_strip(fields: Fields) -> normalizers.Strip:
    return normalizers.Strip(fields.boolean("strip_left"), fields.boolean("strip_right"))


def _read_bert(fields: Fields) -> normalizers.BertNormalizer:
    return normalizers.BertNormalizer(
        clean_text=fields.boolean("clean_text"),
        handle_chinese_chars=fields.boolean("handle_chinese_chars"),
        strip_accents=None if fields.any("strip_accents", None) is None else fields.boolean("strip_accents"),
        lowercase=fields.boolean("lowercase"),
    )


_NORMALIZERS: dict[str, Callable[[Fields], Normalizer]] = {
    "NFC": lambda fields: normalizers.NFC(),
    "NFD": lambda fields: normalizers.NFD(),
    "NFKC": lambda fields: normalizers.NFKC(),
    "NFKD": lambda fields: normalizers.NFKD(),
    "Prepend": _read_prepend,
    "Replace": _read_replace_normalizer,
    "Strip": _read_strip,
    "StripNormalizer": _read_strip,
    "StripAccents": lambda fields: normalizers.StripAccents(),
    "Precompiled": lambda fields: normalizers.Precompiled(_charsmap(fields)),
    "Nmt": lambda fields: normalizers.Nmt(),
    "Lowercase": lambda fields: normalizers.Lowercase(),
    "ByteLevel": lambda fields: normalizers.ByteLevel(),
    "BertNormalizer": _read_bert,
    "Bert": _read_bert,
}
"""By `type`. The library writes `Strip` and `BertNormalizer`; it reads `StripNormalizer` and `Bert` as well."""
