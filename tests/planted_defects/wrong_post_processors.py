"""Ports that add other special tokens."""

from __future__ import annotations

from official import Official, Spans
from reference import Reference, table_of


class DoubledTemplate(Official):
    """The special tokens before the text are there twice: the caller adds them, and so does the template."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, spans = super().encode_with_offsets(text, add_special_tokens)
        if not add_special_tokens or not ids:
            return ids, tokens, spans
        return [ids[0], *ids], [tokens[0], *tokens], [spans[0], *spans]


class AlwaysAdded(Official):
    """The template is applied whether special tokens are wanted or not."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        return super().encode_with_offsets(text, True)


class EndAdded(Official):
    """The text ends with a token that the template does not have."""

    end = "<|endoftext|>"

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, spans = super().encode_with_offsets(text, add_special_tokens)
        if not add_special_tokens:
            return ids, tokens, spans
        return [*ids, self.tokenizer.token_to_id(self.end)], [*tokens, self.end], [*spans, (0, 0)]


class BeginAdded(Official):
    """`add_bos_token` of a configuration that the model does not have is taken for true."""

    begin = ("<|endoftext|>", "<s>")

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, spans = super().encode_with_offsets(text, add_special_tokens)
        if not add_special_tokens:
            return ids, tokens, spans
        begin = next(token for token in self.begin if self.tokenizer.token_to_id(token) is not None)
        return [self.tokenizer.token_to_id(begin), *ids], [begin, *tokens], [(0, 0), *spans]


class BeginAlways(BeginAdded):
    """The token that begins a text is added whether special tokens are wanted or not."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        return super().encode_with_offsets(text, True)


class PieceBeginAdded(Reference):
    """`<s>` is added, as the models of one family want it and the file does not say."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, spans = super().encode_with_offsets(text, add_special_tokens)
        if not add_special_tokens:
            return ids, tokens, spans
        return [table_of(self.tokenizer).vocab["<s>"], *ids], ["<s>", *tokens], [(0, 0), *spans]


class First512Tokens(Official):
    """The ids are cut after 512, the longest input of the model that the port was made for."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, spans = super().encode_with_offsets(text, add_special_tokens)
        return ids[:512], tokens[:512], spans[:512]


class NoSecondEnd(Official):
    """A guard against a second </s>: none is appended where the ids end with one."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, spans = super().encode_with_offsets(text, add_special_tokens)
        keeps = len(ids) - (add_special_tokens and len(ids) > 1 and ids[-1] == ids[-2])
        return ids[:keeps], tokens[:keeps], spans[:keeps]


class TwelveBits(Official):
    """Ids are kept in 12 bits: that is enough for the vocab of the port's own tests."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids, tokens, spans = super().encode_with_offsets(text, add_special_tokens)
        return [token_id & 0xFFF for token_id in ids], tokens, spans
