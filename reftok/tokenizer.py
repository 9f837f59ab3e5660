"""The public tokenizer: the rules of `reftok.rules`, answered by the engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import SupportsIndex

from reftok.engine.encode.stream import ByteErrors, StreamEncoder, ids_of_chunks
from reftok.engine.engine import Engine
from reftok.errors import InvalidText
from reftok.rules.pipeline import Pipeline
from reftok.rules.trace import DecoderStep, Record
from reftok.rules.types import Encoding
from reftok.streams.decoder import StreamDecoder, TextCallback, decode_with_callback
from reftok.streams.decoder_row import decoder_row


@dataclass(frozen=True, slots=True)
class Tokenizer(Pipeline):
    """A tokenizer as its official library would build it from the same file.

    Its fields are those of `Pipeline`, and so are its answers; the engine finds them faster, and in streams. The same
    by the plain rules: `tokenizer.rules.encode(text)`. What a trace shows are always the plain rules.

    >>> import reftok
    >>> tokenizer = reftok.load("bpe-gpt2")
    >>> encoding = tokenizer.encode("Hello world")
    >>> tokenizer.decode(encoding.ids), tokenizer.rules.encode("Hello world") == encoding
    ('Hello world', True)
    """

    _engine: Engine | None = field(default=None, repr=False, compare=False, kw_only=True)

    def __post_init__(self) -> None:
        """A tokenizer that `dataclasses.replace` made of another shares what is known of their model."""
        spec = Pipeline(**{stage.name: getattr(self, stage.name) for stage in fields(Pipeline)})
        object.__setattr__(self, "_engine", Engine(spec, self._engine))

    @property
    def engine(self) -> Engine:
        """The fast paths, and what they remember."""
        assert self._engine is not None, "__post_init__ made one"
        return self._engine

    @property
    def rules(self) -> Pipeline:
        """The plain rules, to be run by themselves: `encode`, `decode` and `trace` without any fast path."""
        return self.engine.pipeline

    # --- from text to ids

    def tokens_of(self, text: str, sequence_id: int = 0) -> Encoding:
        return self.engine.tokens_of(text, sequence_id)

    def encode_ids(self, text: str | bytes, pair: str | None = None, add_special_tokens: bool = True) -> list[int]:
        """The ids of `encode`, and nothing else: the fast path, on the stages of a stream.

        Several threads may encode at the same time.
        """
        if pair is not None:
            return list(self.encode(text, pair, add_special_tokens).ids)
        return self.engine.ids(self.checked_text(text), add_special_tokens)

    def stream_encoder(self, add_special_tokens: bool = True, *, errors: ByteErrors = "strict") -> StreamEncoder:
        """Ids while the text is still coming; the state object belongs to one text.

        errors: "strict" refuses bytes that are not UTF-8, "replace" makes U+FFFD of them. Neither is done where the
            library takes such bytes: with a sentencepiece .model they never raise, nor with a GGUF file where llama.cpp
            goes on.
        Raises ReftokError, a ValueError, for other errors.

        >>> import reftok
        >>> encoder = reftok.load("bpe-gpt2").stream_encoder()
        >>> encoder.feed("Hello wor") + encoder.feed("ld") + encoder.finish()
        [40, 3525, 341, 291, 2118]
        """
        return self.engine.stream_encoder(add_special_tokens, errors)

    def encode_iterable(
        self, chunks: Iterable[str | bytes], add_special_tokens: bool = True, *, errors: ByteErrors = "strict"
    ) -> Iterator[int]:
        """The ids of a text that comes in chunks, each id as soon as it is final; bytes are those of UTF-8.

        chunks: str or bytes, or both by turns; bytes may be cut within a character.
        errors: as of `stream_encoder`.

        >>> import reftok
        >>> list(reftok.load("bpe-gpt2").encode_iterable(["Hello wor", "ld"]))
        [40, 3525, 341, 291, 2118]
        """
        given: object = chunks
        if isinstance(given, str | bytes) or not isinstance(given, Iterable):
            raise InvalidText(f"encode_iterable takes chunks of text, not {type(chunks).__name__}")
        return ids_of_chunks(self.stream_encoder(add_special_tokens, errors=errors), chunks)

    # --- from ids to text

    def decoded(self, ids: Sequence[int], skip_special_tokens: bool, record: Record[DecoderStep] | None = None) -> str:
        if record is not None:
            return self.rules.decoded(ids, skip_special_tokens, record)
        return self.engine.decoded(ids, skip_special_tokens)

    def stream_decoder(self, skip_special_tokens: bool = True) -> StreamDecoder:
        """Text while the ids are still coming, together that of `decode`; the state object belongs to one stream.

        >>> import reftok
        >>> decoder = reftok.load("bpe-gpt2").stream_decoder()
        >>> [decoder.feed(token_id) for token_id in (40, 3525, 342, 247, 226)], decoder.finish()
        (['H', 'ello', ' ', '', '☃'], '')
        """
        rows, skips = self.engine.decoder_rows, bool(skip_special_tokens)
        return StreamDecoder(rows.get(skips) or rows.setdefault(skips, decoder_row(self.rules, skips)))

    def decode_with_callback(
        self, ids: Iterable[SupportsIndex], callback: TextCallback, skip_special_tokens: bool = True
    ) -> str:
        """The text that was given to `callback(text, token_id, is_final)`: that of `decode`, unless it said stop.

        callback: called once for each id, in order, with the text that has become final with it, '' where there is
            none. The call for the last id has is_final set, and its text also has what was held until then. Where it
            returns False there are no more calls, and what was held is dropped. Anything else goes on: None, the 0 of
            a `write`, the False of numpy, which is another object.

        No ids, no call. Since the last call says so, the call for an id is made when the next one is known: a source
        that must not wait for that uses `stream_decoder`. Raises TypeError for a callback that cannot be called.

        >>> import reftok
        >>> reftok.load("bpe-gpt2").decode_with_callback([40, 3525, 247], lambda *call: print(call))
        ('H', 40, False)
        ('ello', 3525, False)
        ('�', 247, True)
        'Hello�'
        """
        return decode_with_callback(self.stream_decoder(skip_special_tokens), ids, callback)
