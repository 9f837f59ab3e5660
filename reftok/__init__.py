"""A reference implementation of tokenizers that reads like a specification and is exact to the id.

tokenizer = reftok.load("tokenizer.json")
encoding = tokenizer.encode("Hello world")       ids, tokens, offsets, special_tokens_mask, word_ids
tokenizer.decode(encoding.ids)
tokenizer.trace("Hello world")                   what every stage took and gave
"""

from __future__ import annotations

from reftok.byte_level import bytes_to_unicode, unicode_to_bytes
from reftok.errors import InvalidIds, InvalidText, ModelFormatError, ReftokError, UnsupportedFeature
from reftok.formats import embedded_models, load
from reftok.formats.vocab_merges import byte_level_bpe
from reftok.tokenizer import Tokenizer
from reftok.trace import Trace
from reftok.types import AddedToken, Encoding, Span, Token

__version__ = "0.1.0"

__all__ = [
    "AddedToken",
    "Encoding",
    "InvalidIds",
    "InvalidText",
    "ModelFormatError",
    "ReftokError",
    "Span",
    "Token",
    "Tokenizer",
    "Trace",
    "UnsupportedFeature",
    "byte_level_bpe",
    "bytes_to_unicode",
    "embedded_models",
    "load",
    "unicode_to_bytes",
]
