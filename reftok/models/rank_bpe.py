"""Byte-pair encoding by ranks, as tiktoken does it: the rank of a merge is the id of its result.

Source: tiktoken 0.14, src/lib.rs (`_byte_pair_merge`, `byte_pair_encode`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush

from reftok.cache import TwoGenerationCache
from reftok.types import Token

_CACHED_LENGTH = 256


class RankBPE:
    """A pre-token that is in the vocab is taken as it is; otherwise the pair with the lowest rank is merged first.

    vocab: token, written in the byte characters of GPT-2, to rank.
    Differs from `BPE`: there are no merges; any two neighbours whose concatenation is in the vocab can merge.

    >>> model = RankBPE({"a": 0, "b": 1, "c": 2, "bc": 3, "ab": 4})
    >>> [token.value for token in model.tokenize("abc")]
    ['a', 'bc']
    """

    def __init__(self, vocab: Mapping[str, int]) -> None:
        self.vocab = vocab
        self._tokens = {rank: token for token, rank in vocab.items()}
        self._cache: TwoGenerationCache[tuple[Token, ...]] = TwoGenerationCache()

    def id_to_token(self, token_id: int) -> str | None:
        """The entry of the vocab, None for an id outside it."""
        return self._tokens.get(token_id)

    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of one pre-token, written in byte characters."""
        tokens = self._cache.get(text)
        if tokens is None:
            parts = [text] if text in self.vocab else merge_by_rank(text, self.vocab)
            tokens = tuple(_tokens(parts, self.vocab))
            if len(text) < _CACHED_LENGTH:
                self._cache.put(text, tokens)
        return tokens


def merge_by_rank(text: str, vocab: Mapping[str, int]) -> list[str]:
    """The parts of `text` after merging the pair of the lowest rank, the leftmost of equals, until there is none.

    >>> merge_by_rank("aaa", {"a": 0, "aa": 1})
    ['aa', 'a']
    """
    parts = list(text)
    previous = list(range(-1, len(parts) - 1))
    following = [*range(1, len(parts)), -1]
    queue = [
        (vocab[pair], position, len(pair))
        for position in range(len(parts) - 1)
        if (pair := parts[position] + parts[position + 1]) in vocab
    ]
    heapify(queue)

    def push(left: int, right: int) -> None:
        if left != -1 and right != -1:
            pair = parts[left] + parts[right]
            if pair in vocab:
                heappush(queue, (vocab[pair], left, len(pair)))

    while queue:
        _, left, length = heappop(queue)
        right = following[left]
        if not parts[left] or right == -1 or len(parts[left]) + len(parts[right]) != length:
            continue
        parts[left] += parts[right]
        parts[right] = ""
        after = following[left] = following[right]
        if after != -1:
            previous[after] = left
        push(previous[left], left)
        push(left, after)
    return [part for part in parts if part]


def _tokens(parts: Sequence[str], vocab: Mapping[str, int]) -> list[Token]:
    tokens: list[Token] = []
    start = 0
    for part in parts:
        end = start + len(part)
        tokens.append(Token(vocab[part], part, (start, end)))
        start = end
    return tokens
