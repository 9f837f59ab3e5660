"""The official libraries as subjects of any release: run by an interpreter that has that release and nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

RELEASED = {"tokenizers": "Tokenizers", "sentencepiece": "SentencePiece"}
"""The factory of each library that can be asked so."""


class Tokenizers:
    """HuggingFace `tokenizers` with the tokenizer.json at `path`."""

    def __init__(self, path: str) -> None:
        import tokenizers

        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        self.version = str(tokenizers.__version__)
        self._tokenizer = tokenizers.Tokenizer.from_file(path)
        stream = getattr(tokenizers.decoders, "DecodeStream", None)
        if stream is not None:
            self._stream = stream
            self.stream_decode = self._stream_decode

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text."""
        return list(self._tokenizer.encode(text, add_special_tokens=add_special_tokens).ids)

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[Any, ...]:
        """Ids, tokens, offsets in code points, and the mask of special tokens."""
        found = self._tokenizer.encode(text, add_special_tokens=add_special_tokens)
        return found.ids, found.tokens, found.offsets, found.special_tokens_mask

    def decode(self, ids: Sequence[int], skip_special_tokens: bool) -> str:
        """The text of ids."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=skip_special_tokens))

    def _stream_decode(self, ids: Sequence[int], skip_special_tokens: bool) -> Iterable[str]:
        stream = self._stream(skip_special_tokens=skip_special_tokens)
        return [*(stream.step(self._tokenizer, token_id) or "" for token_id in ids), ""]


class SentencePiece:
    """`sentencepiece` with the model at `path`; it keeps special tokens, and `Encode` adds what the model asks for."""

    def __init__(self, path: str) -> None:
        import sentencepiece

        self.version = str(sentencepiece.__version__)
        self._processor = sentencepiece.SentencePieceProcessor(model_file=path)

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text."""
        return list(self._processor.encode(text))

    def decode(self, ids: Sequence[int], skip_special_tokens: bool) -> str:
        """The text of ids."""
        return str(self._processor.decode(list(ids)))
