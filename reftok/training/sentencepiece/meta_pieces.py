"""The pieces that are not learned: the unknown, the beginning, the end and the padding, symbols of the user, bytes.

Source: sentencepiece 0.2.3, trainer_interface.cc (`InitMetaPieces`).

The four have the ids that the options say; then come control symbols, user-defined symbols and the 256 bytes, each with
the lowest id that is free. A symbol that is called like one of the four (but the unknown) only changes its type.

Quirk: of a word model each user-defined symbol that does not begin with `▁` is there a second time, with `▁` in front.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from reftok.errors import InvalidOption
from reftok.rules.sentencepiece.pieces import BYTE_PIECES, SPACE_SYMBOL, PieceType
from reftok.training.sentencepiece.options import TrainerOptions

MetaPieces: TypeAlias = dict[int, tuple[str, PieceType]]
"""Piece and type by id."""


def meta_pieces(options: TrainerOptions) -> MetaPieces:
    """The pieces that the options ask for.

    Raises InvalidOption for an id that is taken or not below vocab_size, for a symbol that is there already, and where
    there is neither an unknown piece nor byte_fallback.

    >>> meta_pieces(TrainerOptions(user_defined_symbols=("<sep>",), unk_id=1, bos_id=-1, eos_id=-1))
    {1: ('<unk>', <PieceType.UNKNOWN: 2>), 0: ('<sep>', <PieceType.USER_DEFINED: 4>)}
    """
    pieces: MetaPieces = {}
    named = _named(options, pieces)
    seen: set[str] = set()
    next_id = 0
    for option, symbol, kind in _symbols(options):
        if symbol in seen:
            raise InvalidOption(option, f"{symbol!r} is there already: leave one out")
        if symbol == options.unk_piece:
            raise InvalidOption(option, f"{symbol!r} is the unknown piece: leave it out")
        seen.add(symbol)
        if symbol in named:
            pieces[named[symbol]] = symbol, kind
            continue
        while next_id in pieces:
            next_id += 1
        pieces[next_id] = symbol, kind
    return pieces


def _named(options: TrainerOptions, pieces: MetaPieces) -> dict[str, int]:
    """Add the four; gives the ids of those that a symbol may be called like."""
    named: dict[str, int] = {}
    has_unknown = False
    for name in ("unk", "bos", "eos", "pad"):
        token_id, piece = getattr(options, f"{name}_id"), getattr(options, f"{name}_piece")
        if token_id < 0:
            continue
        if token_id >= options.vocab_size:
            raise InvalidOption(f"{name}_id", f"{token_id} is not below vocab_size, which is {options.vocab_size}")
        if token_id in pieces:
            raise InvalidOption(f"{name}_id", f"{token_id} is the id of {pieces[token_id][0]!r} already")
        is_unknown = piece == options.unk_piece
        if is_unknown and has_unknown:
            raise InvalidOption(f"{name}_piece", f"{piece!r} is the unknown piece already")
        has_unknown |= is_unknown
        pieces[token_id] = piece, PieceType.UNKNOWN if is_unknown else PieceType.CONTROL
        if name != "unk":
            named.setdefault(piece, token_id)
    if not has_unknown and not options.byte_fallback:
        raise InvalidOption("unk_id", "there is no unknown piece: give it an id, or set byte_fallback to true")
    return named


def _symbols(options: TrainerOptions) -> Iterator[tuple[str, str, PieceType]]:
    for symbol in options.control_symbols:
        yield "control_symbols", symbol, PieceType.CONTROL
    for symbol in options.user_defined_symbols:
        yield "user_defined_symbols", symbol, PieceType.USER_DEFINED
        if options.model_type == "word" and not symbol.startswith(SPACE_SYMBOL):
            yield "user_defined_symbols", SPACE_SYMBOL + symbol, PieceType.USER_DEFINED
    if options.byte_fallback:
        for piece in BYTE_PIECES:
            yield "byte_fallback", piece, PieceType.BYTE
