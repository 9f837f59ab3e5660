"""tokie, a tokenizer in Rust that reads tokenizer.json, as a subject.

    python -m pip install tokie==0.1.4
    conformance run --model path/to/tokenizer.json --subject docs/subjects/tokie_subject.py:Tokie

Reads tokenizer.json. Its offsets are bytes of the normalized text and so cannot be compared; this adapter gives none.
It cannot skip special tokens in decoding: this adapter leaves their ids out, as its users must.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path


class Tokie:
    """The library with the model at `model_path`."""

    def __init__(self, model_path: str) -> None:
        from tokie import Tokenizer

        self.version = version("tokie")
        self._tokenizer = Tokenizer.from_json(model_path)
        added = json.loads(Path(model_path).read_text("utf-8"))["added_tokens"]
        self._special_ids = frozenset(token["id"] for token in added if token["special"])

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text."""
        return list(self._tokenizer.encode(text, add_special_tokens).ids)

    def encode_batch(self, texts: list[str], add_special_tokens: bool) -> list[list[int]]:
        """The ids of several texts."""
        return [list(encoding.ids) for encoding in self._tokenizer.encode_batch(texts, add_special_tokens)]

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        """The text of ids; where the bytes are not UTF-8, `decode` gives None, and they must be asked for."""
        kept = [token_id for token_id in ids if not (skip_special_tokens and token_id in self._special_ids)]
        text = self._tokenizer.decode(kept)
        return bytes(self._tokenizer.decode_bytes(kept)).decode("utf-8", "replace") if text is None else str(text)
