"""A tokenizer as its stages, and the order in which a text goes through them; the same for all families.

    text ─AddedTokens─▶ ─Normalizer─▶ ─AddedTokens─▶ ─PreTokenizer─▶ ─Model─▶ tokens of a text, or of each of a pair
    tokens ─Truncation─▶ ─PostProcessor─▶ ─Padding─▶ Encoding
    ids ─vocab─▶ tokens ─Decoder─▶ text

Source: `TokenizerImpl` in tokenizers 0.23 (tokenizer/mod.rs). A sentencepiece model is the same pipeline with no added
tokens (its user-defined symbols belong to the normalizer and the model) and no pre-tokenizer. llama.cpp decodes ids to
bytes without decoders.

This is the specification, and it can be run: each stage does what its module says, and nothing is cached.
`reftok.Tokenizer` gives the same answers faster, and in streams.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, SupportsIndex, TypeAlias

from reftok.chat.templates import ChatTemplates
from reftok.errors import InvalidIds, InvalidText, UnsupportedFeature
from reftok.limits.growth import Growth, refuse_expansion
from reftok.limits.ids import checked_ids, whole_number
from reftok.regex_dialects.executor import Deadline
from reftok.rules.encodings import byte_offsets, joined, texts_and_pairs, to_encoding
from reftok.rules.huggingface.added_tokens import AddedVocabulary
from reftok.rules.huggingface.padding import Padding
from reftok.rules.huggingface.post_processors import default_processing
from reftok.rules.huggingface.truncation import Truncation
from reftok.rules.llama_cpp.stages import Detokenizer
from reftok.rules.llama_cpp.vocab import SPECIAL
from reftok.rules.sentencepiece.model import PieceModel
from reftok.rules.sentencepiece.options import SentencePieceOptions, apply_options
from reftok.rules.sentencepiece.pieces import PieceTable, PieceType
from reftok.rules.stages import Decoder, Model, Normalizer, PostProcessor, PreTokenizer
from reftok.rules.text import NormalizedString, Part
from reftok.rules.trace import DecoderStep, DecodingTrace, Record, StageTrace, Trace
from reftok.rules.types import Encoding

Library = Literal["tokenizers", "sentencepiece", "tiktoken", "llama.cpp", "mistral-common"]

TokensOf: TypeAlias = Callable[[str, int], Encoding]
"""The tokens of a checked text, before the stages behind the model; 1 for the second text of a pair, else 0."""

Note: TypeAlias = Callable[[str, object, list[Part]], None]
"""Receives the name of a stage, its component and the parts of the text after it."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The stages of a tokenizer, as its official library would build them from the same file.

    library: the official library whose answers these are, quirks included.
    normalizers, pre_tokenizers, post_processors, decoders: the stages, sequences flattened.
    post_processors: None if the file has none; a pair is then the tokens of both texts.
    decoders: None if the file has none; the tokens are then joined with a space, as `tokenizers` does. With () they
        are joined without.
    truncation, padding: as in the file.
    encode_special_tokens: treat added tokens that are special as ordinary text; of `tokenizers` and llama.cpp (where it
        is `parse_special` switched off), and not in their files:
        `tokenizer.with_options(encode_special_tokens=True)`.
    sentencepiece_options: bos, eos, the reverse order, the name of the unknown piece; set in the same way.
    named_ids: name ("eos") to the id that the files give, None if they say that there is none; see
        `reftok.formats.named_ids`.
    chat_templates: of the files; rendered by `reftok.chat`, None if there are none.
    detokenizer: replaces the decoders for llama.cpp, where ids become bytes directly.

    >>> import reftok
    >>> pipeline = reftok.load("bpe-gpt2").rules
    >>> encoding = pipeline.encode("Hello world")
    >>> pipeline.decode(encoding.ids)
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
    chat_templates: ChatTemplates | None = None
    detokenizer: Detokenizer | None = None

    # --- from text to ids

    def encode(self, text: str | bytes, pair: str | None = None, add_special_tokens: bool = True) -> Encoding:
        """Token ids with their tokens and offsets; arguments and errors are those of `reftok.Tokenizer.encode`."""
        return self.encode_with(self.tokens_of, text, pair, add_special_tokens)

    def encode_with(
        self, tokens_of: TokensOf, text: str | bytes, pair: str | None, add_special_tokens: bool
    ) -> Encoding:
        """As `encode`; the stages up to the model are run by `tokens_of`, which gives what the method gives."""
        checked = self.checked_text(text)
        encodings = [tokens_of(checked, 0)]
        if pair is not None:
            if not isinstance(pair, str):
                raise InvalidText(f"the second text: {self._not_text(pair)}")
            if self.library != "tokenizers":
                raise InvalidText(f"{self.library} does not encode pairs of texts")
            encodings.append(tokens_of(self.checked_text(pair), 1))
        encoding = self.post_process(encodings, len(checked), add_special_tokens)
        return encoding if isinstance(text, str) else byte_offsets(encoding, checked)

    def encode_batch(
        self, texts: Iterable[str | bytes | tuple[str, str]], add_special_tokens: bool = True
    ) -> list[Encoding]:
        """The encodings of texts and of pairs of texts."""
        return self.padded([self.encode(*pair, add_special_tokens) for pair in texts_and_pairs(texts)])

    def padded(self, encodings: list[Encoding]) -> list[Encoding]:
        """The encodings of a batch, padded to one length if the file says so."""
        return encodings if self.padding is None else self.padding.pad(encodings)

    def encode_ids(self, text: str | bytes, pair: str | None = None, add_special_tokens: bool = True) -> list[int]:
        """The ids of `encode`."""
        return list(self.encode(text, pair, add_special_tokens).ids)

    def trace(self, text: str | bytes, *, add_special_tokens: bool = True) -> Trace:
        """The input and output of every stage: see `reftok.Tokenizer.trace`."""
        checked = self.checked_text(text)
        record: Record[StageTrace] = Record(len(checked))

        def note(stage: str, component: object, parts: list[Part]) -> None:
            record.add(StageTrace(stage, component, parts), sum(1 + len(part.normalized) for part in parts))

        parts = self.tokenized(checked, note)
        encoding = self.post_process([to_encoding(parts)], len(checked), add_special_tokens, record)
        shown = text if isinstance(text, str) else text.decode("utf-8", "backslashreplace")
        return Trace(shown, tuple(record.steps), encoding)

    def tokens_of(self, text: str, sequence_id: int = 0) -> Encoding:
        """The tokens of a text as the model gives them, before truncation and post-processing.

        text: as `checked_text` gives it. sequence_id: 1 for the second text of a pair.
        """
        return to_encoding(self.tokenized(text), sequence_id)

    def tokenized(self, text: str, note: Note = lambda *_: None) -> list[Part]:
        """The parts of the text after the model, each with its tokens."""
        parts = [
            part if part.tokens is not None else Part(part.normalized, tuple(self.model.tokenize(part.normalized.text)))
            for part in self.pre_tokenized(text, note)
        ]
        note("Model", self.model, parts)
        return parts

    def pre_tokenized(self, text: str, note: Note = lambda *_: None) -> list[Part]:
        """The parts of the text that the model receives: pre-tokens, and between them the added tokens.

        >>> import reftok
        >>> [split.normalized.text for split in reftok.load("bpe-qwen").rules.pre_tokenized("a b<|endoftext|>")]
        ['a', 'Ġb', '<|endoftext|>']
        """
        with Deadline(len(text)):  # one for the patterns of all stages
            parts = self.normalized(text, note)
            for pre_tokenizer in self.pre_tokenizers:
                parts = pre_tokenizer.pre_tokenize(parts)
                note("PreTokenizer", pre_tokenizer, parts)
        return parts

    def normalized(self, text: str, note: Note = lambda *_: None) -> list[Part]:
        """The parts of the text that the pre-tokenizers receive: normalized text, and between it the added tokens.

        Raises ModelFormatError if the normalizers make the text too long, or very many of them go over a long one.

        >>> import reftok
        >>> [split.normalized.text for split in reftok.load("bpe-qwen").rules.normalized("e\u0301<|endoftext|>b")]
        ['é', '<|endoftext|>', 'b']
        """
        added_tokens, ignores_special = self.added_tokens, self.encode_special_tokens
        parts = added_tokens.split_raw([Part(NormalizedString(text))], ignores_special)
        note("AddedTokens", added_tokens, parts)
        growth = Growth(len(text), len(self.normalizers))
        for normalizer in self.normalizers:
            parts = [part if part.tokens is not None else Part(normalizer.normalize(part.normalized)) for part in parts]
            growth.add(sum(len(part.normalized) for part in parts))
            note("Normalizer", normalizer, parts)
        # Tokens with `normalized` are matched now, in what the normalizers have left of the text.
        parts = added_tokens.split_normalized(parts, ignores_special)
        note("AddedTokens", added_tokens, parts)
        return parts

    def post_process(
        self, parts: list[Encoding], size: int, add_special_tokens: bool, record: Record[StageTrace] | None = None
    ) -> Encoding:
        """The encoding that the stages after the model make of the tokens of a text, or of both texts of a pair.

        parts: as `tokens_of` gives them. size: of the text, in code points. record: receives each step.
        """

        def note(stage: str, component: object, parts: list[Encoding]) -> None:
            if record is not None:
                encoding = joined(parts)
                record.add(StageTrace(stage, component, encoding), len(encoding))

        if self.truncation is not None:
            # Truncation comes first, and leaves room for what the post-processors will insert.
            added = sum(step.added_tokens(len(parts) == 2) for step in self.post_processors or ())
            parts = self.truncation.truncate(parts, added if add_special_tokens else 0)
            note("Truncation", self.truncation, parts)
        if self.post_processors is None:
            parts = [default_processing(parts)]
        else:
            for processor in self.post_processors:
                parts = processor.process(parts, add_special_tokens)
                note("PostProcessor", processor, parts)
            parts = [joined(parts)]  # processors before the last one leave parts, so that a later one sees them
        if self.padding is not None:
            parts = self.padding.pad(parts)
            note("Padding", self.padding, parts)
        if self.sentencepiece_options is None:
            return parts[0]
        encoding = apply_options(parts[0], self.sentencepiece_options, self.piece_table(), size)
        note("PostProcessor", self.sentencepiece_options, [encoding])
        return encoding

    def checked_text(self, text: str | bytes) -> str:
        """The text as str, as the stages expect it. Raises InvalidText for what the library refuses.

        sentencepiece and llama.cpp accept bytes: those that are not UTF-8 become lone surrogates U+DC80 to U+DCFF.
        tiktoken and mistral-common accept surrogates: a pair becomes its character, a lone one becomes U+FFFD.
        """
        if isinstance(text, bytes):
            if self.library not in ("sentencepiece", "llama.cpp"):
                raise InvalidText(f"{self.library} takes str, not bytes: decode them first")
            return text.decode("utf-8", "surrogateescape")
        if not isinstance(text, str):
            raise InvalidText(self._not_text(text))
        if text.isascii():
            return text
        if self.library in ("tiktoken", "mistral-common"):
            # Through UTF-16, as tiktoken does it: there two surrogates are one character.
            return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise InvalidText(
                f"lone surrogate U+{ord(text[error.start]):04X} at code point {error.start}: "
                f"not a text; {self.library} refuses it too"
            ) from None
        return text

    def _not_text(self, value: object) -> str:
        if isinstance(value, list | tuple) and self.library == "tokenizers":
            return "a list of words needs is_pretokenized=True of tokenizers, which reftok does not have: pass one text"
        return f"{self.library} takes str, not {type(value).__name__}"

    # --- from ids to text

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = True) -> str:
        """The text of `ids`; arguments and errors are those of `reftok.Tokenizer.decode`."""
        return self.decoded(checked_ids(ids), skip_special_tokens)

    def trace_decode(self, ids: Iterable[int], skip_special_tokens: bool = True) -> DecodingTrace:
        """The input and output of every decoder: see `reftok.Tokenizer.trace_decode`."""
        checked = checked_ids(ids)
        record: Record[DecoderStep] = Record(len(checked))
        text = self.decoded(checked, skip_special_tokens, record)
        return DecodingTrace(checked, tuple(record.steps), text)

    def decode_bytes(self, ids: Iterable[int], skip_special_tokens: bool = True) -> bytes:
        """The bytes of `ids`, for llama.cpp only: see `reftok.Tokenizer.decode_bytes`."""
        if self.detokenizer is None:
            raise UnsupportedFeature("", "decode_bytes", f"{self.library} decodes ids to text: use decode")
        return self.detokenizer.decode(checked_ids(ids), skip_special_tokens, not skip_special_tokens)

    def decoded(self, ids: Sequence[int], skip_special_tokens: bool, record: Record[DecoderStep] | None = None) -> str:
        """The text of checked ids; `record` receives each step."""
        if self.detokenizer is not None:
            text = self.decode_bytes(ids, skip_special_tokens).decode("utf-8", "replace")
            if record is not None:
                before = tuple(self.id_to_token(token_id) or "" for token_id in ids)
                record.add(DecoderStep(type(self.detokenizer).__name__, before, (text,)), len(ids))
            return text
        found = (self.decodable_token(token_id, skip_special_tokens) for token_id in ids)
        return self.decode_tokens([token for token in found if token is not None], record)

    def decode_tokens(self, tokens: list[str], record: Record[DecoderStep] | None = None) -> str:
        """The text that the decoders make of tokens; `record` receives each step."""
        size = sum(map(len, tokens))
        with Deadline(size):
            for decoder in self.decoders or ():
                before, tokens = tuple(tokens), decoder.decode_chain(tokens)
                refuse_expansion(sum(map(len, tokens)), size, "decoder")
                if record is not None:
                    step = DecoderStep(type(decoder).__name__, before, tuple(tokens))
                    record.add(step, sum(1 + len(token) for token in tokens))
        return (" " if self.decoders is None else "").join(tokens)

    def decodable_token(self, token_id: int, skip_special_tokens: bool) -> str | None:
        """The token that `decode` puts in place of an id; None if it skips the id."""
        token = self.id_to_token(token_id)
        if token is None:
            if self.library != "tokenizers":
                raise InvalidIds(f"id {token_id} is not in the vocab, and {self.library} refuses it")
            return None
        if self.library == "mistral-common":
            # An empty token, so that the bytes on its two sides do not become one character: see `TekkenBytes`.
            return "" if skip_special_tokens and token_id in self.added_tokens.tokens else token
        return None if skip_special_tokens and self.added_tokens.is_special(token) else token

    # --- the vocab

    def id_to_token(self, token_id: SupportsIndex | None) -> str | None:
        """The token of an id; None for an id outside the vocab, and for what is no whole number."""
        number = whole_number(token_id)
        if number is None:
            return None
        token = self.added_tokens.id_to_token(number)
        return self.model.id_to_token(number) if token is None else token

    def token_to_id(self, token: str) -> int | None:
        """The id of an added token or of an entry of the vocab; None if there is none."""
        token_id = self.added_tokens.token_to_id(token)
        return self.model.vocab.get(token) if token_id is None else token_id

    @property
    def vocab_size(self) -> int:
        """How many ids there are, added tokens included."""
        # An added token whose content is in the vocab has the vocab's id.
        return self.model.size + sum(token not in self.model.vocab for token in self.added_tokens.contents)

    def is_special(self, token_id: SupportsIndex | None) -> bool:
        """Whether the id is a special added token, a control piece or, for llama.cpp, a control or unknown token."""
        number = whole_number(token_id)
        if number is None:
            return False
        if self.detokenizer is not None:
            attributes = self.detokenizer.vocab.attributes
            return 0 <= number < len(attributes) and bool(attributes[number] & SPECIAL)
        if isinstance(self.model, PieceModel):
            pieces = self.model.table.pieces
            return 0 <= number < len(pieces) and pieces[number].type is PieceType.CONTROL
        token = self.added_tokens.tokens.get(number)
        return token is not None and token.special

    def piece_table(self) -> PieceTable:
        """The pieces of a sentencepiece model. Raises UnsupportedFeature for any other model."""
        if not isinstance(self.model, PieceModel):
            raise UnsupportedFeature("", "sentencepiece_options", f"{self.library} does not have them")
        return self.model.table
