"""Ids of llama.cpp back to text while they come. The rules stand in `reftok.rules.llama_cpp.stages`.

Between these stages each byte is written as the Latin-1 character of its number, see `Utf8Text`.
"""

from __future__ import annotations

from reftok.engine.decode.decoders import replaced
from reftok.engine.decode.stages import Stage
from reftok.rules.llama_cpp.stages import Detokenizer

_CLEANED = (" ?", " !", " .", " ,", " ' ", " 's", " 'm", " 're", " 've")


def without_spaces() -> list[Stage]:
    """The stages that do what `reftok.rules.llama_cpp.stages.clean_spaces` does.

    Its three passes over the bytes find the same as one literal after the other.
    """
    return replaced((literal, literal.strip(" ")) for literal in _CLEANED)


class LlamaPieces(Stage):
    """Streamed form of Detokenizer, as far as it is about single tokens: holds an EOS, which goes if it is the last.

    state: whether no id has come, and the bytes of the EOS that is held.
    """

    joins = True

    def __init__(self, detokenizer: Detokenizer, skip_special_tokens: bool) -> None:
        vocab = detokenizer.vocab
        self._detokenizer = detokenizer
        self._shows_special = not skip_special_tokens
        self._removed_first = vocab.bos_id if skip_special_tokens and vocab.add_bos else None
        self._removed_last = vocab.eos_id if skip_special_tokens and vocab.add_eos else None
        self.state: tuple[bool, bytes | None] = (True, None)

    @property
    def pending_bytes(self) -> bytes:
        """The bytes of the EOS."""
        return self.state[1] or b""

    def token_id(self, token_id: int) -> None:
        """The next id. Raises InvalidIds for one outside the vocab."""
        self._detokenizer.refuse_unknown(token_id)
        is_start, eos = self.state
        if eos is not None:
            self.sink.feed(eos.decode("latin-1"), False)
            is_start = False
        if is_start and token_id == self._removed_first:
            self.state = (False, None)
            return
        piece = self._detokenizer.vocab.piece(token_id, self._shows_special)
        if is_start and self._detokenizer.removes_space:
            piece = piece.removeprefix(b" ")
        if token_id == self._removed_last:
            self.state = (is_start, piece)
        else:
            self.state = (False, None)
            self.sink.feed(piece.decode("latin-1"), False)
