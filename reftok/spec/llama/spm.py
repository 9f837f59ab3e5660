r"""The tokenizer SPM of llama.cpp, the model `llama` of GGUF files: byte-pair encoding by scores.

Source: llama.cpp src/llama-vocab.cpp (`llm_tokenizer_spm_session`), as in llama-cpp-python 0.3.36. It goes back to the
model type BPE of sentencepiece, not to its Unigram: many who write about it, and the `model.type` of a tokenizer.json
made from the same model, have that wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from operator import add
from typing import TypeAlias

from reftok.engine.caches import TwoGenerationCache
from reftok.engine.split_points.pairs import PairCuts
from reftok.errors import InvalidText
from reftok.spec.models.vocab_model import VocabModel
from reftok.spec.steps import Step, Walk
from reftok.spec.types import Token

_LENGTHS = (1,) * 12 + (2, 2, 3, 4)
"""How many bytes a symbol has, by the upper half of its first byte. A byte that leads no character stands alone."""

_CACHED_LENGTH = 256

Segment: TypeAlias = tuple[int, int, int]
"""An id, and the part of the text that it stands for, from and to."""


class LlamaSPM(VocabModel):
    """Merges the two neighbours whose token has the highest score, the leftmost of equals first.

    tokens: token to id; of a token that is no UTF-8, each wrong byte is a lone surrogate U+DC80 to U+DCFF.
    scores: by id.

    Quirks: a symbol starts as as many bytes as its first one announces, whatever they are. Every token takes part,
    control and byte tokens too. A symbol that is no token is written as its bytes: <0x0A> and so on, or the byte
    itself where that is a token; if neither is, llama.cpp throws an exception that nothing catches, and the process
    ends. The unknown token is never given. llama.cpp keeps the pair that each bigram was last seen as in `rev_merge`,
    as sentencepiece does, but nothing can come of it: only tokens are merged, and a token is not split again.

    >>> tokens = {"bc": 0, "ab": 1, "a": 2, "<0xE2>": 3, "<0x82>": 4, "<0xAC>": 5}
    >>> model = LlamaSPM(tokens, [-1.0, -2.0, -3.0, 0.0, 0.0, 0.0])
    >>> [(token.id, token.span_normalized) for token in model.tokenize("abcab€")]
    [(2, (0, 1)), (0, (1, 3)), (1, (3, 5)), (3, (5, 6)), (4, (5, 6)), (5, (5, 6))]
    >>> [(step.event, step.data) for step in model.steps(b"abc") if step.symbols[1:]]
    [('queue', b'ab'), ('queue', b'bc'), ('merge', b'bc'), ('skip', b'ab')]
    """

    def __init__(self, tokens: Mapping[str, int], scores: Sequence[float]) -> None:
        super().__init__(tokens)
        self.scores = scores
        self._ids = {token.encode("utf-8", "surrogateescape"): token_id for token, token_id in tokens.items()}
        self._ranks = {token: -scores[token_id] for token, token_id in tokens.items()}
        self.cuts = PairCuts(tokens)
        self._cache: TwoGenerationCache[Sequence[Segment]] = TwoGenerationCache()

    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of a text in which spaces are `▁`; a lone surrogate U+DC80 to U+DCFF is a byte on its own.

        Raises InvalidText for a byte that has no token.
        """
        return [Token(token_id, self._tokens[token_id], (start, end)) for token_id, start, end in self.segments(text)]

    def segments_plainly(self, text: str) -> list[Segment]:
        """The ids with their spans in code points: what comes out of `steps`.

        A token that is a part of a character has the span of the character.
        """
        segments: list[Segment] = []
        character_at = [
            index for index, character in enumerate(text) for _ in character.encode("utf-8", "surrogateescape")
        ]
        for step in self.steps(text.encode("utf-8", "surrogateescape")):
            length = len(step.data) if step.event == "token" else 1
            for position, token_id in enumerate(step.ids, step.start):
                segments.append((token_id, character_at[position], character_at[position + length - 1] + 1))
        return segments

    def segments(self, text: str) -> Sequence[Segment]:
        """The fast twin of `segments_plainly`: one word at a time, remembered."""
        if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
            return self.segments_plainly(text)
        segments: list[Segment] = []
        start = 0
        for word in self.cuts.words(text):
            found = self._cache.get(word)
            if found is None:
                found = self._word(word)
                if len(word) < _CACHED_LENGTH:
                    self._cache.put(word, found)
            segments += [(token_id, start + first, start + last) for token_id, first, last in found]
            start += len(word)
        return segments

    def steps(self, data: bytes) -> Iterator[Step]:
        """What llama.cpp does with the bytes of a text in which spaces are `▁`, step by step: the plain algorithm."""
        starts, lengths = _symbols(data)
        previous = list(range(-1, len(starts) - 1))
        following = [*range(1, len(starts)), -1]
        queue: list[tuple[float, int, int, int]] = []

        def bigram(left: int, right: int) -> Iterator[Step]:
            """Into the queue with it, if both are there and are a token together."""
            if left == -1 or right == -1:
                return
            text = data[starts[left] : starts[right] + lengths[right]]
            if text in self._ids:
                score = self.scores[self._ids[text]]
                heappush(queue, (-score, left, right, len(text)))
                yield Step("queue", (left, right), text, starts[left], score)

        for index, start in enumerate(starts):
            yield Step("symbol", (index,), data[start : start + lengths[index]], start)
        for left in range(len(starts) - 1):
            yield from bigram(left, left + 1)
        while queue:
            rank, left, right, length = heappop(queue)
            text = data[starts[left] : starts[left] + length]
            if not lengths[left] or not lengths[right] or lengths[left] + lengths[right] != length:
                yield Step("skip", (left, right), text, starts[left], -rank)
                continue
            yield Step("merge", (left, right), text, starts[left], -rank)
            lengths[left], lengths[right] = length, 0
            following[left] = following[right]
            if following[right] != -1:
                previous[following[right]] = left
            yield from bigram(previous[left], left)
            yield from bigram(left, following[left])
        for index, start in enumerate(starts):
            if lengths[index]:
                yield self._result(index, data[start : start + lengths[index]], start)

    def explain(self, text: str) -> Walk:
        """The symbols, the queue and `rev_merge` as they change."""
        return Walk(text, tuple(self.steps(text.encode("utf-8", "surrogateescape"))))

    def _result(self, index: int, symbol: bytes, start: int) -> Step:
        token_id = self._ids.get(symbol)
        if token_id is not None:
            return Step("token", (index,), symbol, start, ids=(token_id,))
        return Step("bytes", (index,), symbol, start, ids=self._byte_ids(symbol))

    def _byte_ids(self, symbol: bytes) -> tuple[int, ...]:
        found: list[int] = []
        for byte in symbol:
            token_id = self._ids.get(b"<0x%02X>" % byte)
            if token_id is None and byte:
                token_id = self._ids.get(bytes([byte]))
            if token_id is None:
                problem = f"neither <0x{byte:02X}> nor the byte is in the vocab; llama.cpp ends the process"
                raise InvalidText(f"{symbol.decode('utf-8', 'backslashreplace')!r} has no token: {problem}")
            found.append(token_id)
        return tuple(found)

    def _word(self, word: str) -> Sequence[Segment]:
        segments: list[Segment] = []
        start = 0
        for part in self.cuts.short_parts(word):
            for symbol in _merged(part, self._ranks):
                token_id = self.vocab.get(symbol)
                ids = self._byte_ids(symbol.encode("utf-8")) if token_id is None else (token_id,)
                segments += [(found, start, start + len(symbol)) for found in ids]
                start += len(symbol)
        return segments


