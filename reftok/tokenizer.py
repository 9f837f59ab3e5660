"""The order of the stages, written once for both families.

    text ─AddedTokens─▶ ─Normalizer─▶ ─AddedTokens─▶ ─PreTokenizer─▶ ─Model─▶ ─PostProcessor─▶ Encoding
    ids  ─vocab─▶ tokens ─Decoder─▶ text

Source: `TokenizerImpl` in tokenizers 0.23 (tokenizer/mod.rs). A sentencepiece model is the same line with no added
tokens (its user-defined symbols belong to the normalizer and the model) and no pre-tokenizer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Literal, cast

from reftok.added_tokens import AddedVocabulary
from reftok.errors import InvalidIds, InvalidText
from reftok.postprocessors import joined
from reftok.sentencepiece_normalizer import SentencePieceNormalizer
from reftok.stages import Decoder, Model, Normalizer, PostProcessor, PreTokenizer, WholeTextModel
from reftok.text import NormalizedString, Split, refuse_expansion
from reftok.trace import StageTrace, Trace, to_encoding
from reftok.types import Encoding

Library = Literal["tokenizers", "sentencepiece", "tiktoken"]


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A tokenizer as its official library would build it from the same file.

    library: the official library that it follows, quirks included.
    normalizers, pre_tokenizers, post_processors, decoders: the stages, sequences flattened.
    decoders: None where the file has none; the tokens are then joined with a space, as `tokenizers` does.

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
    post_processors: tuple[PostProcessor, ...] = ()
    decoders: tuple[Decoder, ...] | None = ()

    def encode(self, text: str | bytes, add_special_tokens: bool = True) -> Encoding:
        """Token ids with their tokens and offsets.

        text: str, or bytes where the library takes them (sentencepiece; the offsets then count bytes).
        add_special_tokens: let the post-processor insert the special tokens of its template.
        Raises InvalidText for what the official library refuses (lone surrogates, bytes, what is no text) and where a
        pattern takes too long; ModelFormatError for a character that needs an unknown token the file does not have,
        and where the normalizers blow the text up.
        """
        parts = [to_encoding(self._splits(text, None))]
        for processor in self.post_processors:
            parts = processor.process(parts, add_special_tokens)
        encoding = joined(parts)
        return encoding if isinstance(text, str) else byte_offsets(encoding, self._checked(text))

    def encode_ids(self, text: str | bytes, add_special_tokens: bool = True) -> list[int]:
        """The ids of `encode`, and nothing else. The stages of sentencepiece give them without any offsets."""
        if self.library != "sentencepiece":
            return list(self.encode(text, add_special_tokens).ids)
        checked = normalized = self._checked(text)
        for step in self.normalizers:
            normalized, _ = cast(SentencePieceNormalizer, step).rewrite(normalized)
        refuse_expansion(len(normalized), len(checked))
        return cast(WholeTextModel, self.model).token_ids(normalized)

    def trace(self, text: str | bytes, add_special_tokens: bool = True) -> Trace:
        r"""What every stage took and gave.

        >>> import reftok
        >>> trace = reftok.load("bpe-qwen").trace("cafe\u0301 au lait")
        >>> [stage.component for stage in trace.stages]
        ['AddedVocabulary', 'NFC', 'AddedVocabulary', 'Split', 'ByteLevel', 'BPE', 'ByteLevel']
        >>> [piece.text for piece in trace.stages[3].pieces]
        ['café', ' au', ' lait']
        """
        record: list[StageTrace] = []
        parts = [to_encoding(self._splits(text, record))]
        for processor in self.post_processors:
            parts = processor.process(parts, add_special_tokens)
            record.append(StageTrace("PostProcessor", processor, joined(parts)))
        shown = text if isinstance(text, str) else text.decode("utf-8", "backslashreplace")
        return Trace(shown, tuple(record), joined(parts))

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = True) -> str:
        """The text of `ids`.

        skip_special_tokens: leave out added tokens that are special (`tokenizers`); sentencepiece always leaves
        out its control pieces.
        Raises InvalidIds for what is no list of ids from 0 to 2**32 - 1, and for an id outside the vocab where the
        library refuses it (`tokenizers` skips it).
        """
        given: object = ids
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise InvalidIds(f"decode takes a list of ids, not {type(ids).__name__}")
        tokens = [token for token_id in ids if (token := self._decodable(token_id, skip_special_tokens)) is not None]
        if self.decoders is None:
            return " ".join(tokens)
        for decoder in self.decoders:
            tokens = decoder.decode_chain(tokens)
        return "".join(tokens)

    def id_to_token(self, token_id: int) -> str | None:
        """The token of an id, None where there is none."""
        token = self.added_tokens.id_to_token(token_id)
        return self.model.id_to_token(token_id) if token is None else token

    def token_to_id(self, token: str) -> int | None:
        """The id of a token of the vocab or an added token, None where there is none."""
        token_id = self.added_tokens.token_to_id(token)
        return self.model.vocab.get(token) if token_id is None else token_id

    @property
    def vocab_size(self) -> int:
        """How many ids there are, added tokens included."""
        return len(self.model.vocab) + sum(token not in self.model.vocab for token in self.added_tokens.contents)

    def _decodable(self, token_id: int, skip_special_tokens: bool) -> str | None:
        if not isinstance(token_id, int) or not 0 <= token_id < 1 << 32:
            raise InvalidIds(f"{token_id!r:.60} is not an id: a whole number from 0 to {(1 << 32) - 1}")
        token = self.id_to_token(token_id)
        if token is None:
            if self.library != "tokenizers":
                raise InvalidIds(f"id {token_id} is not in the vocab, and {self.library} refuses it")
            return None
        return None if skip_special_tokens and self.added_tokens.is_special(token) else token

    def _splits(self, text: str | bytes, record: list[StageTrace] | None) -> list[Split]:
        """The text taken through every stage up to the model; `record` receives each step."""

        def note(stage: str, component: object) -> None:
            if record is not None:
                record.append(StageTrace(stage, component, splits))

        checked = self._checked(text)
        splits = [Split(NormalizedString(checked))]
        splits = self.added_tokens.split_raw(splits)
        note("AddedTokens", self.added_tokens)
        for normalizer in self.normalizers:
            splits = [
                split if split.tokens is not None else Split(normalizer.normalize(split.normalized)) for split in splits
            ]
            refuse_expansion(sum(len(split.normalized) for split in splits), len(checked))
            note("Normalizer", normalizer)
        splits = self.added_tokens.split_normalized(splits)
        note("AddedTokens", self.added_tokens)
        for pre_tokenizer in self.pre_tokenizers:
            splits = pre_tokenizer.pre_tokenize(splits)
            note("PreTokenizer", pre_tokenizer)
        tokenize = self.model.tokenize
        splits = [
            split if split.tokens is not None else Split(split.normalized, tuple(tokenize(split.normalized.text)))
            for split in splits
        ]
        note("Model", self.model)
        return splits

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


def byte_offsets(encoding: Encoding, text: str) -> Encoding:
    r"""The encoding with offsets that count the bytes of `text`; a lone surrogate stands for one byte that is no UTF-8.

    >>> encoding = Encoding([0], ["é"], [(1, 2)], [0], [0], [0])
    >>> byte_offsets(encoding, "\udcffé").offsets
    [(1, 3)]
    """
    if text.isascii():
        return encoding
    lengths = (len(character.encode("utf-8", "surrogateescape")) for character in text)
    position = [0, *accumulate(lengths)]
    return replace(encoding, offsets=[(position[start], position[end]) for start, end in encoding.offsets])
