"""The tokenizer UGM of llama.cpp, the model `t5` of GGUF files: Unigram.

Source: llama.cpp src/llama-vocab.cpp (`llm_tokenizer_ugm_session::tokenize`), as in llama-cpp-python 0.3.36.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from math import inf
from typing import TypeAlias

from reftok.spec.models.vocab_model import VocabModel
from reftok.spec.types import Token

_LENGTHS = (1,) * 12 + (2, 2, 3, 4)
_PENALTY = 10.0
_LARGEST_FLOAT = struct.unpack("<f", b"\xff\xff\x7f\x7f")[0]

Best: TypeAlias = tuple[float, int, int]
"""The score of the best way to a place, the start of its last token, and the id."""


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
        self._unknown_score = _float32((_LARGEST_FLOAT if lowest is None else lowest) - _PENALTY)
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
        return [
            Token(token_id, self._tokens[token_id], (character_at[start], character_at[end - 1] + 1))
            for token_id, start, end in self._joined_unknowns(self._best_way(data))
        ]

    def _best_way(self, data: bytes) -> list[tuple[int, int, int]]:
        """The ids with the bytes that they stand for, from and to."""
        best: list[Best] = [(0.0, 0, self._unk_id), *[(-inf, 0, self._unk_id)] * len(data)]
        start = 0
        while start < len(data):
            score = best[start][0]
            width = min(_LENGTHS[data[start] >> 4], len(data) - start)
            has_character = False
            for length in self._lengths.get(data[start], ()):
                entry = self._entries.get(data[start : start + length]) if start + length <= len(data) else None
                if entry is not None:
                    has_character = has_character or length == width
                    if score + entry[1] > best[start + length][0]:
                        best[start + length] = score + entry[1], start, entry[0]
            if not has_character and score + self._unknown_score > best[start + width][0]:
                best[start + width] = score + self._unknown_score, start, self._unk_id
            start += width
        way: list[tuple[int, int, int]] = []
        end = len(data)
        while end:
            _, start, token_id = best[end]
            way.append((token_id, start, end))
            end = start
        return way[::-1]

    def _joined_unknowns(self, way: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
        joined: list[tuple[int, int, int]] = []
        for token_id, start, end in way:
            if joined and token_id == self._unk_id == joined[-1][0]:
                start = joined.pop()[1]
            joined.append((token_id, start, end))
        return joined


def _float32(number: float) -> float:
    rounded: float = struct.unpack("<f", struct.pack("<f", number))[0]
    return rounded
