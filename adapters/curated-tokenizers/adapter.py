"""curated-tokenizers, of the makers of spaCy, in C++ and Cython, as a subject.

Reads sentencepiece's .model, by the library of Google of its own; and vocab.json with merges.txt beside it, by a BPE of
its own with the split of GPT-2. It knows no special tokens in texts and adds none; sentencepiece's it always skips.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any


class Subject:
    """The library with the model at `model_path`."""

    def __init__(self, model_path: str) -> None:
        from curated_tokenizers import ByteBPEProcessor, SentencePieceProcessor

        self.version = version("curated-tokenizers")
        path = Path(model_path)
        is_sentencepiece = path.name not in ("vocab.json", "merges.txt")
        self.capabilities: dict[str, Any] = {
            "encode": {"fields": ["tokens"], "add_special_tokens": "never", "special_in_text": "text"},
            "decode": {"skip_special_tokens": "always" if is_sentencepiece else "never"},
        }
        if is_sentencepiece:
            self._processor = SentencePieceProcessor.from_file(model_path)
        else:
            vocab, merges = path.with_name("vocab.json"), path.with_name("merges.txt")
            self._processor = ByteBPEProcessor.load_from_files(vocab=vocab, merges=merges)

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text."""
        return list(self._processor.encode_as_ids(text))

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], None]:
        """The ids of a text, with their tokens."""
        ids, tokens = self._processor.encode(text)
        return list(ids), list(tokens), None

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        """The text of ids."""
        return str(self._processor.decode_from_ids(ids))
