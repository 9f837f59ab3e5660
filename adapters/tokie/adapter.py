"""tokie, a tokenizer in Rust that reads tokenizer.json, as a subject.

Reads tokenizer.json. Its offsets are bytes of the normalized text and so cannot be compared; this adapter gives none.
It cannot skip special tokens in decoding.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar


class Subject:
    """The library with the model at `model_path`."""

    capabilities: ClassVar[dict[str, Any]] = {
        "encode": {},
        "decode": {"skip_special_tokens": "never"},
        "encode_batch": True,
    }

    def __init__(self, model_path: str) -> None:
        from tokie import Tokenizer

        self.version = version("tokie")
        self._tokenizer = Tokenizer.from_json(model_path)
        decoder = json.loads(Path(model_path).read_text("utf-8"))["decoder"]
        self._has_bytes = decoder is not None and decoder["type"] == "ByteLevel"

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text."""
        return list(self._tokenizer.encode(text, add_special_tokens).ids)

    def encode_batch(self, texts: list[str], add_special_tokens: bool) -> list[list[int]]:
        """The ids of several texts."""
        return [list(encoding.ids) for encoding in self._tokenizer.encode_batch(texts, add_special_tokens)]

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str | bytes:
        """The text of ids; where the bytes are not UTF-8, `decode` gives None.

        They can be asked for then, but only of byte-level tokenizers: those of others are the pieces, not the text.
        """
        if self._has_bytes:
            return bytes(self._tokenizer.decode_bytes(ids))
        text = self._tokenizer.decode(ids)
        if text is None:
            raise ValueError("decode gives None: the bytes are not valid UTF-8")
        return str(text)
