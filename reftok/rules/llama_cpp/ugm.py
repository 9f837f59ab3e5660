"""The tokenizer UGM of llama.cpp, the model `t5` of GGUF files: Unigram.

Source: llama.cpp src/llama-vocab.cpp (`llm_tokenizer_ugm_session::tokenize`), as in llama-cpp-python 0.3.36.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import inf

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

_LENGTHS = (1,) * 12 + (2, 2, 3, 4)


class LlamaUGM(VocabModel):
    """The way through the text with the highest sum of scores; of equals the one found first.

    tokens: token to id.
    scores: by id, 32-bit floats.
    matched: the ids that can match text.
    user_defined: of these the ones whose score counts as 0.
    lowest: the lowest score of a normal token, None where there is none.
    unk_id: stands for a character that is no token; its score is `lowest` less 10, as a 32-bit float.

    Differs from sentencepiece: sums are 64-bit floats, a user-defined token counts 0 instead of by its length, and
    there is no byte fallback. Neighbouring unknown tokens become one.

    >>> model = LlamaUGM({"<unk>": 0, "a": 1, "b": 2, "ab": 3}, [0.0, -1.0, -1.0, -1.5], {1, 2, 3}, set(), -1.5, 0)
    >>> [(token.id, token.span_normalized) for token in model.tokenize("abcca")]
    [(3, (0, 2)), (0, (2, 4)), (1, (4, 5))]
    """

    def __init__(
        self,
        tokens: Mapping[str, int],
        scores: Sequence[float],
        matched: Sequence[int] | set[int],
        user_defined: set[int],
        lowest: float | None,
        unk_id: int,
    ) -> None:
        super().__init__(tokens)
        self._unk_id = unk_id
        self._entries = {
            self._tokens[token_id].encode("utf-8", "surrogateescape"): (
                token_id,
                0.0 if token_id in user_defined else scores[token_id],
            )
            for token_id in matched
        }
        self._unknown_score = to_float32((LARGEST_FLOAT32 if lowest is None else lowest) - UNK_PENALTY)
        lengths: dict[int, set[int]] = {}
        for entry in self._entries:
            lengths.setdefault(entry[0], set()).add(len(entry))
        self._lengths = {first: sorted(found) for first, found in lengths.items()}

    @property
    def unk_id(self) -> int:
        """The id of the unknown token."""
        return self._unk_id

    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of the normalized text; a lone surrogate U+DC80 to U+DCFF is a byte on its own."""
        data = text.encode("utf-8", "surrogateescape")
        character_at = [i for i, character in enumerate(text) for _ in character.encode("utf-8", "surrogateescape")]
        widths = self._widths(data)
        best = best_paths(len(data), partial(self._matches, data, widths), unreached=Best(-inf, 0, self._unk_id))
        return [
            Token(token_id, self._tokens[token_id], (character_at[start], character_at[end - 1] + 1))
            for start, end, token_id in with_runs_joined(path_to_end(best), self._unk_id)
        ]

    def _widths(self, data: bytes) -> dict[int, int]:
        """Where a character begins and how many bytes it has, by its first byte alone."""
        widths: dict[int, int] = {}
        start = 0
        while start < len(data):
            widths[start] = min(_LENGTHS[data[start] >> 4], len(data) - start)
            start += widths[start]
        return widths

    def _matches(self, data: bytes, widths: Mapping[int, int], start: int) -> list[PieceMatch]:
        """The tokens that begin at a character, shortest first; the unknown one where none is the character alone."""
        found: list[PieceMatch] = []
        if start not in widths:
            return found
        for length in self._lengths.get(data[start], ()):
            entry = self._entries.get(data[start : start + length]) if start + length <= len(data) else None
            if entry is not None:
                found.append((start + length, *entry))
        end = start + widths[start]
        if all(match[0] != end for match in found):
            found.append((end, self._unk_id, self._unknown_score))
        return found
