"""Feedings of a stream, and what it gives: the observations of the checks "stream encode" and "stream decode"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from conformance.core.observation import Failure

Chunks: TypeAlias = tuple[str | bytes | int, ...]
"""All of one kind."""
Piece: TypeAlias = tuple[int, ...] | str
"""The ids of an encoder, or text of a decoder, that come out at once."""
Given: TypeAlias = tuple[Piece, ...]

NONE_RETURNED = 1
"""The call, counted from 1, at which a callback returns None: that is no False, so the calls must go on."""


@dataclass(frozen=True, slots=True)
class Feeding:
    """One use of a streaming encoder or decoder, from its making to its `finish`.

    to: what is fed. An encoder takes texts or bytes and adds the special tokens of the template; a decoder takes ids.
    chunks: what is fed, in order.
    skip_special_tokens: of a decoder.
    forgotten: what the stream is fed before that, and forgets by `reset`.
    beside: the same whole for a second stream, which is fed by turns with the first, one chunk behind it. A second
        decoder skips special tokens, so that it is made as the first one is, or otherwise.
    stop: the call, counted from 1, at which the callback of `decode_with_callback` says that it is enough, and which
        never comes where it is greater than the number of ids; 0 to feed a stream, or the callback where there is none.
    is_finished: whether the stream is finished before it is reset.
    """

    to: Literal["encoder", "decoder"]
    chunks: Chunks
    skip_special_tokens: bool = True
    forgotten: Chunks = ()
    beside: Chunks = ()
    stop: int = 0
    is_finished: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether one fresh stream is fed to its end."""
        return not (self.forgotten or self.beside or self.stop)

    @property
    def has_empty_chunk(self) -> bool:
        """Whether a chunk of a text is empty."""
        return not all(isinstance(chunk, int) or chunk for chunk in self.chunks)

    @property
    def plain(self) -> Feeding:
        """The same chunks for one fresh stream, without the empty ones."""
        chunks = tuple(chunk for chunk in self.chunks if isinstance(chunk, int) or chunk)
        return Feeding(self.to, chunks, self.skip_special_tokens)


@dataclass(frozen=True, slots=True)
class Streamed:
    """The output of a stream: ids of an encoder, texts of a decoder.

    given: for each chunk, and at last for `finish`; with a callback, the text of each call.
    beside: the same of the second stream.
    held: how many code points were held back after each of these; None where the stream does not say.
    called: with a callback, the id and `is_final` of each call.
    """

    given: Given
    beside: Given = ()
    held: tuple[int, ...] | None = None
    called: tuple[tuple[int, bool], ...] = ()


Streaming: TypeAlias = Streamed | Failure | None
"""None where the subject has no such stream, or one that cannot be fed so (without `reset`, or without bytes)."""


@dataclass(frozen=True, slots=True)
class Late:
    """More is held back than need be. chunk: its number, from 0. held, most: code points."""

    chunk: int
    held: int
    most: int


@dataclass(frozen=True, slots=True)
class FedStream:
    """A stream with what the same subject makes of the whole at once.

    whole: the ids of the whole text, or the text of all ids.
    whole_beside: what the second stream must give.
    late: what is held back too long: how many code points after which chunk, and how many might be; None for nothing.
    cause: why what came out is wrong or late, where that is known; '' where nobody has looked.
    """

    feeding: Feeding
    streaming: Streaming
    whole: Piece
    whole_beside: Piece = ""
    late: Late | None = None
    cause: str = ""
