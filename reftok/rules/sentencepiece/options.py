"""The options of sentencepiece's Encode: bos, eos, the reverse order, the name of the unknown piece.

Source: sentencepiece 0.2.3, sentencepiece_pybind.cc (`RewriteIds`). The Python library refuses these options together
with offsets; for those see sentencepiece_processor.cc (`ApplyExtraOptions`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from reftok.errors import UnsupportedFeature
from reftok.rules.encodings import end_to_end, inserted, numbered
from reftok.rules.sentencepiece.pieces import NO_ID, PieceTable
from reftok.rules.types import Encoding, Span


@dataclass(frozen=True, slots=True)
class SentencePieceOptions:
    """The options of `Encode`, named as in the library; they are applied in this order.

    emit_unk_piece: unknown text becomes the name of the unknown piece, instead of staying as it is.
    reverse: the last piece comes first.
    add_bos, add_eos: the control piece bos is put before the others, eos after them.
    """

    emit_unk_piece: bool = False
    reverse: bool = False
    add_bos: bool = False
    add_eos: bool = False


def check_options(options: SentencePieceOptions, table: PieceTable) -> None:
    """Raise UnsupportedFeature if the model does not have the piece that an option needs."""
    needed = (
        (options.add_bos, table.bos_id, table.special.bos, "add_bos"),
        (options.add_eos, table.eos_id, table.special.eos, "add_eos"),
        (options.emit_unk_piece, table.named_unk_id, table.special.unk, "emit_unk_piece"),
    )
    for is_asked_for, token_id, piece, name in needed:
        if is_asked_for and token_id == NO_ID:
            kind = "an unknown" if name == "emit_unk_piece" else "a control"
            raise UnsupportedFeature("", name, f"the model does not have {piece!r} as {kind} piece")


def apply_options(encoding: Encoding, options: SentencePieceOptions, table: PieceTable, size: int) -> Encoding:
    """The encoding with the options applied.

    size: of the original text, in code points: the offset of eos.
    Raises UnsupportedFeature if the model does not have the piece that an option needs.

    Quirk: unknown text that is spelled like a control or unused piece stays as it is, even with emit_unk_piece.

    >>> from reftok.rules.sentencepiece.pieces import Piece, PieceType
    >>> pieces = [Piece("<unk>", 0.0, PieceType.UNKNOWN), Piece("</s>", 0.0, PieceType.CONTROL), Piece("a", -1.0)]
    >>> encoding = Encoding([2, 0], ["a", "xy"], [(0, 1), (1, 3)], [0, 0], [0, 0], [0, 0])
    >>> options = SentencePieceOptions(emit_unk_piece=True, reverse=True, add_eos=True)
    >>> apply_options(encoding, options, PieceTable(pieces), 4).tokens
    ['<unk>', 'a', '</s>']
    """
    check_options(options, table)
    if options == SentencePieceOptions():
        return encoding
    encoding = encoding if encoding.sequence_ranges else numbered(encoding, 0)
    if options.emit_unk_piece:
        encoding = replace(encoding, tokens=_with_unk_piece(encoding.tokens, table))
    if options.reverse:
        encoding = _reversed(encoding)
    if options.add_bos:
        encoding = end_to_end((_control(table, table.bos_id, (0, 0)), encoding))
    if options.add_eos:
        encoding = end_to_end((encoding, _control(table, table.eos_id, (size, size))))
    return encoding


def _with_unk_piece(tokens: Iterable[str], table: PieceTable) -> list[str]:
    unk_piece = table.pieces[table.unk_id].piece
    return [unk_piece if table.vocab.get(token, table.unk_id) == table.unk_id else token for token in tokens]


def _reversed(encoding: Encoding) -> Encoding:
    count = len(encoding)
    return Encoding(
        encoding.ids[::-1],
        encoding.tokens[::-1],
        encoding.offsets[::-1],
        encoding.special_tokens_mask[::-1],
        encoding.word_ids[::-1],
        encoding.type_ids[::-1],
        sequence_ranges={text: (count - end, count - start) for text, (start, end) in encoding.sequence_ranges.items()},
    )


def _control(table: PieceTable, token_id: int, span: Span) -> Encoding:
    return replace(inserted([token_id], [table.pieces[token_id].piece], 0), offsets=[span])
