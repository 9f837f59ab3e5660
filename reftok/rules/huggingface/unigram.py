"""The unigram language model of tokenizer.json: the segmentation with the highest sum of scores.

Source: tokenizers 0.23 models/unigram/model.rs (`encode_optimized`, `tokenize`). Sums are float64; those of
sentencepiece (rules/sentencepiece/unigram.py) are float32, and its pieces have types.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import inf

from reftok.errors import ModelFormatError
from reftok.rules.longest_first import EntriesByBeginning
from reftok.rules.sentencepiece.pieces import BYTE_PIECES, NO_ID
from reftok.rules.types import Token
from reftok.rules.viterbi import UNK_PENALTY, Best, PieceMatch, best_paths, path_to_end, with_runs_joined
from reftok.rules.vocab_model import VocabModel


class Unigram(VocabModel):
    """Viterbi over all pieces of the vocab.

    pieces: piece and score (log probability), in the order of the ids.
    unk_id: None if there is none; a text that needs it is then refused.
    source: the file's name, for messages.
    Raises ModelFormatError for an unk_id outside the vocab, UnsupportedFeature for pieces of more than 65,536
    characters.

    Quirks: of equal sums the one found first stays. Every entry of the vocab matches text, control tokens too. A run of
    unknown characters is joined first; then byte fallback is all or nothing for the whole run.

    >>> model = Unigram([("<unk>", 0.0), ("a", -1.0), ("b", -1.5), ("ab", -2.0)], unk_id=0)
    >>> [(token.id, token.value) for token in model.tokenize("abxyb")]
    [(3, 'ab'), (0, 'xy'), (2, 'b')]
    """

    def __init__(
        self, pieces: Sequence[tuple[str, float]], unk_id: int | None, byte_fallback: bool = False, source: str = ""
    ) -> None:
        if unk_id is not None and not 0 <= unk_id < len(pieces):
            raise ModelFormatError(source, "model.unk_id", f"{unk_id} is not an id of the {len(pieces)} pieces")
        super().__init__({piece: token_id for token_id, (piece, _) in enumerate(pieces)}, unk_id)
        self.pieces = pieces
        self.size = len(pieces)  # a piece may be repeated
        self.byte_fallback = byte_fallback
        self.unknown_score = min((score for _, score in pieces), default=inf) - UNK_PENALTY
        self.by_beginning = EntriesByBeginning(self.vocab, source, "model.vocab")
        self.source = source

    def id_to_token(self, token_id: int) -> str | None:
        """The piece of an id; None for an id outside the vocab."""
        return self.pieces[token_id][0] if 0 <= token_id < len(self.pieces) else None

    def tokenize(self, text: str) -> Sequence[Token]:
        """The tokens of one pre-token."""
        tokens: list[Token] = []
        # The text of a piece decides its id again: a run of unknown characters may be spelled like an entry.
        for start, end, _ in with_runs_joined(path_to_end(self.best_paths(text)), self.unk_id):
            piece = text[start:end]
            byte_pieces = self.byte_pieces(piece)
            if byte_pieces:
                tokens += [Token(self.vocab[byte_piece], byte_piece, (start, end)) for byte_piece in byte_pieces]
            else:
                tokens.append(Token(self.id_or_unknown(piece), piece, (start, end)))
        return tokens

    def best_paths(self, text: str, score: float = 0.0) -> list[Best]:
        """For each position the best path that ends there. score: of the path before the text.

        Raises ModelFormatError if one needs an unknown id and there is none.
        """
        best = best_paths(len(text), partial(self.matches, text), score=score)
        if self.unk_id is None and any(path.id == NO_ID for path in best[1:]):
            self.needed_unk_id()
        return best

    def matches(self, text: str, start: int) -> list[PieceMatch]:
        """The pieces that begin at `start`; also the unknown piece, unless a piece is the first character alone."""
        found: list[PieceMatch] = []
        has_single = False
        for piece in self.by_beginning.at(text, start):
            token_id = self.vocab[piece]
            found.append((start + len(piece), token_id, self.pieces[token_id][1]))
            has_single = has_single or len(piece) == 1
        if not has_single:
            found.append((start + 1, NO_ID if self.unk_id is None else self.unk_id, self.unknown_score))
        return found

    def ids_of_piece(self, piece: str) -> list[int]:
        """The id of a piece; for a run of unknown characters, the unknown id or the ids of its bytes."""
        return [self.vocab[byte_piece] for byte_piece in self.byte_pieces(piece)] or [self.id_or_unknown(piece)]

    def byte_pieces(self, piece: str) -> list[str]:
        """The byte pieces of a run of unknown characters; none if it does not fall back to bytes."""
        if piece in self.vocab or not self.byte_fallback:
            return []
        byte_pieces = [BYTE_PIECES[byte] for byte in piece.encode("utf-8")]
        return byte_pieces if all(byte_piece in self.vocab for byte_piece in byte_pieces) else []

    def id_or_unknown(self, piece: str) -> int:
        """The id of a piece, the unknown id for any other text."""
        token_id = self.vocab.get(piece)
        return self.needed_unk_id() if token_id is None else token_id

    def needed_unk_id(self) -> int:
        """The id of the unknown piece. Raises ModelFormatError if the model has none."""
        if self.unk_id is None:
            raise ModelFormatError(self.source, "model.unk_id", "is missing, but the text has an unknown character")
        return self.unk_id
