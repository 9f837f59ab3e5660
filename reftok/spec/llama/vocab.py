"""The vocabulary of a GGUF file as llama.cpp holds it, and the bytes that each token is decoded to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from reftok.spec.byte_level import CHARACTER_TO_BYTE
from reftok.spec.llama.attributes import SPECIAL, Attribute
from reftok.spec.sentencepiece.pieces import SPACE_SYMBOL
from reftok.unicode.llama import checked_code_point, code_points

Spelling = Literal["spaces escaped", "byte characters"]


@dataclass(frozen=True, slots=True)
class LlamaVocab:
    """Tokens, and what llama.cpp knows about them.

    tokens: by id; each byte that is no UTF-8 is a lone surrogate U+DC80 to U+DCFF.
    ids: token to id.
    attributes: by id.
    spelling: how normal tokens are written: with `▁` for spaces, or in the characters of their bytes.
    bos_id, eos_id: None where there is no such token.
    add_bos, add_eos: whether they go around a text.
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

        shows_special: whether control and unknown tokens have any.
        Source: `llama_vocab::impl::token_to_piece`. Quirks: the text of a user-defined token is taken as it is, `▁`
        and byte characters included. A token with none of the types has no bytes.
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

    Source: `llama_decode_text`. Quirk: for a character that stands for no byte the text says so, with the whole token.

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
