"""riptoken, tiktoken anew in Rust, as a subject.

Reads rank files, by `load_tiktoken_bpe`, with the pattern and the special tokens that these lack, as the harness hands
them over: `riptoken.get_encoding` would take them from tiktoken, and download the ranks. It cannot skip special tokens.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any, ClassVar


class Subject:
    """The library with the ranks at `model_path`."""

    capabilities: ClassVar[dict[str, Any]] = {
        "encode": {"add_special_tokens": "never"},
        "decode": {"skip_special_tokens": "never"},
        "encode_batch": True,
    }

    def __init__(self, model_path: str, pattern: str, special_tokens: dict[str, int]) -> None:
        from riptoken import CoreBPE, load_tiktoken_bpe

        self.version = version("riptoken")
        self._core = CoreBPE(load_tiktoken_bpe(model_path), special_tokens, pattern)
        self._special = set(special_tokens)

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text, special tokens in it as such."""
        return list(self._core.encode(text, self._special))

    def encode_batch(self, texts: list[str], add_special_tokens: bool) -> list[list[int]]:
        """The ids of several texts."""
        return [list(ids) for ids in self._core.encode_batch(texts, self._special)]

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        """The text of ids."""
        return str(self._core.decode(ids))
