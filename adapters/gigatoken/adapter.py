"""gigatoken, a BPE in Rust with readers of its own for the published formats, as a subject.

Reads tokenizer.json, by its stand-in for the tokenizer of transformers (`as_hf`); sentencepiece's .model of BPE, which
it decodes to bytes; and the rank files of OpenAI, told by their names, by its stand-in for tiktoken (`as_tiktoken`).
Only the first adds and skips special tokens.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any


class Subject:
    """The library with the model at `model_path`."""

    def __init__(self, model_path: str) -> None:
        from gigatoken import Tokenizer

        self.version = version("gigatoken")
        beginning = Path(model_path).read_bytes()[:1]
        self._from_json: Any = None
        self._from_ranks: Any = None
        if beginning == b"{":
            self._from_json = Tokenizer(model_path).as_hf()
        elif beginning == b"\n":
            self._from_sentencepiece = Tokenizer.from_sentencepiece(model_path)
        else:
            self._from_ranks = Tokenizer.from_tiktoken(model_path).as_tiktoken()
        self.capabilities: dict[str, Any] = {
            "encode": {"add_special_tokens": "choice" if self._from_json else "never"},
            "decode": {"skip_special_tokens": "choice" if self._from_json else "never"},
            "encode_batch": True,
        }

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text, special tokens in it as such."""
        if self._from_json:
            return list(self._from_json.encode(text, add_special_tokens=add_special_tokens))
        if self._from_ranks:
            return list(self._from_ranks.encode(text, allowed_special="all"))
        return list(self._from_sentencepiece.encode(text).tolist())

    def encode_batch(self, texts: list[str], add_special_tokens: bool) -> list[list[int]]:
        """The ids of several texts."""
        if self._from_json:
            return list(self._from_json(texts, add_special_tokens=add_special_tokens)["input_ids"])
        if self._from_ranks:
            return list(self._from_ranks.encode_batch(texts, allowed_special="all"))
        return list(self._from_sentencepiece.encode_batch_list(texts))

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str | bytes:
        """The text of ids."""
        if self._from_json:
            return str(self._from_json.decode(ids, skip_special_tokens=skip_special_tokens))
        if self._from_ranks:
            return str(self._from_ranks.decode(ids))
        return bytes(self._from_sentencepiece.decode(ids))
