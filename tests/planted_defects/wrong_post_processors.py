"""Ports that add other special tokens."""

from __future__ import annotations

from official import Official, Spans


class DoubledTemplate(Official):
    """The special tokens before the text are there twice: the caller adds them, and so does the template."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, spans = super().encode_with_offsets(text, add_special_tokens)
        if not add_special_tokens or not ids:
            return ids, tokens, spans
        return [ids[0], *ids], [tokens[0], *tokens], [spans[0], *spans]


class EndAdded(Official):
    """The text ends with a token that the template does not have."""

    end = "<|endoftext|>"

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, spans = super().encode_with_offsets(text, add_special_tokens)
        if not add_special_tokens:
            return ids, tokens, spans
        return [*ids, self.tokenizer.token_to_id(self.end)], [*tokens, self.end], [*spans, (0, 0)]
