"""tuetoken, a BPE in Rust with a stand-in for the AutoTokenizer of transformers, as a subject.

Reads tokenizer.json, by `AutoTokenizer`, which knows special tokens and the template; rank files it takes from the net.
Offsets are only those of texts without special tokens: this adapter gives none.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any, ClassVar


class Subject:
    """The library with the model at `model_path`."""

    capabilities: ClassVar[dict[str, Any]] = {"encode": {}, "decode": {}}

    def __init__(self, model_path: str) -> None:
        from tuetoken import AutoTokenizer

        self.version = version("tuetoken")
        self._tokenizer = AutoTokenizer.from_file(model_path)

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text."""
        return list(self._tokenizer.encode(text, add_special_tokens=add_special_tokens))

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        """The text of ids."""
        return str(self._tokenizer.decode(ids, skip_special_tokens=skip_special_tokens))
