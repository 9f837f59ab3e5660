"""The order of the stages, written once for both families.

    text ─AddedTokens─▶ ─Normalizer─▶ ─AddedTokens─▶ ─PreTokenizer─▶ ─Model─▶ tokens of a text, or of each of a pair
    tokens ─Truncation─▶ ─PostProcessor─▶ ─Padding─▶ Encoding
    ids ─vocab─▶ tokens ─Decoder─▶ text

Source: `TokenizerImpl` in tokenizers 0.23 (tokenizer/mod.rs). A sentencepiece model is the same line with no added
tokens (its user-defined symbols belong to the normalizer and the model) and no pre-tokenizer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, SupportsIndex

from reftok.engine.decode.states import DecodingStates, decodable_tokens
from reftok.engine.encode.states import EncodingStates
from reftok.engine.offsets.encoding import twin_encoding
from reftok.engine.offsets.sentencepiece import sentencepiece_encoding
from reftok.errors import InvalidIds, InvalidText, UnsupportedFeature
from reftok.spec.added_tokens import AddedVocabulary
from reftok.spec.encodings import byte_offsets, joined, text_and_pair
from reftok.spec.ids import checked_ids, whole_number
from reftok.spec.named_ids import NamedId, is_special
from reftok.spec.normalized_splits import normalized_splits
from reftok.spec.padding import Padding
from reftok.spec.postprocessors import default_processing
from reftok.spec.sentencepiece.model import PieceModel
from reftok.spec.sentencepiece.options import SentencePieceOptions, apply_options
from reftok.spec.sentencepiece.pieces import PieceTable
from reftok.spec.stages import Decoder, Model, Normalizer, PostProcessor, PreTokenizer
from reftok.spec.text import Split, refuse_expansion
from reftok.spec.trace import DecoderStep, DecodingTrace, StageTrace, Trace, to_encoding
from reftok.spec.truncation import Truncation
from reftok.spec.types import Encoding

if TYPE_CHECKING:
    from reftok.engine.decode.stream import StreamDecoder, TextCallback
    from reftok.engine.encode.stream import ByteErrors, StreamEncoder

Library = Literal["tokenizers", "sentencepiece", "tiktoken", "llama.cpp"]


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A tokenizer as its official library would build it from the same file.

    library: the official library that it follows, quirks included.
    normalizers, pre_tokenizers, post_processors, decoders: the stages, sequences flattened.
    post_processors: None where the file has none; a pair is then the tokens of both texts.
    decoders: None where the file has none; the tokens are then joined with a space, as `tokenizers` does.
    truncation, padding: as in the file.
    encode_special_tokens: treat added tokens that are special as ordinary text; of `tokenizers`, and not in its files:
        `dataclasses.replace(tokenizer, encode_special_tokens=True)`.
    sentencepiece_options: bos, eos, the reverse order, the name of the unknown piece; set in the same way.
    named_ids: by name ("eos"), what the files say; None where they say that there is none. See `reftok.spec.named_ids`.
    decoding_states: what its streams remember, those that keep special tokens and those that skip them.
    encoding_states: what its encoders have in common.

    >>> import reftok
    >>> tokenizer = reftok.load("bpe-gpt2")
    >>> encoding = tokenizer.encode("Hello world")
    >>> tokenizer.decode(encoding.ids)
    'Hello world'
    """

    library: Library
    model: Model
    added_tokens: AddedVocabulary
    normalizers: tuple[Normalizer, ...] = ()
    pre_tokenizers: tuple[PreTokenizer, ...] = ()
    post_processors: tuple[PostProcessor, ...] | None = None
    decoders: tuple[Decoder, ...] | None = ()
    truncation: Truncation | None = None
    padding: Padding | None = None
    encode_special_tokens: bool = False
    sentencepiece_options: SentencePieceOptions | None = None
    named_ids: Mapping[str, int | None] = field(default_factory=dict)
    decoding_states: tuple[DecodingStates, DecodingStates] = field(
        default_factory=lambda: (DecodingStates(), DecodingStates()), init=False, repr=False, compare=False
    )

    encoding_states: EncodingStates = field(default_factory=EncodingStates, init=False, repr=False, compare=False)

    def encode(self, text: str | bytes, pair: str | None = None, add_special_tokens: bool = True) -> Encoding:
        """Token ids with their tokens and offsets.

        text: str, or bytes where the library takes them (sentencepiece; the offsets then count bytes).
        pair: a second text (`tokenizers` only).
        add_special_tokens: let the post-processor insert the special tokens of its template.
        Raises InvalidText for what the official library refuses (lone surrogates, bytes, what is no text, a pair, a
        text that cannot be truncated as the file says) and where a pattern takes too long; ModelFormatError for a
        character that needs an unknown token the file does not have, and where the normalizers or added tokens that
        overlap blow the text up.
        """
        encodings = [self._encoding(text)]
        if pair is not None:
            if not isinstance(pair, str):
                raise InvalidText(f"the second text: {self.library} takes str, not {type(pair).__name__}")
            if self.library != "tokenizers":
                raise InvalidText(f"{self.library} does not encode pairs of texts")
            encodings.append(self._encoding(pair, sequence_id=1))
        encoding = self._post_processed(encodings, add_special_tokens, None)
        encoding = self._with_options(encoding, text, None)
        return encoding if isinstance(text, str) else byte_offsets(encoding, self._checked(text))

    def _encoding(self, text: str | bytes, sequence_id: int = 0) -> Encoding:
        """The tokens that come from the model."""
        found = None
        if self.library == "sentencepiece":
            found = sentencepiece_encoding(self, self._checked(text))
        elif isinstance(text, str):
            found = twin_encoding(self, text, sequence_id)
        return to_encoding(self._splits(text, None), sequence_id) if found is None else found

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
        from reftok.engine.encode.stream import StreamEncoder

        return StreamEncoder(self, add_special_tokens, errors)

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
        from reftok.engine.encode.stream import ids_of_chunks

        return ids_of_chunks(self.stream_encoder(add_special_tokens, errors=errors), chunks)

    def encode_batch(
        self, texts: Iterable[str | bytes | tuple[str, str]], add_special_tokens: bool = True
    ) -> list[Encoding]:
        """The encodings of texts and of pairs of texts, padded to one length where the file says so.

        >>> import reftok
        >>> [encoding.tokens for encoding in reftok.load("bpe-gpt2").encode_batch(["a b", ("a", "b")])]
        [['a', 'Ġb'], ['a', 'b']]
        """
        given: object = texts
        if isinstance(given, str | bytes) or not isinstance(given, Iterable):
            raise InvalidText(f"encode_batch takes a list of texts, not {type(texts).__name__}")
        encodings = [self.encode(*text_and_pair(text), add_special_tokens) for text in texts]
        return encodings if self.padding is None else self.padding.pad(encodings)

    def encode_ids(self, text: str | bytes, pair: str | None = None, add_special_tokens: bool = True) -> list[int]:
        """The ids of `encode`, and nothing else: the fast path, on the stages of a stream.

        Several threads may encode at the same time.
        """
        if pair is not None:
            return list(self.encode(text, pair, add_special_tokens).ids)
        from reftok.engine.encode.post_processors import surroundings

        checked = self._checked(text)
        around = surroundings(self, add_special_tokens)
        chain = self.encoding_states.chain(self)
        ids = chain.whole(checked)
        self.encoding_states.idle.append(chain)
        if around.held_by:
            return self.ids_behind_model(ids, add_special_tokens)
        return [*around.before, *ids, *around.after] if around.before or around.after else ids

    def trace(self, text: str | bytes, *, add_special_tokens: bool = True) -> Trace:
        r"""What every stage took and gave.

        >>> import reftok
        >>> trace = reftok.load("bpe-qwen").trace("cafe\u0301 au lait")
        >>> [stage.component for stage in trace.stages]
        ['AddedVocabulary', 'NFC', 'AddedVocabulary', 'Split', 'ByteLevel', 'BPE', 'ByteLevel']
        >>> [piece.text for piece in trace.stages[3].pieces]
        ['café', ' au', ' lait']
        """
        record: list[StageTrace] = []
        encoding = self._post_processed([to_encoding(self._splits(text, record))], add_special_tokens, record)
        encoding = self._with_options(encoding, text, record)
        shown = text if isinstance(text, str) else text.decode("utf-8", "backslashreplace")
        return Trace(shown, tuple(record), encoding)

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = True) -> str:
        """The text of `ids`.

        skip_special_tokens: leave out added tokens that are special (`tokenizers`); sentencepiece always leaves
        out its control pieces.
        Raises InvalidIds for what is no list of ids from 0 to 2**32 - 1, and for an id outside the vocab where the
        library refuses it (`tokenizers` skips it); ModelFormatError where the decoders blow the text up.
        """
        return self._decoded(checked_ids(ids), skip_special_tokens, None)

    def trace_decode(self, ids: Iterable[int], skip_special_tokens: bool = True) -> DecodingTrace:
        """What every decoder took and gave.

        >>> import reftok
        >>> trace = reftok.load("spm-bpe-hf").trace_decode(reftok.load("spm-bpe-hf").encode("a ☃").ids)
        >>> [step.component for step in trace.steps], trace.text
        (['Replace', 'ByteFallback', 'Fuse', 'Strip'], 'a ☃')
        """
        record: list[DecoderStep] = []
        checked = checked_ids(ids)
        text = self._decoded(checked, skip_special_tokens, record)
        return DecodingTrace(checked, tuple(record), text)

    def ids_behind_model(self, ids: Sequence[int], add_special_tokens: bool) -> list[int]:
        """What the stages behind the model make of the ids of a text.

        Quirk: sentencepiece does not look at `emit_unk_piece` where it is asked for ids.
        """
        size = len(ids)
        encoding = Encoding(ids, [""] * size, [(0, 0)] * size, [0] * size, [None] * size, [0] * size)
        encoding = self._post_processed([encoding], add_special_tokens, None)
        if self.sentencepiece_options is not None:
            options = replace(self.sentencepiece_options, emit_unk_piece=False)
            encoding = apply_options(encoding, options, self._piece_table(), size)
        return list(encoding.ids)

    def stream_decoder(self, skip_special_tokens: bool = True) -> StreamDecoder:
        """Text while the ids are still coming, together that of `decode`; the state object belongs to one stream.

        >>> import reftok
        >>> decoder = reftok.load("bpe-gpt2").stream_decoder()
        >>> [decoder.feed(token_id) for token_id in (40, 3525, 342, 247, 226)], decoder.finish()
        (['H', 'ello', ' ', '', '☃'], '')
        """
        from reftok.engine.decode.stream import StreamDecoder

        return StreamDecoder(self, skip_special_tokens)

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
        from reftok.engine.decode.stream import decode_with_callback

        return decode_with_callback(self.stream_decoder(skip_special_tokens), ids, callback)

    bos_id, eos_id, pad_id, unk_id = NamedId("bos"), NamedId("eos"), NamedId("pad"), NamedId("unk")
    eot_id, im_start_id, im_end_id = NamedId("eot"), NamedId("im_start"), NamedId("im_end")

    def is_special(self, token_id: SupportsIndex | None) -> bool:
        """Whether the id is a special added token, a control piece or, for llama.cpp, a control or unknown token.

        What is no whole number is not special: `is_special(tokenizer.pad_id)` is False where there is no pad.
        """
        return is_special(self, token_id)

    def id_to_token(self, token_id: SupportsIndex | None) -> str | None:
        """The token of an id, None where there is none, and for what is no whole number."""
        number = whole_number(token_id)
        if number is None:
            return None
        token = self.added_tokens.id_to_token(number)
        return self.model.id_to_token(number) if token is None else token

    def token_to_id(self, token: str) -> int | None:
        """The id of a token of the vocab or an added token, None where there is none."""
        token_id = self.added_tokens.token_to_id(token)
        return self.model.vocab.get(token) if token_id is None else token_id

    @property
    def vocab_size(self) -> int:
        """How many ids there are, added tokens included."""
        return self.model.size + sum(token not in self.model.vocab for token in self.added_tokens.contents)

    def _piece_table(self) -> PieceTable:
        if not isinstance(self.model, PieceModel):
            raise UnsupportedFeature("", "sentencepiece_options", f"{self.library} does not have them")
        return self.model.table

    def _decoded(self, ids: Sequence[int], skip_special_tokens: bool, record: list[DecoderStep] | None) -> str:
        """The tokens of `ids` taken through every decoder; `record` receives each step."""
        tokens = decodable_tokens(self, ids, skip_special_tokens)
        size = sum(map(len, tokens))
        for decoder in self.decoders or ():
            before, tokens = tokens, decoder.decode_chain(tokens)
            refuse_expansion(sum(map(len, tokens)), size, "decoder")
            if record is not None:
                record.append(DecoderStep(type(decoder).__name__, tuple(before), tuple(tokens)))
        return (" " if self.decoders is None else "").join(tokens)

    def decodable_token(self, token_id: int, skip_special_tokens: bool) -> str | None:
        """The token that `decode` takes for an id, None where it skips it."""
        token = self.id_to_token(token_id)
        if token is None:
            if self.library != "tokenizers":
                raise InvalidIds(f"id {token_id} is not in the vocab, and {self.library} refuses it")
            return None
        return None if skip_special_tokens and self.added_tokens.is_special(token) else token

    def _splits(self, text: str | bytes, record: list[StageTrace] | None) -> list[Split]:
        """The text taken through every stage up to the model; `record` receives each step."""

        def note(stage: str, component: object, splits: list[Split]) -> None:
            if record is not None:
                record.append(StageTrace(stage, component, splits))

        splits = normalized_splits(self, self._checked(text), note)
        for pre_tokenizer in self.pre_tokenizers:
            splits = pre_tokenizer.pre_tokenize(splits)
            note("PreTokenizer", pre_tokenizer, splits)
        tokenize = self.model.tokenize
        splits = [
            split if split.tokens is not None else Split(split.normalized, tuple(tokenize(split.normalized.text)))
            for split in splits
        ]
        note("Model", self.model, splits)
        return splits

    def _post_processed(
        self, parts: list[Encoding], add_special_tokens: bool, record: list[StageTrace] | None
    ) -> Encoding:
        """The tokens of a text, or of each of a pair, taken through every stage after the model."""

        def note(stage: str, component: object) -> None:
            if record is not None:
                record.append(StageTrace(stage, component, joined(parts)))

        if self.truncation is not None:
            added = sum(step.added_tokens(len(parts) == 2) for step in self.post_processors or ())
            parts = self.truncation.truncate(parts, added if add_special_tokens else 0)
            note("Truncation", self.truncation)
        if self.post_processors is None:
            parts = [default_processing(parts)]
        else:
            for processor in self.post_processors:
                parts = processor.process(parts, add_special_tokens)
                note("PostProcessor", processor)
            parts = [joined(parts)]
        if self.padding is not None:
            parts = self.padding.pad(parts)
            note("Padding", self.padding)
        return parts[0]

    def _with_options(self, encoding: Encoding, text: str | bytes, record: list[StageTrace] | None) -> Encoding:
        if self.sentencepiece_options is None:
            return encoding
        size = len(self._checked(text))
        encoding = apply_options(encoding, self.sentencepiece_options, self._piece_table(), size)
        if record is not None:
            record.append(StageTrace("PostProcessor", self.sentencepiece_options, encoding))
        return encoding

    def _checked(self, text: str | bytes) -> str:
        """`text` as str; for sentencepiece, bytes that are not UTF-8 come out as lone surrogates U+DC80 to U+DCFF."""
        if isinstance(text, bytes):
            if self.library != "sentencepiece":
                raise InvalidText(f"{self.library} takes str, not bytes: decode them first")
            return text.decode("utf-8", "surrogateescape")
        if not isinstance(text, str):
            raise InvalidText(f"{self.library} takes str, not {type(text).__name__}")
        if self.library == "tiktoken":
            return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise InvalidText(
                f"lone surrogate U+{ord(text[error.start]):04X} at code point {error.start}: "
                f"not a text; {self.library} refuses it too"
            ) from None
        return text