def _symbols(data: bytes) -> tuple[list[int], list[int]]:
    """Where the symbols of a text start, and how long they are.

    >>> _symbols(bytes.fromhex("61 E28281 E261C3 80"))
    ([0, 1, 4, 7], [1, 3, 3, 1])
    """
    starts: list[int] = []
    lengths: list[int] = []
    position = 0
    while position < len(data):
        starts.append(position)
        lengths.append(min(_LENGTHS[data[position] >> 4], len(data) - position))
        position += lengths[-1]
    return starts, lengths


def _merged(text: str, ranks: Mapping[str, float]) -> list[str]:
    """The symbols of a text that is sound UTF-8, after every merge. The lowest rank is the highest score.

    >>> _merged("abcab", {"bc": 1.0, "ab": 2.0})
    ['a', 'bc', 'ab']
    """
    parts = list(text)
    previous = list(range(-1, len(parts) - 1))
    following = [*range(1, len(parts)), -1]
    queue = [(ranks[pair], left, len(pair)) for left, pair in enumerate(map(add, parts, parts[1:])) if pair in ranks]
    heapify(queue)
    while queue:
        _, left, length = heappop(queue)
        right = following[left]
        if not parts[left] or right == -1 or len(parts[left]) + len(parts[right]) != length:
            continue
        parts[left] += parts[right]
        parts[right] = ""
        after = following[left] = following[right]
        before = previous[left]
        if after != -1:
            previous[after] = left
            if (pair := parts[left] + parts[after]) in ranks:
                heappush(queue, (ranks[pair], left, len(pair)))
        if before != -1 and (pair := parts[before] + parts[left]) in ranks:
            heappush(queue, (ranks[pair], before, len(pair)))
    return [part for part in parts if part]
