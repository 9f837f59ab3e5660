"""bpe-openai, a door of Python to the BPE in Rust of GitHub (rust-gems), by the names of tiktoken, as a subject.

Asked by the encoding that the name of the rank file tells (cl100k_base, o200k_base), which it brings along; the file
itself it does not read. It cannot skip special tokens.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar


class Subject:
    """The encoding of the library that is called as the rank file at `model_path`."""

    capabilities: ClassVar[dict[str, Any]] = {
        "encode": {"add_special_tokens": "never"},
        "decode": {"skip_special_tokens": "never"},
        "encode_batch": True,
    }

    def __init__(self, model_path: str) -> None:
        import bpe_openai

        self.version = version("bpe-openai")
        self._encoding = bpe_openai.get_encoding(Path(model_path).stem)

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text, special tokens in it as such."""
        return list(self._encoding.encode(text, allowed_special="all"))

    def encode_batch(self, texts: list[str], add_special_tokens: bool) -> list[list[int]]:
        """The ids of several texts."""
        return [list(ids) for ids in self._encoding.encode_batch(texts, num_threads=1, allowed_special="all")]

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        """The text of ids."""
        return str(self._encoding.decode(ids))
