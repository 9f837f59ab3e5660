r"""The tokenizer SPM of llama.cpp, the model `llama` of GGUF files: byte-pair encoding by scores.

Source: llama.cpp src/llama-vocab.cpp (`llm_tokenizer_spm_session`), as in llama-cpp-python 0.3.36. It reimplements the
model type BPE of sentencepiece, not Unigram, as is often written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate

from reftok.errors import InvalidText
from reftok.rules.llama_cpp.characters import cut_at_lead_bytes
from reftok.rules.merging import Merging
from reftok.rules.types import Token
from reftok.rules.vocab_model import VocabModel


class LlamaSPM(Merging, VocabModel):
    """Merges the two neighbours whose token has the highest score; of equal scores the leftmost pair.

    tokens: token to id; bytes of a token that are not UTF-8 are lone surrogates U+DC80 to U+DCFF.
    scores: by id.

    Quirks: the first symbols have as many bytes as their lead byte announces, whatever bytes follow. Every token takes
    part, control and byte tokens too. A symbol that is no token becomes the tokens of its bytes: <0x0A> and so on, or
    else the byte itself; if there is neither, llama.cpp throws an exception that nothing catches, and the process
    ends. The unknown token never occurs. llama.cpp remembers the pair that each token was last seen as in `rev_merge`,
    as sentencepiece does, but never uses it: only tokens merge, and a token is not split again.

    >>> tokens = {"bc": 0, "ab": 1, "a": 2, "<0xE2>": 3, "<0x82>": 4, "<0xAC>": 5}
    >>> model = LlamaSPM(tokens, [-1.0, -2.0, -3.0, 0.0, 0.0, 0.0])
    >>> [(token.id, token.span_normalized) for token in model.tokenize("abcab€")]
    [(2, (0, 1)), (0, (1, 3)), (1, (3, 5)), (3, (5, 6)), (4, (5, 6)), (5, (5, 6))]
    """

    def __init__(self, tokens: Mapping[str, int], scores: Sequence[float]) -> None:
        super().__init__(tokens)
        self.scores = scores
        self.vocab_bytes = {token.encode("utf-8", "surrogateescape"): token_id for token, token_id in tokens.items()}
        # Equal scores, -0.0 and 0.0 among them, have the same rank.
        ranks = {score: rank for rank, score in enumerate(sorted(set(scores), reverse=True))}
        self.ranks = {token: ranks[scores[token_id]] for token, token_id in self.vocab_bytes.items()}

    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of a text in which spaces are `▁`; a lone surrogate U+DC80 to U+DCFF is a single byte.

        A token that is a part of a character has the span of the character.
        Raises InvalidText for a byte that has no token.
        """
        data = text.encode("utf-8", "surrogateescape")
        character_at = [i for i, character in enumerate(text) for _ in character.encode("utf-8", "surrogateescape")]
        symbols = cut_at_lead_bytes(data)
        starts = [*accumulate(map(len, symbols), initial=0)]
        tokens: list[Token] = []
        for index, symbol in self.merge_symbols(symbols, self.merge_of):
            start = starts[index]
            token_id = self.vocab_bytes.get(symbol)
            found = [(token_id, len(symbol))] if token_id is not None else [(i, 1) for i in self.byte_ids(symbol)]
            for token_id, length in found:
                span = character_at[start], character_at[start + length - 1] + 1
                tokens.append(Token(token_id, self.tokens[token_id], span))
                start += length
        return tokens

    def merge_of(self, left: bytes, right: bytes) -> tuple[int, bytes] | None:
        """The rank of the merge of two neighbours and what they become; None if they do not merge."""
        rank = self.ranks.get(left + right)
        return None if rank is None else (rank, left + right)

    def byte_ids(self, symbol: bytes) -> tuple[int, ...]:
        """The ids of the bytes of a symbol that is no token. Raises InvalidText for a byte without a token."""
        found: list[int] = []
        for byte in symbol:
            token_id = self.vocab_bytes.get(b"<0x%02X>" % byte)
            if token_id is None and byte:  # llama.cpp looks up a C string, which a NUL would end
                token_id = self.vocab_bytes.get(bytes([byte]))
            if token_id is None:
                problem = f"neither <0x{byte:02X}> nor the byte is in the vocab; llama.cpp ends the process"
                raise InvalidText(f"{symbol.decode('utf-8', 'backslashreplace')!r} has no token: {problem}")
            found.append(token_id)
        return tuple(found)
