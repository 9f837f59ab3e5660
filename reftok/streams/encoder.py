"""Ids while the text is still coming."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from reftok.errors import InvalidText, ReftokError, StreamFinished
from reftok.fast.affixes import Affixes, ids_behind_model
from reftok.rules.pipeline import Pipeline
from reftok.streams.chunks import ChunkReader
from reftok.streams.cuts.models import ModelParts
from reftok.streams.stages import Chain

ByteErrors: TypeAlias = Literal["strict", "replace"]
"""The treatment of bytes that are not UTF-8 by a library that takes none: refuse them, or U+FFFD."""


class StreamEncoder:
    """The ids of one text that comes in chunks; made by `Tokenizer.stream_encoder`.

    The ids that `feed` and `finish` give are together those of `encode_ids`, wherever the text is cut, and each comes
    when nothing that follows can change it any more. An encoder belongs to one stream; a tokenizer may have many at a
    time, in several threads.

    >>> import reftok
    >>> encoder = reftok.load("bpe-gpt2").stream_encoder()
    >>> encoder.feed("Hello wor"), encoder.held, encoder.feed("ld"), encoder.finish()
    ([40, 3525], 4, [], [341, 291, 2118])
    """

    def __init__(
        self,
        rules: Pipeline,
        model: ModelParts,
        affixes: Affixes,
        add_special_tokens: bool = True,
        errors: ByteErrors = "strict",
    ) -> None:
        if errors not in ("strict", "replace"):
            raise ReftokError(f"errors {errors!r:.60} is neither 'strict' nor 'replace'")
        self._rules, self._model = rules, model
        self._add_special_tokens = add_special_tokens
        self._errors: ByteErrors = errors
        self._affixes = affixes
        self.reset()

    def reset(self) -> None:
        """Forget everything: what comes next is another text."""
        self._chain = Chain(self._rules, self._model)
        self._ids = [*self._affixes.prefix]
        self._reader = ChunkReader(self._rules.library, self._errors)
        self._fed = 0
        self._end = ""

    @property
    def held(self) -> int:
        """How many code points have come whose ids have not been given, in the text that the stages have made."""
        if self._end:
            return 0
        return (self._fed if self._affixes.buffered_by else self._chain.held) + bool(self._reader.waiting)

    @property
    def held_until_end(self) -> tuple[str, ...]:
        """Which stages cannot decide anything before the end of a text or of a part of it, and why.

        >>> import reftok
        >>> reftok.load("bpe-gpt2").stream_encoder().held_until_end
        ()
        """
        return (*filter(None, (self._affixes.buffered_by,)), *self._chain.why_uncut)

    def feed(self, text: str) -> list[int]:
        """The ids that have become final with this chunk.

        Raises InvalidText for what is no text, and, if the library takes UTF-8 only, within a character that
        `feed_bytes` began: the stream is then as if the chunk had not come. Raises InvalidText and ModelFormatError if
        a stage refuses the text, and StreamFinished after that and after `finish`, until `reset`.
        """
        self._refuse_if_ended()
        return self._taken(self._reader.from_str(text))

    def feed_bytes(self, data: bytes) -> list[int]:
        """The same for bytes of UTF-8, which may be cut within a character.

        Bytes that are not UTF-8 are what they are to `encode` of sentencepiece and llama.cpp, whatever `errors` is.
        Other libraries raise InvalidText for them, and the stream is as if the chunk had not come; or they are U+FFFD,
        with errors="replace".
        """
        self._refuse_if_ended()
        return self._taken(self._reader.from_bytes(data))

    def finish(self) -> list[int]:
        """The ids that were held, and those that the post-processor puts behind the text.

        Raises InvalidText within a character, and the stream goes on: its other bytes may still come.
        """
        self._refuse_if_ended()
        ids = self._taken(self._reader.end(), ends=True)
        self._end = "the stream is finished"
        if self._affixes.buffered_by:
            return ids_behind_model(self._rules, ids, self._add_special_tokens)
        return [*ids, *self._affixes.suffix]

    def _taken(self, text: str, ends: bool = False) -> list[int]:
        """Take a text, and the ids that are final."""
        try:
            self._ids += self._chain.take(text, ends)
        except BaseException:
            # A stage may be in the middle of something.
            self._end = "the stream has ended with an error"
            raise
        self._fed += len(text)
        if self._affixes.buffered_by and not ends:
            return []
        ids, self._ids = self._ids, []
        return ids

    def _refuse_if_ended(self) -> None:
        if self._end:
            raise StreamFinished(f"{self._end}: reset() makes it ready for another text")


def ids_of_chunks(encoder: StreamEncoder, chunks: Iterable[str | bytes]) -> Iterator[int]:
    """See `Tokenizer.encode_iterable`. encoder: a new one."""
    for chunk in chunks:
        if not isinstance(chunk, str | bytes | bytearray | memoryview):
            raise InvalidText(f"a chunk is str or bytes, not {type(chunk).__name__}")
        yield from encoder.feed(chunk) if isinstance(chunk, str) else encoder.feed_bytes(chunk)
    yield from encoder.finish()
