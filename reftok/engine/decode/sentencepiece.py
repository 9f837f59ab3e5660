"""Pieces of sentencepiece back to text while they come. The rules stand in `reftok.rules.sentencepiece.decoder`."""

from __future__ import annotations

from codecs import utf_8_decode
from math import inf

from reftok.engine.decode.stages import Stage
from reftok.engine.encode.sentencepiece_normalizer import StreamedSentencePieceNormalizer
from reftok.engine.sinks import StreamedStage
from reftok.rules.sentencepiece.decoder import SentencePieceDecoder, decode_bytes
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer


def pieces_stages(decoder: SentencePieceDecoder) -> list[Stage]:
    """The streamed form of a decoder."""
    pieces = Pieces(decoder)
    return [pieces] if decoder.denormalizer is None else [pieces, Denormalized(decoder.denormalizer)]


class Pieces(Stage):
    r"""Streamed form of SentencePieceDecoder: holds the bytes of a character that is not complete, at most three.

    >>> from reftok.rules.sentencepiece.pieces import BYTE_PIECES, Piece, PieceTable, PieceType
    >>> from reftok.engine.decode.stages import Output
    >>> byte_pieces = [Piece(piece, 0.0, PieceType.BYTE) for piece in BYTE_PIECES]
    >>> table = PieceTable([Piece("▁a", 0.0), *byte_pieces], byte_fallback=True)
    >>> pieces = Pieces(SentencePieceDecoder(table))
    >>> pieces.sink = output = Output()
    >>> pieces.feed("▁a", True); pieces.feed("▁a", True); pieces.feed("<0xC3>", True)
    >>> output.taken(), pieces.pending_bytes
    ('a a', b'\xc3')
    """

    def __init__(self, decoder: SentencePieceDecoder) -> None:
        self.growth = len(decoder.unk_surface)
        self._decoder = decoder
        self.state: tuple[bool, bytes] = (decoder.strips_first_space, b"")

    @property
    def pending_bytes(self) -> bytes:
        """The beginning of a character."""
        return self.state[1]

    def feed(self, text: str, is_end: bool) -> None:
        is_start, pending = self.state
        byte = self._decoder.byte_of(text)
        if byte is not None:
            self.state = False, self._decode(pending + bytes([byte]), False)
            return
        if pending:
            self._decode(pending, True)
        text, is_start = self._decoder.text_of(text, is_start)
        self.state = is_start, b""
        self.sink.feed(text, True)

    def _decode(self, data: bytes, is_end_of_run: bool) -> bytes:
        """The bytes that are left."""
        _, size = utf_8_decode(data, "surrogateescape", is_end_of_run)
        for text in decode_bytes(data[:size]):
            self.sink.feed(text, True)
        return data[size:]

    def finish(self) -> None:
        """The last run of bytes has ended too."""
        self._decode(self.state[1], True)
        super().finish()


class Denormalized(Stage):
    """The text rewritten by the denormalizer, which a few models have."""

    growth = inf
    joins = True
    state = None

    def __init__(self, denormalizer: SentencePieceNormalizer) -> None:
        self._normalized = StreamedSentencePieceNormalizer(denormalizer, _Handed(self))

    @property
    def held(self) -> int:
        """How many code points are held."""
        return self._normalized.held

    def feed(self, text: str, is_end: bool) -> None:
        if text:
            self._normalized.text(text)

    def finish(self) -> None:
        """The text is complete."""
        self._normalized.end_pre_token()
        super().finish()


class _Handed(StreamedStage):
    """Hands the normalized text on."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def text(self, fragment: str) -> None:
        self._stage.sink.feed(fragment, False)

    def end_pre_token(self) -> None:
        """There is one part only."""
