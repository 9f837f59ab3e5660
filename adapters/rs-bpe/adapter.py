"""rs-bpe, a door of Python to the BPE in Rust of GitHub (rust-gems), as a subject.

Asked by the encoding that the name of the rank file tells (cl100k_base, o200k_base), which it brings along; the file
itself it does not read. It knows no special tokens, and decodes them to nothing. Its `decode` gives None for bytes that
are no UTF-8: this adapter asks its `bpe()`, which gives the bytes.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

ENCODINGS = ("cl100k_base", "o200k_base")


class Subject:
    """The encoding of the library that is called as the rank file at `model_path`."""

    capabilities: ClassVar[dict[str, Any]] = {
        "encode": {"add_special_tokens": "never", "special_in_text": "text"},
        "decode": {"skip_special_tokens": "always"},
        "encode_batch": True,
    }

    def __init__(self, model_path: str) -> None:
        from rs_bpe.bpe import openai

        self.version = version("rs-bpe")
        encoding = Path(model_path).stem
        if encoding not in ENCODINGS:
            raise ValueError(f"no encoding is called {encoding}")
        self._tokenizer = getattr(openai, encoding)()

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text."""
        return list(self._tokenizer.encode(text))

    def encode_batch(self, texts: list[str], add_special_tokens: bool) -> list[list[int]]:
        """The ids of several texts."""
        return [list(ids) for ids in self._tokenizer.encode_batch(texts)[0]]

    def decode(self, ids: list[int], skip_special_tokens: bool) -> bytes:
        """The bytes of ids."""
        return bytes(self._tokenizer.bpe().decode_tokens(ids))
