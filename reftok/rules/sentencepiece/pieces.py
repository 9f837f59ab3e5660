"""The pieces of a sentencepiece model: what they are, which of them match text, and how they become tokens.

Source: sentencepiece 0.2.3, model_interface.cc (`InitializePieces`), normalizer.cc (`PrefixMatcher`) and
sentencepiece_processor.cc (`PopulateSentencePieceText`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import compress, count
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.rules.longest_first import EntriesByBeginning
from reftok.rules.types import Token

SPACE_SYMBOL = "▁"
"""U+2581, which stands for a space inside pieces."""

BYTE_PIECES = tuple(f"<0x{byte:02X}>" for byte in range(256))
"""The piece of each byte."""

NO_ID = -1
_NUL = "\0"
_LONGEST_PIECE = 8000
_MATCHER_RESULTS = 64

Segment: TypeAlias = tuple[str, int]
"""A part of the normalized text and the id of its piece, the unknown id where it has none."""


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


_MATCHES_TEXT = [number in TEXT_TYPES for number in range(max(PieceType) + 1)]


class Piece(NamedTuple):
    """One entry of the vocab; `score` is a float32. A tuple, since there are many of them."""

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

    vocab: piece to id; text_ids: the same for the pieces that match text; unk_id: NO_ID where there is none,
    which only byte fallback allows; byte_ids: of the byte pieces, by the byte, empty where bytes do not fall back.

    Quirks: where bytes fall back, a piece that is just NUL counts as unused; it has an id, but no text finds it. The
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
        self._types = [*map(attrgetter("type"), self.pieces)]
        if self._have_faults():
            for token_id, piece in enumerate(self.pieces):
                self._add(token_id, piece, source)
        else:
            self._add_all()
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

    def _have_faults(self) -> bool:
        """Whether `_add` may refuse a piece, or leave one out; a look at all of them at once."""
        texts = [*map(attrgetter("piece"), self.pieces)]
        byte_pieces = {*compress(texts, (piece_type is PieceType.BYTE for piece_type in self._types))}
        return (
            len({*texts, ""}) <= len(texts)
            or 4 * max(map(len, texts), default=0) >= _LONGEST_PIECE
            or _NUL in "".join(texts)
            or self._types.count(PieceType.UNKNOWN) > 1
            or bool(byte_pieces and not self.byte_fallback)
            or not byte_pieces.issubset(BYTE_PIECES)
        )

    def _add_all(self) -> None:
        self.vocab = dict(zip(map(attrgetter("piece"), self.pieces), count(), strict=False))
        self.text_ids = dict(compress(self.vocab.items(), map(_MATCHES_TEXT.__getitem__, self._types)))
        if PieceType.UNKNOWN in self._types:
            self.unk_id = self._types.index(PieceType.UNKNOWN)

    def _add(self, token_id: int, entry: Piece, source: str) -> None:
        piece, place = entry.piece, f"pieces[{token_id}]"
        if not piece:
            raise ModelFormatError(source, place, "is empty")
        if len(piece.encode("utf-8")) >= _LONGEST_PIECE:
            raise ModelFormatError(source, place, f"is too long: {_LONGEST_PIECE} bytes or more")
        if piece == _NUL and entry.type is PieceType.UNUSED:
            return
        if _NUL in piece:
            raise ModelFormatError(source, place, "has a NUL character")
        if piece in self.vocab:
            first = self.vocab[piece]
            both_match = (entry.type in TEXT_TYPES) == (self.pieces[first].type in TEXT_TYPES)
            error = ModelFormatError if both_match else UnsupportedFeature
            raise error(source, place, f"{piece!r} is piece {first} already")
        if entry.type is PieceType.UNKNOWN:
            if self.unk_id != NO_ID:
                raise ModelFormatError(source, place, f"piece {self.unk_id} is the unknown one already")
            self.unk_id = token_id
        if entry.type is PieceType.BYTE:
            if not self.byte_fallback:
                raise ModelFormatError(source, place, f"is the byte piece {piece!r}, but byte_fallback is off")
            if piece not in BYTE_PIECES:
                raise ModelFormatError(source, place, f"{piece!r} is not the piece of a byte")
        self.vocab[piece] = token_id
        if entry.type in TEXT_TYPES:
            self.text_ids[piece] = token_id

    def _type(self, piece: str) -> PieceType | None:
        token_id = self.vocab.get(piece)
        return None if token_id is None else self.pieces[token_id].type

    def _control_id(self, piece: str) -> int:
        return self.vocab[piece] if self._type(piece) is PieceType.CONTROL else NO_ID

    @property
    def named_unk_id(self) -> int:
        """The unknown id as the library reports it: NO_ID where another piece has the name of the unknown one."""
        return self.unk_id if self.vocab.get(self.special.unk, self.unk_id) == self.unk_id else NO_ID

    def of_type(self, piece_type: PieceType) -> frozenset[str]:
        """The pieces of one type that are in the vocab."""
        if piece_type not in self._types:
            return frozenset()
        return frozenset(piece for piece, token_id in self.vocab.items() if self._types[token_id] is piece_type)

    def id_to_token(self, token_id: int) -> str | None:
        """The piece of an id, None for an id outside the vocab."""
        return self.pieces[token_id].piece if 0 <= token_id < len(self.pieces) else None

    def usable_id(self, text: str) -> int:
        """The id of a piece that text may become, the unknown id for any other text."""
        token_id = self.text_ids.get(text)
        if token_id is None or self.pieces[token_id].type is PieceType.UNUSED:
            return self.unk_id
        return token_id

    def tokens(self, segments: Iterable[Segment]) -> list[Token]:
        """The segments as tokens.

        A run of unknown segments is one token, unless bytes fall back; then the last byte has the span of the whole
        character, the bytes before it the empty span where it begins.
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
        tokens[-1] = Token(tokens[-1].id, tokens[-1].value, (start, end))
        return tokens


class PrefixMatcher:
    """Finds the longest user-defined symbol at a position.

    Quirk: where more than 64 symbols match at once, only the 64 shortest are seen.

    >>> PrefixMatcher(["<a", "<a>"]).length_at("x<a>", 1)
    3
    """

    def __init__(self, symbols: Iterable[str]) -> None:
        self.every = EntriesByBeginning(frozenset(symbols))
        self.symbols = frozenset(symbol for symbol, depth in self.every.depths() if depth <= _MATCHER_RESULTS)
        self.first_characters = frozenset(symbol[0] for symbol in self.symbols)
        self._seen = EntriesByBeginning(self.symbols)

    def length_at(self, text: str, position: int) -> int:
        """How many characters the longest symbol at `position` has, 0 where there is none."""
        if text[position] not in self.first_characters:
            return 0
        return len(next(self._seen.at(text, position), ""))

    def split(self, text: str) -> tuple[list[str], list[bool]]:
        """The symbols and the characters between them, and for each whether it is a symbol."""
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
