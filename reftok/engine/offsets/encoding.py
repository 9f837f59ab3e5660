"""Tokens with their offsets without the plain way through the stages: the fast twin that can tell them, if one can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reftok.engine.offsets.byte_fallback import byte_fallback_encoding
from reftok.engine.offsets.byte_level import byte_level_encoding
from reftok.engine.offsets.metaspace import metaspace_encoding
from reftok.spec.types import Encoding

if TYPE_CHECKING:
    from reftok.tokenizer import Tokenizer

_TWINS = (byte_fallback_encoding, byte_level_encoding, metaspace_encoding)


def twin_encoding(tokenizer: Tokenizer, text: str, sequence_id: int) -> Encoding | None:
    """What `reftok.spec.trace.to_encoding` makes of the text; None where that has to be asked.

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
