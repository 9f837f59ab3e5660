"""quicktok-v1, a BPE in C++ for encodings that it brings along, as a subject.

Asked by the encoding that the name of the rank file tells (cl100k_base, o200k_base), by llama3 for a file of 128,000
ranks, by qwen3 for a tokenizer.json of 151,643 entries; the file itself it does not read. It cannot skip special
tokens.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

LLAMA3, QWEN3 = 128_000, 151_643
"""The ranks of Llama 3, whose file is called tokenizer.model; the entries of the vocab of Qwen 2 to 3."""


class Subject:
    """The encoding of the library that is that of the model at `model_path`."""

    capabilities: ClassVar[dict[str, Any]] = {
        "encode": {"add_special_tokens": "never"},
        "decode": {"skip_special_tokens": "never"},
        "encode_batch": True,
    }

    def __init__(self, model_path: str) -> None:
        import quicktok

        self.version = version("quicktok-v1")
        self._encoding = quicktok.get_encoding(_encoding(Path(model_path)))

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


def _encoding(path: Path) -> str:
    """The name of the encoding. Raises ValueError for a tokenizer.json of which there is none."""
    data = path.read_bytes()
    if data[:1] != b"{":
        return "llama3" if len(data.splitlines()) == LLAMA3 else path.stem
    if len(json.loads(data)["model"]["vocab"]) != QWEN3:
        raise ValueError("of those that are a tokenizer.json, it brings along only that of Qwen 2 to 3")
    return "qwen3"
