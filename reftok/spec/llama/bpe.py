"""Byte-pair encoding by merges as llama.cpp does it, the models `gpt2` and `gemma4` of GGUF files.

Source: llama.cpp src/llama-vocab.cpp (`llm_tokenizer_bpe_session`), as in llama-cpp-python 0.3.36.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reftok.spec.models.merging import MergeEvent, merge_all, merges_made
from reftok.spec.models.vocab_model import VocabModel
from reftok.spec.steps import Merging, Steps, WholeWord
from reftok.spec.types import Token

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


class LlamaBPE(VocabModel):
    """Merges of the lowest rank first, the leftmost of equals first.

    tokens: token to id.
    ranks: the merges; what a merge makes need not be in the vocab.

    Quirks: the vocab is asked only at the end. A symbol that is not in it gives, at byte level, the token of each of
    its ASCII characters, and nothing for the others: they are lost without a word, where GPT-2's own tokenizer would
    stop. Not at byte level it gives the tokens <0xE2> and so on of its bytes, and nothing for those that are missing.

    >>> model = LlamaBPE({"a": 0, "b": 1, "ab": 2}, {("b", "a"): 0, ("a", "b"): 1})
    >>> [(token.id, token.span_normalized) for token in model.tokenize("abab")]
    [(0, (0, 1)), (1, (1, 3)), (0, (1, 3)), (1, (3, 4))]
    """

    def __init__(self, tokens: Mapping[str, int], ranks: Ranks, options: LlamaBPEOptions = LlamaBPEOptions()) -> None:
        super().__init__(tokens)
        self.ranks = ranks
        self.options = options

    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of one word."""
        tokens: list[Token] = []
        for start, symbol in [(0, text)] if self.takes_whole(text) else merge_all(text, self.merge_of):
            span = start, start + len(symbol)
            tokens += [Token(token_id, self._tokens[token_id], span) for token_id in self.ids_of_symbol(symbol)]
        return tokens

    def explain(self, text: str) -> Steps:
        """The merges that `tokenize` makes, one by one."""
        if self.takes_whole(text):
            return WholeWord(text)
        events: list[MergeEvent[str]] = []
        merge_all(text, self.merge_of, events.append)
        return Merging(text, tuple(text), "rank", merges_made(events))

    def merge_of(self, left: str, right: str) -> tuple[int, str] | None:
        """The rank of the merge of two neighbours and what they become, None where they do not merge."""
        rank = self.ranks.get((left, right))
        return None if rank is None else (rank, left + right)

    def takes_whole(self, word: str) -> bool:
        """Whether a word is one token without a look at the merges."""
        options = self.options
        is_asked = options.ignore_merges or (options.takes_newlines_whole and not word.strip("\n"))
        return is_asked and word in self.vocab

    def ids_of_symbol(self, symbol: str) -> list[int]:
        """The ids of a symbol that merges no more."""
        token_id = self.vocab.get(symbol)
        if token_id is not None:
            return [token_id]
        data = symbol.encode("utf-8", "surrogatepass")
        if self.options.is_byte_level:
            names = [bytes([byte]).decode("utf-8", "surrogateescape") for byte in data]
        else:
            names = [f"<0x{byte:02X}>" for byte in data]
        return [self.vocab[name] for name in names if name in self.vocab]
