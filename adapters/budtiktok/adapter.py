"""budtiktok, a reader of tokenizer.json in Rust, as a subject.

Reads tokenizer.json. Its offsets are bytes of UTF-8.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any, ClassVar


class Subject:
    """The library with the model at `model_path`."""

    capabilities: ClassVar[dict[str, Any]] = {
        "encode": {"fields": ["tokens", "offsets", "special_tokens_mask"], "offsets_unit": "utf8"},
        "decode": {},
        "encode_batch": True,
    }

    def __init__(self, model_path: str) -> None:
        from budtiktok import Tokenizer

        self.version = version("budtiktok")
        self._tokenizer = Tokenizer.from_file(model_path)

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text."""
        return list(self._tokenizer.encode(text, add_special_tokens).ids)

    def encode_with_offsets(
        self, text: str, add_special_tokens: bool
    ) -> tuple[list[int], list[str], list[tuple[int, int]], list[int]]:
        """The ids of a text, with their tokens, their places in its bytes, and which are of the template."""
        found = self._tokenizer.encode(text, add_special_tokens)
        return list(found.ids), list(found.tokens), list(found.offsets), list(found.special_tokens_mask)

    def encode_batch(self, texts: list[str], add_special_tokens: bool) -> list[list[int]]:
        """The ids of several texts."""
        return [list(found.ids) for found in self._tokenizer.encode_batch(texts, add_special_tokens)]

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        """The text of ids."""
        return str(self._tokenizer.decode(ids, skip_special_tokens))
