"""Ids while the text is still coming.

The text goes through a chain of stages, each of which hands on what no continuation can change any more and holds the
rest, so that the ids of all chunks together are those of the whole text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NoReturn, TypeAlias

from reftok.engine.encode.encoder import Encoder
from reftok.errors import InvalidText, ReftokError, StreamFinished
from reftok.fast.affixes import ids_behind_model
from reftok.streams.chunks import ChunkReader

ByteErrors: TypeAlias = Literal["strict", "replace"]
"""The treatment of bytes that are not UTF-8 where the library takes none: refuse them, or U+FFFD."""


class StreamEncoder:
    """The ids of one text that comes in chunks; made by `Tokenizer.stream_encoder`.

    The ids that `feed` and `finish` give are together those of `encode_ids`, wherever the text is cut, and each comes
    as soon as every stage knows that nothing that may follow can change it. An encoder belongs to one stream; a
    tokenizer may have many at a time, in several threads.

    >>> import reftok
    >>> encoder = reftok.load("bpe-gpt2").stream_encoder()
    >>> encoder.feed("Hello wor"), encoder.held, encoder.feed("ld"), encoder.finish()
    ([40, 3525], 4, [], [341, 291, 2118])
    """

    def __init__(self, encoder: Encoder, add_special_tokens: bool = True, errors: ByteErrors = "strict") -> None:
        if errors not in ("strict", "replace"):
            raise ReftokError(f"errors {errors!r:.60} is neither 'strict' nor 'replace'")
        self._encoder = encoder
        self._add_special_tokens = add_special_tokens
        self._errors: ByteErrors = errors
        self._affixes = encoder.affixes(add_special_tokens)
        self._holds_ids = bool(self._affixes.buffered_by)
        self.reset()

    def reset(self) -> None:
        """Forget everything: what comes next is another text."""
        self._chain = self._encoder.take_chain()
        self._chain.ids += self._affixes.prefix
        self._ids = self._chain.ids
        self._text = self._chain.text
        self._reader = ChunkReader(self._encoder.pipeline.library, self._errors)
        self._takes_ascii = False
        self._come = 0
        self._end = ""

    @property
    def held(self) -> int:
        """How many code points have come whose ids have not been given.

        They are counted where they are held: most often in the text that the normalizers have made, with the space
        that they put before it; a pattern behind ByteLevel holds bytes.
        """
        if self._end:
            return 0
        return (self._come if self._holds_ids else self._chain.held) + bool(self._reader.waiting)

    @property
    def held_until_end(self) -> tuple[str, ...]:
        """Which stages cannot decide anything before the end of a text or of a part of it, and why.

        >>> import reftok
        >>> reftok.load("bpe-gpt2").stream_encoder().held_until_end
        ()
        """
        return (*filter(None, (self._affixes.buffered_by,)), *self._chain.held_until_end)

    def feed(self, text: str) -> list[int]:
        """The ids that have become final with this chunk.

        Raises InvalidText for what is no text, as `encode_ids` does, and, where the library takes UTF-8 only, within a
        character that `feed_bytes` began: the stream is then as if the chunk had not come.
        Raises InvalidText and ModelFormatError where a stage refuses the text, and StreamFinished after that and after
        `finish`, until `reset`.
        """
        if self._takes_ascii and type(text) is str and text.isascii():
            if text:
                try:
                    self._text(text)
                except BaseException:
                    self._break()
        else:
            self._refuse_if_ended()
            self._take(self._reader.from_str(text))
        ids = self._ids
        if not ids or self._holds_ids:
            return []
        taken = ids[:]
        ids.clear()
        return taken

    def feed_bytes(self, data: bytes) -> list[int]:
        """The same for bytes of UTF-8, which may be cut within a character.

        Bytes that are not UTF-8 are what they are to `encode` of sentencepiece and llama.cpp, whatever `errors` is: a
        .model never refuses them. For the others they raise InvalidText, and the stream is as if the chunk had not
        come; or they are U+FFFD, with errors="replace".
        """
        self._refuse_if_ended()
        self._take(self._reader.from_bytes(data))
        return [] if self._holds_ids else self._chain.taken()

    def finish(self) -> list[int]:
        """The ids that were held, and those that the post-processor puts behind the text.

        Raises InvalidText within a character, and the stream goes on: its other bytes may still come.
        """
        self._refuse_if_ended()
        self._take(self._reader.end())
        self._takes_ascii = False
        try:
            self._chain.end()
        except BaseException:
            self._break()
        ids = self._chain.taken()
        self._end = "the stream is finished"
        self._encoder.put_back(self._chain)
        if self._holds_ids:
            return ids_behind_model(self._encoder.pipeline, ids, self._add_special_tokens)
        return [*ids, *self._affixes.suffix]

    def _break(self) -> NoReturn:
        """A stage may be in the middle of something: the stream cannot go on."""
        self._takes_ascii = False
        self._end = "the stream has ended with an error"
        raise

    def _refuse_if_ended(self) -> None:
        if self._end:
            raise StreamFinished(f"{self._end}: reset() makes it ready for another text")

    def _take(self, text: str) -> None:
        if text:
            try:
                self._text(text)
            except BaseException:
                self._break()
            self._come += len(text)
        self._takes_ascii = not (self._reader.waiting or self._holds_ids)


def ids_of_chunks(encoder: StreamEncoder, chunks: Iterable[str | bytes]) -> Iterator[int]:
    """See `Tokenizer.encode_iterable`. encoder: a new one."""
    for chunk in chunks:
        if not isinstance(chunk, str | bytes | bytearray | memoryview):
            raise InvalidText(f"a chunk is str or bytes, not {type(chunk).__name__}")
        yield from encoder.feed(chunk) if isinstance(chunk, str) else encoder.feed_bytes(chunk)
    yield from encoder.finish()
