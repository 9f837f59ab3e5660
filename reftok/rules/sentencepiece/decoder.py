"""From pieces back to text, as sentencepiece does it.

Source: sentencepiece 0.2.3, sentencepiece_processor.cc (`DecodeOptimized`).
"""

from __future__ import annotations

from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.rules.sentencepiece.pieces import BYTE_PIECES, SPACE_SYMBOL, PieceTable, PieceType
from reftok.rules.text import NormalizedString

_BYTE_OF = {piece: byte for byte, piece in enumerate(BYTE_PIECES)}


class SentencePieceDecoder:
    """Control pieces vanish, byte pieces become characters, `▁` becomes a space.

    unk_surface: the text of the unknown piece.
    strips_first_space, strips_all_spaces: whether a piece at the start of the text loses its first `▁`: only one piece,
        or every piece as long as there is no text yet.
    denormalizer: rewrites the whole text at the end.

    Quirks: a piece that is not in the vocab is copied as it is, `▁` included. A run of byte pieces is decoded as UTF-8
    with one U+FFFD for each byte that is not part of a character; valid neighbours stay. Even if all leading spaces are
    stripped, each piece loses only one `▁`.
    """

    def __init__(
        self,
        table: PieceTable,
        unk_surface: str = " ⁇ ",
        strips_first_space: bool = True,
        strips_all_spaces: bool = True,
        denormalizer: SentencePieceNormalizer | None = None,
    ) -> None:
        self.table = table
        self.unk_surface = unk_surface
        self.strips_first_space = strips_first_space
        self.strips_all_spaces = strips_all_spaces
        self.denormalizer = denormalizer
        self._control = table.of_type(PieceType.CONTROL)
        self._byte_pieces = table.of_type(PieceType.BYTE)
        self._unk_piece = table.id_to_token(table.unk_id)

    def decode_chain(self, tokens: list[str]) -> list[str]:
        """The text of each token, in parallel; one string for all if there is a denormalizer."""
        texts: list[str] = []
        is_start = self.strips_first_space
        byte_run: list[int] = []
        for token in tokens:
            byte = self.byte_of(token)
            if byte is not None:
                byte_run.append(byte)
                continue
            if byte_run:
                texts += decode_bytes(bytes(byte_run))
                byte_run = []
                is_start = False  # bytes are text, even if they are spaces
            text, is_start = self.text_of(token, is_start)
            texts.append(text)
        if byte_run:
            texts += decode_bytes(bytes(byte_run))
        if self.denormalizer is not None and texts:
            return [self.denormalizer.normalize(NormalizedString("".join(texts))).text]
        return texts

    def byte_of(self, token: str) -> int | None:
        """The byte of a byte piece; None for any other piece."""
        return _BYTE_OF[token] if token in self._byte_pieces else None

    def text_of(self, token: str, is_start: bool) -> tuple[str, bool]:
        """The text of a piece that is no byte, and whether the next piece is still at the start of the text.

        is_start: whether this piece is at the start of the text, and loses its space.
        """
        text = self._surface(token)
        if is_start and token not in self._control:
            is_spaced = token.startswith(SPACE_SYMBOL)
            if is_spaced and token in self.table.vocab and token != self._unk_piece:
                text = text[1:]
            # A piece that is empty now leaves the next one at the start, unless only one space may be stripped.
            is_start = not text and (self.strips_all_spaces or not is_spaced)
        return text, is_start

    def _surface(self, token: str) -> str:
        if token in self._control:
            return ""
        if token == self._unk_piece:
            return self.unk_surface
        return token.replace(SPACE_SYMBOL, " ") if token in self.table.vocab else token


def decode_bytes(run: bytes) -> list[str]:
    """For each byte the text that it completes: a character, U+FFFD if it belongs to none, '' inside a character.

    >>> decode_bytes(bytes([0xC3, 0xA9, 0xE4, 0xBD, 0x41]))
    ['', 'é', '�', '�', 'A']
    """
    texts: list[str] = []
    for character in run.decode("utf-8", "surrogateescape"):
        if "\udc80" <= character <= "\udcff":
            texts.append("�")
        else:
            texts += [""] * (len(character.encode("utf-8")) - 1)
            texts.append(character)
    return texts
