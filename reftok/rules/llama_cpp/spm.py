r"""The tokenizer SPM of llama.cpp, the model `llama` of GGUF files: byte-pair encoding by scores.

Source: llama.cpp src/llama-vocab.cpp (`llm_tokenizer_spm_session`), as in llama-cpp-python 0.3.36. It goes back to the
model type BPE of sentencepiece, not to its Unigram: many who write about it, and the `model.type` of a tokenizer.json
made from the same model, have that wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from reftok.errors import InvalidText
from reftok.rules.merging import MergeEvent, merge_all
from reftok.rules.steps import Walk, WalkStep
from reftok.rules.types import Token
from reftok.rules.vocab_model import VocabModel

_LENGTHS = (1,) * 12 + (2, 2, 3, 4)
"""How many bytes a symbol has, by the upper half of its first byte. A byte that leads no character stands alone."""


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

    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of a text in which spaces are `▁`; a lone surrogate U+DC80 to U+DCFF is a byte on its own.

        A token that is a part of a character has the span of the character.
        Raises InvalidText for a byte that has no token.
        """
        tokens: list[Token] = []
        character_at = [
            index for index, character in enumerate(text) for _ in character.encode("utf-8", "surrogateescape")
        ]
        for step in self.steps(text.encode("utf-8", "surrogateescape")):
            length = len(step.data) if step.event == "token" else 1
            for position, token_id in enumerate(step.ids, step.start):
                span = character_at[position], character_at[position + length - 1] + 1
                tokens.append(Token(token_id, self._tokens[token_id], span))
        return tokens

    def steps(self, data: bytes) -> list[WalkStep]:
        """The merges of llama.cpp over the bytes of a text in which spaces are `▁`, step by step."""
        symbols = _symbols(data)
        starts = [*accumulate(map(len, symbols), initial=0)]
        steps = [WalkStep("symbol", (i,), symbol, starts[i]) for i, symbol in enumerate(symbols)]

        def take_down(event: MergeEvent[bytes]) -> None:
            pair = event.left, event.right
            steps.append(WalkStep(event.kind, pair, event.whole, starts[event.left], -event.priority))

        for index, symbol in merge_all(symbols, self._merge_of, take_down):
            token_id = self._ids.get(symbol)
            if token_id is not None:
                steps.append(WalkStep("token", (index,), symbol, starts[index], ids=(token_id,)))
            else:
                steps.append(WalkStep("bytes", (index,), symbol, starts[index], ids=self.byte_ids(symbol)))
        return steps

    def explain(self, text: str) -> Walk:
        """The symbols, the queue and `rev_merge` as they change."""
        return Walk(text, tuple(self.steps(text.encode("utf-8", "surrogateescape"))))

    def _merge_of(self, left: bytes, right: bytes) -> tuple[float, bytes] | None:
        whole = left + right
        token_id = self._ids.get(whole)
        return None if token_id is None else (-self.scores[token_id], whole)

    def byte_ids(self, symbol: bytes) -> tuple[int, ...]:
        """The ids of the bytes of a symbol that is no token. Raises InvalidText for a byte that has none."""
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


def _symbols(data: bytes) -> list[bytes]:
    """The symbols that a text starts as.

    >>> [symbol.hex() for symbol in _symbols(bytes.fromhex("61 E28281 E261C3 80"))]
    ['61', 'e28281', 'e261c3', '80']
    """
    symbols: list[bytes] = []
    position = 0
    while position < len(data):
        symbols.append(data[position : position + _LENGTHS[data[position] >> 4]])
        position += len(symbols[-1])
    return symbols
