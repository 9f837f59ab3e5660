"""The vocab of a GGUF file: its tokens, their attributes, and the bytes that each stands for.

How the attributes follow from the file: reftok/formats/llama_cpp/attributes.py.
Source: llama.cpp src/llama-vocab.cpp (`llama_vocab::impl::token_to_piece`), as in llama-cpp-python 0.3.36.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntFlag
from typing import Literal

from reftok.rules.byte_level import CHARACTER_TO_BYTE
from reftok.rules.llama_cpp.characters import checked_code_point, code_points
from reftok.rules.sentencepiece.pieces import SPACE_SYMBOL

Spelling = Literal["spaces escaped", "byte characters"]


class Attribute(IntFlag):
    """`llama_token_attr`; a token without any of them has no text."""

    UNDEFINED = 0
    UNKNOWN = 1
    UNUSED = 2
    NORMAL = 4
    CONTROL = 8
    USER_DEFINED = 16
    BYTE = 32
    LSTRIP = 128
    RSTRIP = 256


SPECIAL = Attribute.CONTROL | Attribute.UNKNOWN
"""Attributes of tokens that are matched and shown only if special tokens are."""

CUT_OUT = SPECIAL | Attribute.USER_DEFINED
"""Attributes of tokens that are cut out of the text before the model sees it."""


@dataclass(frozen=True, slots=True)
class LlamaVocab:
    """The tokens of a file with their attributes.

    tokens: by id; bytes that are not UTF-8 are lone surrogates U+DC80 to U+DCFF.
    ids: token to id.
    attributes: by id.
    spelling: of normal tokens: with `▁` for spaces, or in the characters of their bytes.
    bos_id, eos_id: None if the file has no such token.
    add_bos, add_eos: whether BOS is put before a text, EOS after it.
    """

    tokens: Sequence[str]
    ids: Mapping[str, int]
    attributes: Sequence[Attribute]
    spelling: Spelling
    bos_id: int | None
    eos_id: int | None
    add_bos: bool
    add_eos: bool

    def piece(self, token_id: int, shows_special: bool) -> bytes:
        """The bytes of a token.

        shows_special: False for no bytes of control and unknown tokens.
        Source: `llama_vocab::impl::token_to_piece`. Quirks: a user-defined token keeps `▁` and byte characters as they
        are. A token with none of the types has no bytes.
        """
        attribute = self.attributes[token_id]
        if attribute & SPECIAL and not shows_special:
            return b""
        token = self.tokens[token_id]
        if attribute & (SPECIAL | Attribute.USER_DEFINED):
            return token.encode("utf-8", "surrogateescape")
        if attribute & Attribute.NORMAL:
            if self.spelling == "spaces escaped":
                return token.replace(SPACE_SYMBOL, " ").encode("utf-8", "surrogateescape")
            return from_byte_characters(token.encode("utf-8", "surrogateescape"))
        return bytes([int(token[3:5], 16)]) if attribute & Attribute.BYTE else b""


def from_byte_characters(token: bytes) -> bytes:
    """The bytes of a token of a byte-level vocab.

    Source: `llama_decode_text`. Quirk: a character that stands for no byte becomes a note with the whole token.

    >>> from_byte_characters("Ġa漢".encode("utf-8")).decode("utf-8")
    ' a[UNK_BYTE_0xe6bca2Ġa漢]'
    """
    decoded = bytearray()
    for code, _ in code_points(token):
        character = checked_code_point(code)
        byte = CHARACTER_TO_BYTE.get(character)
        if byte is None:
            decoded += b"[UNK_BYTE_0x%b%b]" % (character.encode("utf-8", "surrogatepass").hex().encode(), token)
        else:
            decoded.append(byte)
    return bytes(decoded)
