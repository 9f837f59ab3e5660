"""Byte-pair encoding by merges as llama.cpp does it, the models `gpt2` and `gemma4` of GGUF files.

Source: llama.cpp src/llama-vocab.cpp (`llm_tokenizer_bpe_session`), as in llama-cpp-python 0.3.36.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reftok.rules.merging import TextMerging

Ranks = Mapping[tuple[str, str], int]
"""Two tokens to the rank of their merge."""


@dataclass(frozen=True, slots=True)
class LlamaBPEOptions:
    """The options of the model that the pre-tokenizer type decides.

    ignore_merges: a word that is in the vocab is one token.
    is_byte_level: words are written in the characters of their bytes.
    takes_newlines_whole: a word of line feeds that is in the vocab is one token.
    """

    ignore_merges: bool = False
    is_byte_level: bool = True
    takes_newlines_whole: bool = False


class LlamaBPE(TextMerging):
    """Merges of the lowest rank first, of equal ranks the leftmost.

    tokens: token to id.
    ranks: the merges; the result of a merge may be missing from the vocab.

    Quirks: the vocab is looked up only at the end. At byte level, a symbol that is not in it becomes the tokens of its
    ASCII characters, and the other characters are silently lost, where GPT-2's own tokenizer raises. Otherwise it
    becomes the tokens <0xE2> and so on of its bytes, and missing ones are lost.

    >>> model = LlamaBPE({"a": 0, "b": 1, "ab": 2}, {("b", "a"): 0, ("a", "b"): 1})
    >>> [(token.id, token.span_normalized) for token in model.tokenize("abab")]
    [(0, (0, 1)), (1, (1, 3)), (0, (1, 3)), (1, (3, 4))]
    """

    def __init__(self, tokens: Mapping[str, int], ranks: Ranks, options: LlamaBPEOptions = LlamaBPEOptions()) -> None:
        super().__init__(tokens)
        self.ranks = ranks
        self.options = options

    def takes_whole(self, text: str) -> bool:
        options = self.options
        is_asked = options.ignore_merges or (options.takes_newlines_whole and not text.strip("\n"))
        return is_asked and text in self.vocab

    def merge_of(self, left: str, right: str) -> tuple[int, str] | None:
        rank = self.ranks.get((left, right))
        return None if rank is None else (rank, left + right)

    def ids_of_symbol(self, symbol: str) -> Sequence[int]:
        token_id = self.vocab.get(symbol)
        if token_id is not None:
            return (token_id,)
        data = symbol.encode("utf-8", "surrogatepass")
        if self.options.is_byte_level:
            # llama.cpp looks up each byte of the UTF-8; one beyond ASCII is a part of a character, and no token.
            names = [bytes([byte]).decode("utf-8", "surrogateescape") for byte in data]
        else:
            names = [f"<0x{byte:02X}>" for byte in data]
        return [self.vocab[name] for name in names if name in self.vocab]
