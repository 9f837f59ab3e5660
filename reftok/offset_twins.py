"""Tokens with their offsets without the plain way through the stages: the fast twin that can tell them, if one can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reftok.byte_fallback_offsets import byte_fallback_encoding
from reftok.byte_level_offsets import byte_level_encoding
from reftok.metaspace_offsets import metaspace_encoding
from reftok.types import Encoding

if TYPE_CHECKING:
    from reftok.tokenizer import Tokenizer

_TWINS = (byte_fallback_encoding, byte_level_encoding, metaspace_encoding)


def twin_encoding(tokenizer: Tokenizer, text: str, sequence_id: int) -> Encoding | None:
    """What `reftok.trace.to_encoding` makes of the text; None where that has to be asked.

    >>> import reftok
    >>> encoding = twin_encoding(reftok.load("bpe-gpt2"), "a b", 0)
    >>> encoding and encoding.offsets
    [(0, 1), (1, 3)]
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return None
    for twin in _TWINS:
        found = twin(tokenizer, text, sequence_id)
        if found is not None:
            return found
    return None
