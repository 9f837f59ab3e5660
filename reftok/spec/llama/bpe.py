"""Byte-pair encoding by merges as llama.cpp does it, the models `gpt2` and `gemma4` of GGUF files.

Source: llama.cpp src/llama-vocab.cpp (`llm_tokenizer_bpe_session`), as in llama-cpp-python 0.3.36.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reftok.engine.bpe.merging_model import MergingModel
from reftok.engine.split_points.pairs import PairCuts
from reftok.spec.models.merging import merged_symbols
from reftok.spec.steps import Merge, Merging, Steps, WholeWord
from reftok.spec.types import Token

Ranks = Mapping[tuple[str, str], int]
"""Two tokens to the rank of their merge."""


@dataclass(frozen=True, slots=True)
class LlamaBPEOptions:
    """What the pre-tokenizer type decides.

    ignore_merges: a word that is in the vocab is one token.
    is_byte_level: words are written in the characters of their bytes.
    takes_newlines_whole: a word of line feeds that is in the vocab is one token.
    """

    ignore_merges: bool = False
    is_byte_level: bool = True
    takes_newlines_whole: bool = False


class LlamaBPE(MergingModel):
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
        self.takes_whole_words = options.ignore_merges or options.takes_newlines_whole

    def _tokenize(self, text: str) -> tuple[Token, ...]:
        tokens: list[Token] = []
        start = 0
        for symbol in [text] if self._is_whole(text) else merged_symbols(text, self._rank):
            span = start, start + len(symbol)
            tokens += [Token(token_id, self._tokens[token_id], span) for token_id in self._ids(symbol)]
            start += len(symbol)
        return tuple(tokens)

    def _token_ids(self, text: str) -> Sequence[int]:
        return (self.vocab[text],) if self._is_whole(text) else self.merged_ids(text)

    def merged_ids(self, text: str, begins: bool = True, ends: bool = True) -> Sequence[int]:
        return [token_id for symbol in merged_symbols(text, self._rank) for token_id in self._ids(symbol)]

    def _find_cuts(self) -> PairCuts:
        return PairCuts(map("".join, self.ranks))

    def explain(self, text: str) -> Steps:
        """The merges that `tokenize` makes, one by one."""
        if self._is_whole(text):
            return WholeWord(text)
        made: list[Merge] = []
        merged_symbols(text, self._rank, made)
        return Merging(text, tuple(text), "rank", tuple(made))

    def _rank(self, left: str, right: str) -> int | None:
        return self.ranks.get((left, right))

    def _is_whole(self, word: str) -> bool:
        options = self.options
        is_asked = options.ignore_merges or (options.takes_newlines_whole and not word.strip("\n"))
        return is_asked and word in self.vocab

    def _ids(self, symbol: str) -> list[int]:
        token_id = self.vocab.get(symbol)
        if token_id is not None:
            return [token_id]
        data = symbol.encode("utf-8", "surrogatepass")
        if self.options.is_byte_level:
            names = [bytes([byte]).decode("utf-8", "surrogateescape") for byte in data]
        else:
            names = [f"<0x{byte:02X}>" for byte in data]
        return [self.vocab[name] for name in names if name in self.vocab]
