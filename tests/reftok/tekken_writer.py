"""Small files of tiktoken and of Tekken, for tests."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

TOKENS = (*(bytes([byte]) for byte in range(256)), b"ab", b" a", "é".encode(), b"  ", b"<s", b"<s>", b" ab")
PATTERN = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{M}]+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+|\p{L}"
SPECIAL = ("<unk>", "<s>", "</s>", "[INST]")


def rank_file(ranks: Mapping[bytes, int] | None = None) -> bytes:
    """A rank file. By default it has the 256 single bytes, in order."""
    known = {bytes([byte]): byte for byte in range(256)} if ranks is None else ranks
    return b"".join(b64encode(token) + b" %d\n" % rank for token, rank in known.items())


def special(*contents: str) -> list[dict[str, Any]]:
    """The list of special tokens."""
    return [{"rank": number, "token_str": text, "is_control": True} for number, text in enumerate(contents)]


def vocab_of(tokens: Sequence[bytes] = TOKENS) -> list[dict[str, Any]]:
    """The list of tokens."""
    encoded = (b64encode(token).decode() for token in tokens)
    return [{"rank": rank, "token_bytes": token, "token_str": None} for rank, token in enumerate(encoded)]


def tekken(config: dict[str, Any] | None = None, without: str = "", **keys: Any) -> bytes:
    """A file. config: keys in place of the usual ones; without: a key that is left out; keys: at the top."""
    usual = {
        "pattern": PATTERN,
        "num_vocab_tokens": len(TOKENS),
        "default_vocab_size": len(TOKENS) + 10,
        "default_num_special_tokens": 10,
        "version": "v11",
    }
    root = {"config": usual | (config or {}), "vocab": vocab_of(), "special_tokens": special(*SPECIAL), **keys}
    return json.dumps({key: value for key, value in root.items() if key != without}).encode()
