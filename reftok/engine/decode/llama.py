"""Ids of llama.cpp back to text while they come. The rules stand in `reftok.spec.llama.stages`.

Between these stages each byte is written as the Latin-1 character of its number.
"""

from __future__ import annotations

from codecs import utf_8_decode
from typing import Any

from reftok.engine.decode.sinks import DecodingStage, FusedSink, FusedStage, HoldsBytes
from reftok.engine.decode.text import literals_replaced
from reftok.spec.llama.stages import Detokenizer

_CLEANED = (" ?", " !", " .", " ,", " ' ", " 's", " 'm", " 're", " 've")


class LlamaPieces(DecodingStage):
    """Streamed form of Detokenizer, as far as it is about single tokens: holds an EOS, which goes if it is the last."""

    def __init__(self, detokenizer: Detokenizer, skip_special_tokens: bool, sink: FusedSink) -> None:
        vocab = detokenizer.vocab
        self.sink = sink
        self._detokenizer = detokenizer
        self._shows_special = not skip_special_tokens
        self._removed_first = vocab.bos_id if skip_special_tokens and vocab.add_bos else None
        self._removed_last = vocab.eos_id if skip_special_tokens and vocab.add_eos else None
        self._is_start = True
        self._holds_eos = False

    def state(self) -> tuple[bool, bool]:
        """Whether no id has come, and whether an EOS is held."""
        return (self._is_start, self._holds_eos)

    def restore(self, state: Any) -> None:
        self._is_start, self._holds_eos = state

    @property
    def held(self) -> int:
        """How many bytes are held."""
        return len(self.pending_bytes)

    @property
    def pending_bytes(self) -> bytes:
        """The bytes of the EOS."""
        return self._piece(self._removed_last) if self._holds_eos and self._removed_last is not None else b""

    def _piece(self, token_id: int) -> bytes:
        piece = self._detokenizer.vocab.piece(token_id, self._shows_special)
        return piece.removeprefix(b" ") if self._is_start and self._detokenizer.removes_space else piece

    def token_id(self, token_id: int) -> None:
        """The next id."""
        self._detokenizer.refuse_unknown(token_id)
        if self._holds_eos and self._removed_last is not None:
            self._holds_eos = False
            self._give(self._removed_last)
        if self._is_start and token_id == self._removed_first:
            self._is_start = False
        elif token_id == self._removed_last:
            self._holds_eos = True
        else:
            self._give(token_id)

    def _give(self, token_id: int) -> None:
        piece = self._piece(token_id)
        self._is_start = False
        if piece:
            self.sink.text(piece.decode("latin-1"))

    def end(self) -> None:
        """The EOS that is held was the last."""
        self._holds_eos = False
        self.sink.end(True)


class Utf8Text(HoldsBytes, FusedStage):
    """The bytes as text, U+FFFD for what is not UTF-8: holds the bytes of a character that is not complete."""

    def text(self, fragment: str) -> None:
        self._decode(self._pending + fragment.encode("latin-1"), False)

    def end(self, is_token: bool) -> None:
        """The held bytes can no longer become a character."""
        self._decode(self._pending, True)
        super().end(is_token)

    def _decode(self, data: bytes, is_end: bool) -> None:
        text, size = utf_8_decode(data, "replace", is_end)
        self._pending = data[size:]
        if text:
            self.sink.text(text)


def without_spaces(sink: FusedSink) -> list[FusedStage]:
    """The stages that do what `reftok.spec.llama.stages.clean_spaces` does, the first first.

    Its three passes over the bytes find the same as one literal after the other.
    """
    return literals_replaced([(literal, literal.strip(" ")) for literal in _CLEANED], sink)
