"""quicktok-v1, a BPE in C++ for encodings that it brings along, as a subject.

Asked by the encoding that the name of the rank file tells (cl100k_base, o200k_base), or llama3 for a file of 128,000
ranks; the file itself it does not read. It cannot skip special tokens.
"""

from __future__ import annotations

from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

LLAMA3 = 128_000
"""The ranks of Llama 3, whose file is called tokenizer.model."""


class Subject:
    """The encoding of the library that is that of the rank file at `model_path`."""

    capabilities: ClassVar[dict[str, Any]] = {
        "encode": {"add_special_tokens": "never"},
        "decode": {"skip_special_tokens": "never"},
        "encode_batch": True,
    }

    def __init__(self, model_path: str) -> None:
        import quicktok

        self.version = version("quicktok-v1")
        path = Path(model_path)
        is_llama3 = len(path.read_bytes().splitlines()) == LLAMA3
        self._encoding = quicktok.get_encoding("llama3" if is_llama3 else path.stem)

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text, special tokens in it as such."""
        return list(self._encoding.encode(text, allowed_special="all"))

    def encode_batch(self, texts: list[str], add_special_tokens: bool) -> list[list[int]]:
        """The ids of several texts."""
        ids, offsets = self._encoding.encode_batch(texts, with_special=True)
        return [ids[begin:end].tolist() for begin, end in pairwise(offsets)]

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        """The text of ids."""
        return str(self._encoding.decode(ids))
