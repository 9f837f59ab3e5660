"""onnxruntime-extensions, which has the tokenizers of transformers in C++, as a subject.

Reads tokenizer.json and, beside it, tokenizer_config.json, which tells it the class.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar


class Subject:
    """The library with the folder of `model_path`; two of it, told beforehand what to do with special tokens."""

    capabilities: ClassVar[dict[str, Any]] = {"encode": {}, "decode": {}, "encode_batch": True}

    def __init__(self, model_path: str) -> None:
        from onnxruntime_extensions.pp_api import Tokenizer

        self.version = version("onnxruntime-extensions")
        folder = str(Path(model_path).parent)
        self._tokenizers = {
            special: Tokenizer(folder, {"add_special_tokens": special, "skip_special_tokens": special})
            for special in (False, True)
        }

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text."""
        return [int(token_id) for token_id in self._tokenizers[add_special_tokens].tokenize(text)]

    def encode_batch(self, texts: list[str], add_special_tokens: bool) -> list[list[int]]:
        """The ids of several texts."""
        return [[int(token_id) for token_id in ids] for ids in self._tokenizers[add_special_tokens].tokenize(texts)]

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        """The text of ids."""
        return str(self._tokenizers[skip_special_tokens].detokenize(ids)[0])
