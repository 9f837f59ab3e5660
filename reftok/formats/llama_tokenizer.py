"""A tokenizer that follows llama.cpp: the line of stages of every tokenizer, and what only llama.cpp can be asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import SupportsIndex

from reftok.errors import InvalidIds
from reftok.spec.ids import whole_number
from reftok.spec.llama.attributes import SPECIAL
from reftok.spec.llama.stages import Detokenizer
from reftok.spec.trace import DecoderStep
from reftok.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class LlamaTokenizer(Tokenizer):
    """A tokenizer as llama.cpp builds it from a GGUF file.

    detokenizer: what stands for the decoders: llama.cpp decodes ids, not tokens.

    llama.cpp takes and gives bytes. `encode` takes both; offsets, which llama.cpp does not have, are what the alignment
    of the stages gives, in code points of a str and in bytes of bytes. It raises InvalidText for lone surrogates, for
    what is no text, and where llama.cpp would end the process: for a byte without a token (SPM) and for the bytes of a
    code point above 10FFFF (BPE).

    `add_special_tokens` is `add_special` of `llama_tokenize`: BOS and EOS, as far as the file asks for them. Its
    `parse_special` (is `<s>` in the text the control token?) is on, which is what a prompt made with a chat template
    needs, and what the official libraries of the same models do. llama_tokenize has no default, but `Llama.tokenize` of
    llama-cpp-python has `special=False`: for text that is not trusted, that is the safe one. Here it is
    `dataclasses.replace(tokenizer, encode_special_tokens=True)`. User-defined tokens are matched either way.
    """

    detokenizer: Detokenizer = field(kw_only=True)

    def decode_bytes(self, ids: Iterable[int], skip_special_tokens: bool = True) -> bytes:
        """The bytes of `ids`, as `llama_detokenize` gives them.

        skip_special_tokens: `remove_special` and not `unparse_special`; if not set, it is the other way round.
        Raises InvalidIds for what is no list of ids, and for an id outside the vocab.
        """
        given: object = ids
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise InvalidIds(f"decode takes a list of ids, not {type(ids).__name__}")
        checked = list(ids)
        for token_id in checked:
            if not isinstance(token_id, int):
                raise InvalidIds(f"{token_id!r:.60} is not an id: a whole number")
        return self.detokenizer.decode(checked, skip_special_tokens, not skip_special_tokens)

    def is_special(self, token_id: SupportsIndex | None) -> bool:
        attributes, token_id = self.detokenizer.vocab.attributes, whole_number(token_id)
        return token_id is not None and 0 <= token_id < len(attributes) and bool(attributes[token_id] & SPECIAL)

    def _decoded(self, ids: Iterable[int], skip_special_tokens: bool, record: list[DecoderStep] | None) -> str:
        """The text of `decode_bytes`, with U+FFFD for what is not UTF-8."""
        text = self.decode_bytes(ids, skip_special_tokens).decode("utf-8", "replace")
        if record is not None:
            before = tuple(self.id_to_token(token_id) or "" for token_id in ids)
            record.append(DecoderStep(type(self.detokenizer).__name__, before, (text,)))
        return text

    def _checked(self, text: str | bytes) -> str:
        """`text` as str; bytes that are not UTF-8 come out as lone surrogates U+DC80 to U+DCFF."""
        if isinstance(text, bytes):
            return text.decode("utf-8", "surrogateescape")
        return Tokenizer._checked(self, text)
