"""The tokenizer UGM of llama.cpp, the model `t5` of GGUF files: Unigram.

Source: llama.cpp src/llama-vocab.cpp (`llm_tokenizer_ugm_session::tokenize`), as in llama-cpp-python 0.3.36.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import accumulate
from math import inf

from reftok.rules.llama_cpp.characters import cut_at_lead_bytes
from reftok.rules.types import Token
from reftok.rules.viterbi import (
    LARGEST_FLOAT32,
    UNK_PENALTY,
    Best,
    PieceMatch,
    best_paths,
    path_to_end,
    to_float32,
    with_runs_joined,
)
from reftok.rules.vocab_model import VocabModel


class LlamaUGM(VocabModel):
    """The segmentation with the highest sum of scores; of equals the one found first.

    tokens: token to id.
    scores: by id, float32.
    matched: the ids that can match text.
    user_defined: those of them whose score counts as 0.
    lowest: the lowest score of a normal token; None if there is none.
    unk_id: of a character that is no token; its score is `lowest` less 10, as float32.

    Differs from sentencepiece: sums are float64, a user-defined token scores 0 whatever its length, and there is no
    byte fallback. Neighbouring unknown tokens become one.

    >>> model = LlamaUGM({"<unk>": 0, "a": 1, "b": 2, "ab": 3}, [0.0, -1.0, -1.0, -1.5], {1, 2, 3}, set(), -1.5, 0)
    >>> [(token.id, token.span_normalized) for token in model.tokenize("abcca")]
    [(3, (0, 2)), (0, (2, 4)), (1, (4, 5))]
    """

    unk_id: int

    def __init__(
        self,
        tokens: Mapping[str, int],
        scores: Sequence[float],
        matched: Sequence[int] | set[int],
        user_defined: set[int],
        lowest: float | None,
        unk_id: int,
    ) -> None:
        super().__init__(tokens, unk_id)
        self._entries = {
            self.tokens[token_id].encode("utf-8", "surrogateescape"): (
                token_id,
                0.0 if token_id in user_defined else scores[token_id],
            )
            for token_id in matched
        }
        self._unknown_score = to_float32((LARGEST_FLOAT32 if lowest is None else lowest) - UNK_PENALTY)
        lengths: dict[int, set[int]] = {}
        for entry in self._entries:
            lengths.setdefault(entry[0], set()).add(len(entry))
        # The lengths of the tokens that begin with a byte: these are looked up in place of a trie.
        self._lengths = {first: sorted(found) for first, found in lengths.items()}

    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of the normalized text; a lone surrogate U+DC80 to U+DCFF is a single byte."""
        data = text.encode("utf-8", "surrogateescape")
        character_at = [i for i, character in enumerate(text) for _ in character.encode("utf-8", "surrogateescape")]
        sizes = [len(character) for character in cut_at_lead_bytes(data)]
        widths = dict(zip(accumulate(sizes, initial=0), sizes, strict=False))
        # llama.cpp starts with the worst score at every place, so that a path of -inf never replaces it.
        best = best_paths(len(data), partial(self._matches, data, widths), unreached=Best(-inf, 0, self.unk_id))
        return [
            Token(token_id, self.tokens[token_id], (character_at[start], character_at[end - 1] + 1))
            for start, end, token_id in with_runs_joined(path_to_end(best), self.unk_id)
        ]

    def _matches(self, data: bytes, widths: Mapping[int, int], start: int) -> list[PieceMatch]:
        """The tokens that begin at a character, shortest first; the unknown one too, if none is the character alone.

        widths: the start of each character to its number of bytes.
        """
        found: list[PieceMatch] = []
        if start not in widths:  # inside a character no token begins
            return found
        for length in self._lengths.get(data[start], ()):
            entry = self._entries.get(data[start : start + length]) if start + length <= len(data) else None
            if entry is not None:
                found.append((start + length, *entry))
        end = start + widths[start]
        if all(match[0] != end for match in found):
            found.append((end, self.unk_id, self._unknown_score))
        return found
