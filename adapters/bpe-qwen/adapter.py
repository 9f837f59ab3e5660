"""bpe-qwen, an encoder in Rust for the models of Qwen alone, as a subject.

Reads vocab.json, merges.txt and tokenizer_config.json of the folder in which the model is. Loading takes some 20 s.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar


class Subject:
    """The library's stand-in for the tokenizer of transformers, with the folder of `model_path`."""

    capabilities: ClassVar[dict[str, Any]] = {"encode": {}, "decode": {}, "encode_batch": True}

    def __init__(self, model_path: str) -> None:
        from bpe_qwen import QwenLinearTokenizer

        self.version = version("bpe-qwen")
        self._tokenizer = QwenLinearTokenizer(model_dir=str(Path(model_path).parent))

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text."""
        return list(self._tokenizer.encode(text, add_special_tokens=add_special_tokens))

    def encode_batch(self, texts: list[str], add_special_tokens: bool) -> list[list[int]]:
        """The ids of several texts."""
        return [list(ids) for ids in self._tokenizer(texts, add_special_tokens=add_special_tokens)["input_ids"]]

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        """The text of ids."""
        return str(self._tokenizer.decode(ids, skip_special_tokens=skip_special_tokens))
