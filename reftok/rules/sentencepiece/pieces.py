"""The pieces of a sentencepiece model: what they are, which of them match text, and how they become tokens.

Source: sentencepiece 0.2.3, model_interface.cc (`InitializePieces`), normalizer.cc (`PrefixMatcher`) and
sentencepiece_processor.cc (`PopulateSentencePieceText`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, TypeAlias

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.rules.longest_first import EntriesByBeginning
from reftok.rules.types import Token

SPACE_SYMBOL = "▁"
"""U+2581, which stands for a space inside pieces."""

BYTE_PIECES = tuple(f"<0x{byte:02X}>" for byte in range(256))
"""The piece of each byte."""

NO_ID = -1
"""The id of a special piece that the model does not have, as the library gives it."""

_NUL = "\0"
_LONGEST_PIECE_BYTES = 8000  # the library refuses longer ones
_MATCHER_RESULTS = 64  # `PrefixMatcher::PrefixMatch` has room for so many matches

Segment: TypeAlias = tuple[str, int]
"""A part of the normalized text, and the id of its piece or the unknown id."""


class PieceType(IntEnum):
    """The type of a piece. Source: `ModelProto.SentencePiece.Type`, sentencepiece_model.proto."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


TEXT_TYPES = frozenset({PieceType.NORMAL, PieceType.USER_DEFINED, PieceType.UNUSED})
"""The types that match text; the others are reserved."""


class Piece(NamedTuple):
    """One entry of the vocab. score: a float32, the logarithm of a probability or the order of a merge."""

    piece: str
    score: float
    type: PieceType = PieceType.NORMAL


@dataclass(frozen=True, slots=True)
class SpecialPieces:
    """The names of the special pieces of a model.

    Source: `unk_piece`, `bos_piece`, `eos_piece`, `pad_piece` of TrainerSpec, sentencepiece_model.proto.
    """

    unk: str = "<unk>"
    bos: str = "<s>"
    eos: str = "</s>"
    pad: str = "<pad>"


