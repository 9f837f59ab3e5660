"""What the planted defects start from: the official library of a model file, every answer right."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sentencepiece
import tokenizers

Spans = list[tuple[int, int]]
SHORT = 64
"""Up to so many ids a stream looks for text behind each, and behind every so many of a long list."""


class Official:
    """`tokenizers` for tokenizer.json, `sentencepiece` for anything else."""

    def __init__(self, model_path: str) -> None:
        self.is_json = model_path.endswith(".json")
        self.tokenizer: Any = (
            tokenizers.Tokenizer.from_str(json.dumps(self.changed(json.loads(Path(model_path).read_text("utf-8")))))
            if self.is_json
            else sentencepiece.SentencePieceProcessor(model_file=model_path)
        )

    def changed(self, model: dict[str, Any]) -> dict[str, Any]:
        """The tokenizer.json that is loaded: for a defect to damage."""
        return model

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        return self.encode_with_offsets(text, add_special_tokens)[0]

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        if self.is_json:
            encoding = self.tokenizer.encode(text, add_special_tokens=add_special_tokens)
            return encoding.ids, encoding.tokens, encoding.offsets
        answer = self.tokenizer.Encode(text, return_type="offset_mapping")
        return list(answer["ids"]), list(answer["pieces"]), [(begin, end) for begin, end in answer["offsets"]]

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        if self.is_json:
            return str(self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens))
        return str(self.tokenizer.Decode(ids))

    def stream_decode(self, ids: list[int], skip_special_tokens: bool) -> Iterator[str]:
        """Text that no later id can change; what was held back comes at the end."""
        given = ""
        for count in (*range(1, min(len(ids), SHORT)), *range(SHORT, len(ids), SHORT), *([len(ids)] if ids else [])):
            right, before = (Official.decode(self, ids[:size], skip_special_tokens) for size in (count, count - 1))
            text, text_before = (self.decode(ids[:size], skip_special_tokens) for size in (count, count - 1))
            # An id that says nothing leaves a character open that was open before it.
            says_nothing = right == before or text == text_before
            if not (says_nothing or right.endswith("\ufffd") or self._is_byte(ids[count - 1])):
                yield text[len(given) :]
                given = text
        yield self.decode(ids, skip_special_tokens)[len(given) :]

    def _is_byte(self, token_id: int) -> bool:
        """Whether it is a byte that later ones may turn into another character."""
        read = self.tokenizer.id_to_token if self.is_json else self.tokenizer.IdToPiece
        return (read(token_id) or "").startswith("<0x")


class OtherInput(Official):
    """The text is changed before any stage sees it."""

    def before(self, text: str) -> str:
        return text

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        return super().encode_with_offsets(self.before(text), add_special_tokens)
