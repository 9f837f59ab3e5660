"""kitoken, a tokenizer in Rust with readers of its own for the published formats, as a subject.

Reads tokenizer.json, sentencepiece's .model and tiktoken's rank files. It adds no special tokens of a template: that
is left to its caller. It decodes to bytes.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar


class Subject:
    """The library with the model at `model_path`.

    Added tokens in a text are taken as such; of a sentencepiece model only the user-defined symbols, as sentencepiece
    does.
    """

    capabilities: ClassVar[dict[str, Any]] = {
        "encode": {"add_special_tokens": "never"},
        "decode": {},
        "encode_batch": True,
    }

    def __init__(self, model_path: str) -> None:
        from kitoken import Kitoken as Library

        self.version = version("kitoken")
        self._special: bool | list[str] = True
        beginning = Path(model_path).read_bytes()[:1]
        if beginning == b"{":
            self._tokenizer = Library.from_tokenizers_file(model_path)
        elif beginning == b"\n":
            self._tokenizer = Library.from_sentencepiece_file(model_path)
            self._special = ["priority"]
        else:
            self._tokenizer = Library.from_tiktoken_file(model_path)

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text."""
        return list(self._tokenizer.encode(text, self._special))

    def encode_batch(self, texts: list[str], add_special_tokens: bool) -> list[list[int]]:
        """The ids of several texts."""
        return [list(ids) for ids in self._tokenizer.encode_all(texts, self._special)]

    def decode(self, ids: list[int], skip_special_tokens: bool) -> bytes:
        """The bytes of ids."""
        return bytes(self._tokenizer.decode(ids, not skip_special_tokens))