class PieceTable:
    """The pieces of one model by id.

    pieces: in the order of the ids.
    byte_fallback: an unknown piece becomes the pieces of its bytes.
    special: the names by which bos, eos and padding are found.
    Raises ModelFormatError for what the library refuses.

    vocab: piece to id. text_ids: the same for the pieces that match text.
    unk_id: of the unknown piece; NO_ID if there is none, which only byte fallback allows.
    byte_ids: byte to the id of its piece; empty without byte fallback.

    Quirks: with byte fallback a piece that is just NUL counts as unused: it has an id, but no text finds it. The
    unknown piece is the one of that type, whatever its name; bos, eos and padding are found by their names, and only
    control pieces count.
    """

    def __init__(
        self,
        pieces: Sequence[Piece],
        byte_fallback: bool = False,
        source: str = "",
        special: SpecialPieces = SpecialPieces(),
    ) -> None:
        self.byte_fallback = byte_fallback
        self.special = special
        self.pieces = tuple(_without_nul(pieces) if byte_fallback else pieces)
        self.vocab: dict[str, int] = {}
        self.text_ids: dict[str, int] = {}
        self.unk_id = NO_ID
        self.byte_ids: list[int] = []
        for token_id, (piece, _, piece_type) in enumerate(self.pieces):
            if piece == _NUL and piece_type is PieceType.UNUSED:
                continue  # the library leaves it out of its maps: it has an id, but no text finds it
            may_be_too_long = 4 * len(piece) >= _LONGEST_PIECE_BYTES  # a character has four bytes at most
            if piece_type is not PieceType.NORMAL or not piece or _NUL in piece or may_be_too_long:
                self._check(token_id, source)
            if self.vocab.setdefault(piece, token_id) != token_id:
                raise self._repeated(token_id, source)
            if piece_type is PieceType.NORMAL or piece_type in TEXT_TYPES:
                self.text_ids[piece] = token_id
            elif piece_type is PieceType.UNKNOWN:
                self.unk_id = token_id
        if self.unk_id == NO_ID and not byte_fallback:
            raise ModelFormatError(source, "pieces", "no piece is the unknown one")
        if byte_fallback:
            missing = [piece for piece in BYTE_PIECES if self._type(piece) is not PieceType.BYTE]
            if missing:
                raise ModelFormatError(
                    source, "pieces", f"byte_fallback needs 256 byte pieces, {missing[0]} is not there"
                )
            self.byte_ids = [self.vocab[piece] for piece in BYTE_PIECES]
        self.matcher = PrefixMatcher(self.of_type(PieceType.USER_DEFINED))
        self.bos_id, self.eos_id, self.pad_id = map(self._control_id, (special.bos, special.eos, special.pad))

    def _check(self, token_id: int, source: str) -> None:
        """Raise ModelFormatError for a piece that the library refuses."""
        piece, _, piece_type = self.pieces[token_id]
        problem = ""
        if not piece:
            problem = "is empty"
        elif len(piece.encode("utf-8")) >= _LONGEST_PIECE_BYTES:
            problem = f"is too long: {_LONGEST_PIECE_BYTES} bytes or more"
        elif _NUL in piece:
            problem = "has a NUL character"
        elif piece_type is PieceType.UNKNOWN and self.unk_id != NO_ID:
            problem = f"piece {self.unk_id} is the unknown one already"
        elif piece_type is PieceType.BYTE and not self.byte_fallback:
            problem = f"is the byte piece {piece!r}, but byte_fallback is off"
        elif piece_type is PieceType.BYTE and piece not in BYTE_PIECES:
            problem = f"{piece!r} is not the piece of a byte"
        if problem:
            raise ModelFormatError(source, f"pieces[{token_id}]", problem)

    def _repeated(self, token_id: int, source: str) -> ModelFormatError:
        """The error for a piece that is in the vocab already.

        The library only compares pieces that match text with each other, and reserved ones with each other.
        """
        piece, _, piece_type = self.pieces[token_id]
        first = self.vocab[piece]
        both_match = (piece_type in TEXT_TYPES) == (self.pieces[first].type in TEXT_TYPES)
        error = ModelFormatError if both_match else UnsupportedFeature
        return error(source, f"pieces[{token_id}]", f"{piece!r} is piece {first} already")

    def _type(self, piece: str) -> PieceType | None:
        token_id = self.vocab.get(piece)
        return None if token_id is None else self.pieces[token_id].type

    def _control_id(self, piece: str) -> int:
        return self.vocab[piece] if self._type(piece) is PieceType.CONTROL else NO_ID

    @property
    def named_unk_id(self) -> int:
        """The unknown id as the library reports it: NO_ID if another piece has the name of the unknown one."""
        return self.unk_id if self.vocab.get(self.special.unk, self.unk_id) == self.unk_id else NO_ID

    def of_type(self, piece_type: PieceType) -> frozenset[str]:
        """The pieces of one type that are in the vocab."""
        return frozenset(piece for piece, token_id in self.vocab.items() if self.pieces[token_id].type is piece_type)

    def id_to_token(self, token_id: int) -> str | None:
        """The piece of an id; None for an id outside the vocab."""
        return self.pieces[token_id].piece if 0 <= token_id < len(self.pieces) else None

    def usable_id(self, text: str) -> int:
        """The id of a piece that text can become; the unknown id for any other text."""
        token_id = self.text_ids.get(text)
        if token_id is None or self.pieces[token_id].type is PieceType.UNUSED:
            return self.unk_id
        return token_id

    def tokens(self, segments: Iterable[Segment]) -> list[Token]:
        """The segments as tokens.

        A run of unknown segments is one token. With byte fallback each one becomes its bytes instead: the last byte has
        the span of the whole segment, the bytes before it the empty span at its start.
        """
        tokens: list[Token] = []
        start = 0
        follows_unknown = False
        for text, token_id in segments:
            end = start + len(text)
            is_unknown = token_id == self.unk_id
            if not is_unknown:
                tokens.append(Token(token_id, text, (start, end)))
            elif self.byte_fallback:
                tokens += self._byte_tokens(text, start, end)
            elif follows_unknown:
                last = tokens[-1]
                tokens[-1] = Token(token_id, last.value + text, (last.span_normalized[0], end))
            else:
                tokens.append(Token(token_id, text, (start, end)))
            follows_unknown = is_unknown
            start = end
        return tokens

    def _byte_tokens(self, text: str, start: int, end: int) -> list[Token]:
        tokens = [Token(self.byte_ids[byte], BYTE_PIECES[byte], (start, start)) for byte in text.encode("utf-8")]
        # Only the last byte has a span, so that the spans of all tokens together still cover the text once.
        tokens[-1] = Token(tokens[-1].id, tokens[-1].value, (start, end))
        return tokens


class PrefixMatcher:
    """Finds the longest user-defined symbol at a position.

    Quirk: if more than 64 symbols match at once, only the 64 shortest are seen.

    >>> PrefixMatcher(["<a", "<a>"]).length_at("x<a>", 1)
    3
    """

    def __init__(self, symbols: Iterable[str]) -> None:
        self.every = EntriesByBeginning(frozenset(symbols))
        self.symbols = frozenset(symbol for symbol, depth in self.every.depths() if depth <= _MATCHER_RESULTS)
        self.first_characters = frozenset(symbol[0] for symbol in self.symbols)
        self._seen = EntriesByBeginning(self.symbols)

    def length_at(self, text: str, position: int) -> int:
        """The length of the longest symbol at `position`, in characters; 0 if there is none."""
        if text[position] not in self.first_characters:  # true almost everywhere, and the search is slow
            return 0
        return len(next(self._seen.at(text, position), ""))

    def split(self, text: str) -> tuple[list[str], list[bool]]:
        """The symbols and the single characters between them, and for each whether it is a symbol."""
        if not self.symbols:
            return list(text), [False] * len(text)
        parts: list[str] = []
        is_symbol: list[bool] = []
        position = 0
        while position < len(text):
            length = self.length_at(text, position)
            is_symbol.append(length > 0)
            end = position + (length or 1)
            parts.append(text[position:end])
            position = end
        return parts, is_symbol


def _without_nul(pieces: Iterable[Piece]) -> list[Piece]:
    return [Piece(_NUL, entry.score, PieceType.UNUSED) if entry.piece == _NUL else entry for entry in pieces]
