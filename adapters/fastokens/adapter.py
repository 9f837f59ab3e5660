"""fastokens, a reader of tokenizer.json and of rank files in Rust, as a subject.

Reads tokenizer.json, and the rank files of cl100k_base and o200k_base, told by the name of the file. Tokens and offsets
it does not give.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar


class Subject:
    """The library with the model at `model_path`."""

    capabilities: ClassVar[dict[str, Any]] = {
        "encode": {"fields": ["special_tokens_mask"]},
        "decode": {},
        "encode_batch": True,
    }

    def __init__(self, model_path: str) -> None:
        from fastokens import Tokenizer

        self.version = version("fastokens")
        path = Path(model_path)
        if path.read_bytes()[:1] == b"{":
            self._tokenizer = Tokenizer.from_file(model_path)
        else:
            self._tokenizer = Tokenizer.from_tiktoken(model_path, encoding=path.stem)

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text."""
        return list(self._tokenizer.encode(text, add_special_tokens).ids)

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], None, None, list[int]]:
        """The ids of a text, and which are of the template."""
        found = self._tokenizer.encode(text, add_special_tokens)
        return list(found.ids), None, None, list(found.special_tokens_mask)

    def encode_batch(self, texts: list[str], add_special_tokens: bool) -> list[list[int]]:
        """The ids of several texts."""
        return [list(found.ids) for found in self._tokenizer.encode_batch(texts, add_special_tokens)]

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        """The text of ids."""
        return str(self._tokenizer.decode(ids, skip_special_tokens))
