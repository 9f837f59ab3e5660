"""Smaller sentencepiece models: without the pieces, options and charsmap rules that a mismatch does not need.

Source of the field numbers: sentencepiece_model.proto, sentencepiece 0.2.3. A field that is dropped has its default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from conformance.causes.shrinking.cases import smallest_part
from conformance.causes.shrinking.charsmap import offer_smaller_charsmaps
from conformance.causes.shrinking.search import Search, parts_of
from conformance.core.case import Case
from reftok.formats.sentencepiece.protobuf import Field, read_fields, written_fields
from reftok.rules.sentencepiece.pieces import PieceType

PIECES, TRAINER = 1, 2
SPECS = (2, 3, 5)
PIECE, PIECE_TYPE = 1, 3
MODEL_TYPE, BYTE_FALLBACK = 3, 35
CHARSMAP = 2


@dataclass(frozen=True, slots=True)
class IndexedPiece:
    """A piece. id: in the file that was read; message: as it stands there."""

    id: int
    text: str
    type: int
    message: Field


@dataclass(frozen=True, slots=True)
class PieceModel:
    """A ModelProto, taken apart.

    specs: the other fields that are messages of options, by field number, each with its fields.
    rest: every other field. known_ids: how many pieces the file had.
    needed: texts of pieces that are kept: they are the last resort of a model.
    """

    pieces: tuple[IndexedPiece, ...]
    specs: tuple[tuple[int, tuple[Field, ...]], ...]
    rest: tuple[Field, ...]
    known_ids: int
    needed: frozenset[str] = frozenset()

    def written(self, case: Case) -> tuple[bytes, Case] | None:
        """The file, and the case with its ids there; None where a piece of the case is not there any more."""
        new_ids = {piece.id: number for number, piece in enumerate(self.pieces)}
        if any(old < self.known_ids and old not in new_ids for old in case.ids):
            return None
        specs = [(number, 2, 0, written_fields(fields)) for number, fields in self.specs]
        data = written_fields([*(piece.message for piece in self.pieces), *specs, *self.rest])
        return data, replace(case, ids=tuple(new_ids.get(old, old) for old in case.ids))

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """The pieces of ids of the file as it is written now."""
        return [self.pieces[number].text for number in ids if 0 <= number < len(self.pieces)]

    def keeping(self, tokens: Sequence[str]) -> PieceModel:
        """The same, with the letters of these pieces held to be needed."""
        normal = {piece.text for piece in self.pieces if piece.type == PieceType.NORMAL}
        return replace(self, needed=frozenset(letter for token in normal.intersection(tokens) for letter in token))

    def with_pieces(self, pieces: Iterable[IndexedPiece]) -> PieceModel:
        """These pieces and those that are needed; the unknown piece and byte pieces always are."""
        kept = {piece.id for piece in pieces} | {piece.id for piece in self.pieces if self.is_needed(piece)}
        return replace(self, pieces=tuple(piece for piece in self.pieces if piece.id in kept))

    def is_needed(self, piece: IndexedPiece) -> bool:
        """Whether the library would refuse the model without it, or text would go lost."""
        return piece.type in (PieceType.UNKNOWN, PieceType.BYTE) or piece.text in self.needed

    def with_spec(self, number: int, fields: Sequence[Field]) -> PieceModel:
        """The same with other options."""
        return replace(self, specs=tuple((n, tuple(fields) if n == number else old) for n, old in self.specs))


def piece_model(data: bytes) -> PieceModel:
    """A .model file that the library has loaded."""
    fields = list(read_fields(data, "model"))
    pieces = [_piece(number, field) for number, field in enumerate(field for field in fields if field[0] == PIECES)]
    specs = [(field[0], tuple(read_fields(_content(field), "model"))) for field in fields if field[0] in SPECS]
    rest = [field for field in fields if field[0] != PIECES and field[0] not in SPECS]
    return PieceModel(tuple(pieces), tuple(specs), tuple(rest), len(pieces))


def _piece(number: int, message: Field) -> IndexedPiece:
    values = {field[0]: field[3] for field in read_fields(_content(message), "model")}
    text, kind = values.get(PIECE, b""), values.get(PIECE_TYPE, PieceType.NORMAL)
    assert isinstance(text, bytes)
    assert isinstance(kind, int)
    return IndexedPiece(number, text.decode("utf-8", "replace"), kind, message)


def _content(field: Field) -> bytes:
    assert isinstance(field[3], bytes)
    return field[3]


def steps(tokens: Sequence[str]) -> list[Callable[[Search[PieceModel]], None]]:
    """The steps that make a model smaller, the boldest first. tokens: what the answers to the case consist of."""

    def keep_parts_of_tokens(search: Search[PieceModel]) -> None:
        parts = parts_of(["".join(tokens), *tokens])
        near = [piece for piece in search.model.pieces if piece.text in parts]
        alphabet = [piece for piece in search.model.pieces if len(piece.text) == 1]
        if not search.offer(search.model.with_pieces(near)):
            search.offer(search.model.with_pieces([*near, *alphabet]))

    return [keep_parts_of_tokens, _drop_bytes, _drop_fields, _drop_pieces, _drop_charsmap_rules]


def _drop_bytes(search: Search[PieceModel]) -> None:
    """Byte pieces, together with the option that needs all of them."""
    model = search.model
    for number, fields in model.specs:
        if number == TRAINER:
            model = model.with_spec(number, [field for field in fields if field[0] != BYTE_FALLBACK])
    pieces = tuple(piece for piece in model.pieces if piece.type != PieceType.BYTE)
    if len(pieces) < len(model.pieces):
        search.offer(replace(model, pieces=pieces))


def _drop_fields(search: Search[PieceModel]) -> None:
    """Options; the type of the model stays."""
    smallest_part(search.model.rest, lambda part: search.offer(replace(search.model, rest=part)))
    for number, fields in search.model.specs:
        stays = [field for field in fields if (number, field[0]) == (TRAINER, MODEL_TYPE)]
        others = [field for field in fields if field not in stays]

        def offer(part: tuple[Field, ...], number: int = number, stays: list[Field] = stays) -> bool:
            return search.offer(search.model.with_spec(number, [*stays, *part]))

        smallest_part(others, offer)


def _drop_pieces(search: Search[PieceModel]) -> None:
    pieces = [piece for piece in search.model.pieces if not search.model.is_needed(piece)]
    smallest_part(pieces, lambda part: search.offer(search.model.with_pieces(part)))


def _drop_charsmap_rules(search: Search[PieceModel]) -> None:
    for number, fields in search.model.specs:
        for field in fields:
            if field[0] != CHARSMAP:  # of the trainer, that is a name: no charsmap either
                continue

            def offer(blob: bytes, number: int = number) -> bool:
                fields = next(fields for n, fields in search.model.specs if n == number)
                changed = [(CHARSMAP, 2, 0, blob) if field[0] == CHARSMAP else field for field in fields]
                return search.offer(search.model.with_spec(number, changed))

            offer_smaller_charsmaps(_content(field), search.case.readable_text, offer)
