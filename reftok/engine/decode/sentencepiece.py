"""Pieces of sentencepiece back to text while they come. The rules stand in `reftok.spec.sentencepiece.decoder`."""

from __future__ import annotations

from codecs import utf_8_decode
from collections.abc import Sequence
from typing import Any

from reftok.engine.decode.sinks import FusedSink, FusedStage, HoldsBytes, JoiningStage
from reftok.engine.encode.sentencepiece_normalizer import StreamedSentencePieceNormalizer
from reftok.spec.sentencepiece.decoder import SentencePieceDecoder
from reftok.spec.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.unicode.characters import REPLACEMENT_CHARACTER

_ESCAPED_BYTES = dict.fromkeys(range(0xDC80, 0xDD00), REPLACEMENT_CHARACTER)


class Pieces(HoldsBytes, JoiningStage):
    r"""Streamed form of SentencePieceDecoder: holds the bytes of a character that is not complete, at most three.

    >>> from reftok.spec.sentencepiece.pieces import BYTE_PIECES, Piece, PieceTable, PieceType
    >>> from reftok.engine.decode.sinks import Output
    >>> byte_pieces = [Piece(piece, 0.0, PieceType.BYTE) for piece in BYTE_PIECES]
    >>> table = PieceTable([Piece("▁a", 0.0), *byte_pieces], byte_fallback=True)
    >>> output = Output()
    >>> pieces = Pieces(SentencePieceDecoder(table), output)
    >>> pieces.token("▁a"); pieces.token("▁a"); pieces.token("<0xC3>"); output.taken(), pieces.pending_bytes
    ('a a', b'\xc3')
    """

    def __init__(self, decoder: SentencePieceDecoder, sink: FusedSink) -> None:
        super().__init__(sink)
        self._decoder = decoder
        self._is_start = decoder.strips_first_space

    def state(self) -> tuple[bool, bytes]:
        """Whether the text has not begun, and the bytes that are held."""
        return (self._is_start, self._pending)

    def restore(self, state: Any) -> None:
        self._is_start, self._pending = state

    def token(self, token: str) -> None:
        byte = self._decoder.byte_of(token)
        if byte is not None:
            self._is_start = False
            self._decode(self._pending + bytes([byte]), False)
            return
        if self._pending:
            self._decode(self._pending, True)
        text, self._is_start = self._decoder.text_of(token, self._is_start)
        if text:
            self.sink.text(text)

    def _decode(self, data: bytes, is_end_of_run: bool) -> None:
        text, size = utf_8_decode(data, "surrogateescape", is_end_of_run)
        self._pending = data[size:]
        if text:
            self.sink.text(text.translate(_ESCAPED_BYTES))

    def end(self) -> None:
        """The last run of bytes has ended too."""
        if self._pending:
            self._decode(self._pending, True)
        super().end()


class Denormalized(FusedStage):
    """The text rewritten by the denormalizer, which a few models have."""

    def __init__(self, denormalizer: SentencePieceNormalizer, sink: FusedSink) -> None:
        super().__init__(sink)
        self._normalized = StreamedSentencePieceNormalizer(denormalizer, _Handed(sink))

    def state(self) -> None:
        """None: what the normalizer has seen cannot be remembered."""
        return None

    @property
    def held(self) -> int:
        """How many code points are held."""
        return self._normalized.held

    @property
    def holds_parts(self) -> str:
        """Why it cannot decide."""
        return self._normalized.holds_parts

    def text(self, fragment: str) -> None:
        self._normalized.text(fragment)

    def end(self, is_token: bool) -> None:
        """The text is complete."""
        self._normalized.end_part()
        super().end(is_token)


class _Handed:
    """Hands a part of the text on as the one text that it is."""

    held = 0
    holds_parts = ""

    def __init__(self, sink: FusedSink) -> None:
        self._sink = sink

    def text(self, fragment: str) -> None:
        self._sink.text(fragment)

    def end_part(self) -> None:
        """There is one part only."""

    def parts(self, parts: Sequence[str]) -> None:
        self._sink.text("".join(parts))

    def token(self, token_id: int) -> None:
        """There are none."""
