"""The public tokenizer: it has the rules of one file, and the fast paths that give the same answers.

`load` makes one of a file, `byte_level_bpe` and `llama_spm` of a vocab in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Never, SupportsIndex, TypedDict, Unpack

from reftok.chat.rendering import Chat, chat_text
from reftok.errors import InvalidText
from reftok.fast.decoder import FastDecoder
from reftok.fast.encoder import FastEncoder
from reftok.formats import load_rules
from reftok.formats.collection import collecting_later
from reftok.formats.huggingface.vocab_merges import byte_level_bpe_rules
from reftok.formats.named_ids import MEANINGS, named_id
from reftok.limits.ids import checked_ids
from reftok.rules.encodings import texts_and_pairs
from reftok.rules.huggingface.padding import Padding
from reftok.rules.huggingface.truncation import Truncation
from reftok.rules.pipeline import Library, Pipeline
from reftok.rules.sentencepiece.options import SentencePieceOptions
from reftok.rules.trace import DecodingTrace, Trace
from reftok.rules.types import Encoding
from reftok.streams.cuts.models import ModelParts, model_parts
from reftok.streams.decoder import Row, StreamDecoder, TextCallback, decode_with_callback, decoder_row
from reftok.streams.encoder import ByteErrors, StreamEncoder, ids_of_chunks


class Options(TypedDict, total=False):
    """The fields of a `Pipeline` that `Tokenizer.with_options` changes."""

    encode_special_tokens: bool
    sentencepiece_options: SentencePieceOptions | None
    truncation: Truncation | None
    padding: Padding | None


def _named_id(name: str) -> property:
    def find(tokenizer: Tokenizer) -> int | None:
        return named_id(name, tokenizer.rules)

    return property(find, doc=f"The id of {MEANINGS[name]}; None if there is none.")


@dataclass(slots=True)
class Memory:
    """What a tokenizer remembers, for all threads; a copy of the tokenizer starts with nothing remembered.

    encoder, decoder: of whole texts.
    model_parts, decoder_rows: what all streams share, by whether special tokens are skipped; made for the first stream.
    """

    encoder: FastEncoder
    decoder: FastDecoder
    model_parts: ModelParts | None = None
    decoder_rows: dict[bool, Row] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, init=False)
class Tokenizer:
    """A tokenizer as its official library would build it from the same file.

    rules: the stages with their options. They can be run by themselves, without any fast path, and give the same
        answers: `tokenizer.rules.encode(text)`. A trace always shows them.
    memory: what the fast path and the streams remember.

    >>> import reftok
    >>> tokenizer = reftok.load("bpe-gpt2")
    >>> encoding = tokenizer.encode("Hello world")
    >>> tokenizer.decode(encoding.ids), tokenizer.rules.encode("Hello world") == encoding
    ('Hello world', True)
    """

    rules: Pipeline
    memory: Memory = field(repr=False, compare=False)

    def __init__(self, rules: Pipeline, shared: Tokenizer | None = None, **fields: Never) -> None:
        """The tokenizer with these rules.

        shared: another tokenizer; what it remembers of the model is used if `rules` has the very same model.
        """
        if fields:  # dataclasses.replace passes every field by its name
            raise TypeError(
                "a Tokenizer is changed with tokenizer.with_options(encode_special_tokens=True), not with "
                "dataclasses.replace; for other stages: Tokenizer(dataclasses.replace(tokenizer.rules, ...))"
            )
        object.__setattr__(self, "rules", rules)
        known = None
        if shared is not None and shared.rules.model is rules.model:
            known = shared.memory.encoder.model
        object.__setattr__(self, "memory", Memory(FastEncoder(rules, known), FastDecoder(rules)))

    def __reduce__(self) -> tuple[type[Tokenizer], tuple[Pipeline]]:
        """A copy, or a pickled tokenizer, starts with nothing remembered."""
        return Tokenizer, (self.rules,)

    def with_options(self, **options: Unpack[Options]) -> Tokenizer:
        """The tokenizer with other options than its file has. The tables of the model are shared, not built again.

        encode_special_tokens: treat added tokens that are special as ordinary text (`tokenizers`; of llama.cpp this is
            `parse_special` switched off).
        sentencepiece_options: bos, eos, the reverse order and the name of the unknown piece (`sentencepiece`).
        truncation, padding: as in a tokenizer.json; None switches them off.
        Raises TypeError for another option.

        >>> import reftok
        >>> tokenizer = reftok.load("bpe-gpt2")
        >>> tokenizer.with_options(encode_special_tokens=True).encode("<|endoftext|>").tokens
        ['<|', 'endoftext', '|>']
        """
        for name in options.keys() - Options.__annotations__:
            raise TypeError(f"with_options does not take {name!r}, only {', '.join(Options.__annotations__)}")
        return Tokenizer(replace(self.rules, **options), self)

    def chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        documents: Sequence[Mapping[str, Any]] | None = None,
        add_generation_prompt: bool = False,
        continue_final_message: bool | str = False,
        template: str | None = None,
        variables: Mapping[str, Any] | None = None,
    ) -> Chat:
        """A conversation as the model is given it, by its chat template: text and ids, as transformers makes them.

        messages: each a mapping with "role" and "content", and what else the template reads. tools: JSON schemas.
        documents: mappings with "title" and "text". add_generation_prompt: end with what an answer begins with.
        continue_final_message: end with the last message, which the model is to go on with; a text names another field
            of it than "content".
        template: the name of one of several. variables: what else the template reads.
        Needs jinja2: pip install "reftok[chat]".
        Raises ChatRefused for a model without a template, and for what the template refuses or does wrong.

        >>> import reftok
        >>> from dataclasses import replace
        >>> from reftok.chat.templates import ChatTemplates
        >>> source = "{% for one in messages %}<{{ one.role }}>{{ one.content }}{% endfor %}"
        >>> rules = reftok.load("bpe-qwen").rules
        >>> tokenizer = reftok.Tokenizer(replace(rules, chat_templates=ChatTemplates({"default": source})))
        >>> chat = tokenizer.chat([{"role": "user", "content": "Hi"}])
        >>> chat.text, chat.ids == tuple(tokenizer.encode_ids(chat.text, add_special_tokens=False))
        ('<user>Hi', True)
        """
        text = chat_text(
            self.rules.chat_templates,
            messages,
            tools=tools,
            documents=documents,
            add_generation_prompt=add_generation_prompt,
            continue_final_message=continue_final_message,
            template=template,
            variables=variables,
        )
        return Chat(text, tuple(self.encode_ids(text, add_special_tokens=False)))

    # --- from text to ids

    def encode(self, text: str | bytes, pair: str | None = None, add_special_tokens: bool = True) -> Encoding:
        """Token ids with their tokens and offsets.

        text: str, or bytes where the library takes them (sentencepiece, llama.cpp; the offsets then count bytes).
        pair: a second text (`tokenizers` only).
        add_special_tokens: let the post-processor insert the special tokens of its template.
        Raises InvalidText for what the official library refuses (lone surrogates, bytes, what is no text, a pair, a
        text that cannot be truncated as the file says) and where a pattern takes too long; ModelFormatError for a
        character that needs an unknown token the file does not have, and where the normalizers, or added tokens
        that overlap, blow the text up.
        """
        return self.rules.encode_with(self.memory.encoder.tokens_of, text, pair, add_special_tokens)

    def encode_batch(
        self, texts: Iterable[str | bytes | tuple[str, str]], add_special_tokens: bool = True
    ) -> list[Encoding]:
        """The encodings of texts and of pairs of texts, padded to one length if the file says so.

        >>> import reftok
        >>> [encoding.tokens for encoding in reftok.load("bpe-gpt2").encode_batch(["a b", ("a", "b")])]
        [['a', 'Ġb'], ['a', 'b']]
        """
        return self.rules.padded([self.encode(*pair, add_special_tokens) for pair in texts_and_pairs(texts)])

    def encode_ids(self, text: str | bytes, pair: str | None = None, add_special_tokens: bool = True) -> list[int]:
        """The ids of `encode`, faster than with tokens and offsets. Several threads may encode at the same time."""
        if pair is not None:
            return list(self.encode(text, pair, add_special_tokens).ids)
        return self.memory.encoder.ids_with_affixes(self.rules.checked_text(text), add_special_tokens)

    def trace(self, text: str | bytes, *, add_special_tokens: bool = True) -> Trace:
        r"""The input and output of every stage.

        Raises InvalidText as `encode` does, and for a text that is too long to be traced through so many stages.

        >>> import reftok
        >>> trace = reftok.load("bpe-qwen").trace("cafe\u0301 au lait")
        >>> [stage.component for stage in trace.stages]
        ['AddedVocabulary', 'NFC', 'AddedVocabulary', 'Split', 'ByteLevel', 'BPE', 'ByteLevel']
        >>> [piece.text for piece in trace.stages[3].pieces]
        ['café', ' au', ' lait']
        """
        return self.rules.trace(text, add_special_tokens=add_special_tokens)

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
        memory = self.memory
        if memory.model_parts is None:
            memory.model_parts = model_parts(memory.encoder.model, memory.encoder.ids_of)
        affixes = memory.encoder.affixes(add_special_tokens)
        return StreamEncoder(self.rules, memory.model_parts, affixes, add_special_tokens, errors)

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

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = True) -> str:
        """The text of `ids`.

        skip_special_tokens: leave out added tokens that are special (`tokenizers`); sentencepiece always leaves
            out its control pieces; of llama.cpp see `decode_bytes`.
        Raises InvalidIds for what is no list of ids from 0 to 2**32 - 1, and for an id outside the vocab where the
        library refuses it (`tokenizers` skips it); ModelFormatError where the decoders blow the text up.
        """
        return self.memory.decoder.decoded(checked_ids(ids), skip_special_tokens)

    def decode_bytes(self, ids: Iterable[int], skip_special_tokens: bool = True) -> bytes:
        """The bytes of `ids`, as `llama_detokenize` gives them; of llama.cpp only.

        skip_special_tokens: True is `remove_special` on and `unparse_special` off, False the reverse.
        Raises InvalidIds for what is no list of ids, and for an id outside the vocab; UnsupportedFeature for another
        library.
        """
        return self.rules.decode_bytes(ids, skip_special_tokens)

    def trace_decode(self, ids: Iterable[int], skip_special_tokens: bool = True) -> DecodingTrace:
        """The input and output of every decoder.

        Raises InvalidIds as `decode` does, and InvalidText for more ids than can be traced through so many decoders.

        >>> import reftok
        >>> tokenizer = reftok.load("spm-bpe-hf")
        >>> trace = tokenizer.trace_decode(tokenizer.encode("a ☃").ids)
        >>> [step.component for step in trace.steps], trace.text
        (['Replace', 'ByteFallback', 'Fuse', 'Strip'], 'a ☃')
        """
        return self.rules.trace_decode(ids, skip_special_tokens)

    def stream_decoder(self, skip_special_tokens: bool = True) -> StreamDecoder:
        """Text while the ids are still coming, together that of `decode`; the state object belongs to one stream.

        >>> import reftok
        >>> decoder = reftok.load("bpe-gpt2").stream_decoder()
        >>> [decoder.feed(token_id) for token_id in (40, 3525, 342, 247, 226)], decoder.finish()
        (['H', 'ello', ' ', '', '☃'], '')
        """
        rows, skips = self.memory.decoder_rows, bool(skip_special_tokens)
        if skips not in rows:
            rows[skips] = decoder_row(self.rules, skips)
        return StreamDecoder(rows[skips])

    def decode_with_callback(
        self, ids: Iterable[SupportsIndex], callback: TextCallback, skip_special_tokens: bool = True
    ) -> str:
        """The text that was given to `callback(text, token_id, is_final)`: that of `decode`, unless it said stop.

        callback: called once for each id, in order, with the text that has become final with it, '' if there is none.
            The call for the last id has is_final set, and its text also has what was held until then. If it returns
            False there are no more calls, and what was held is dropped. Anything else goes on: None, the 0 of a
            `write`, the False of numpy, which is another object.

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

    # --- the vocab

    bos_id, eos_id, pad_id, unk_id = _named_id("bos"), _named_id("eos"), _named_id("pad"), _named_id("unk")
    eot_id, im_start_id, im_end_id = _named_id("eot"), _named_id("im_start"), _named_id("im_end")

    @property
    def library(self) -> Library:
        """The official library that it follows, quirks included."""
        return self.rules.library

    @property
    def vocab_size(self) -> int:
        """How many ids there are, added tokens included."""
        return self.rules.vocab_size

    def id_to_token(self, token_id: SupportsIndex | None) -> str | None:
        """The token of an id; None if there is none, and for what is no whole number."""
        return self.rules.id_to_token(token_id)

    def token_to_id(self, token: str) -> int | None:
        """The id of a token of the vocab or of an added token; None if there is none."""
        return self.rules.token_to_id(token)

    def is_special(self, token_id: SupportsIndex | None) -> bool:
        """Whether the id is a special added token, a control piece or, for llama.cpp, a control or unknown token.

        What is no whole number is not special: `is_special(tokenizer.pad_id)` is False if there is no pad.
        """
        return self.rules.is_special(token_id)


@collecting_later()
def load(source: str | Path, encoding: str | None = None) -> Tokenizer:
    """The tokenizer of a file or folder, or of an embedded model.

    source: a tokenizer.json, a sentencepiece .model or .spm, a .tiktoken rank file, vocab.json (with merges.txt
        beside it), vocab.txt (with tokenizer_config.json), a GGUF file, a tekken.json, a folder with one of these, or a
        name of `embedded_models()`. The format is recognised by the content; vocab files and tekken.json by their name.
        A tokenizer.json without a model takes it from the vocab.json and merges.txt beside it. These two are read as
        GPT-2's tokenizer if there is no tokenizer_config.json beside them.
    encoding: the pattern and the special tokens of a rank file, by a name in `reftok.formats.tiktoken.encodings`. With
        None they are read from the .toml beside the file (see `reftok.formats.tiktoken.rank_file`), or, without one,
        a published file is recognised.
    Raises ModelFormatError if there is no such file or it is not sound, UnsupportedFeature if it asks for something
    that reftok does not know.

    >>> load("bpe-gpt2").library
    'tokenizers'
    """
    return Tokenizer(load_rules(source, encoding))


def byte_level_bpe(
    vocab: Mapping[str, int] | Mapping[bytes, int] | Mapping[int, bytes],
    merges: Iterable[tuple[str, str]] | Iterable[tuple[bytes, bytes]],
    special_tokens: Iterable[str] = (),
    *,
    pattern: str | None = None,
    source: str = "",
) -> Tokenizer:
    r"""GPT-2's tokenizer from a vocab and merges in memory, as `tokenizers` would build it.

    vocab: token to id, the token as bytes or written in the characters of `bytes_to_unicode`; or id to bytes.
    merges: pairs of tokens, bytes or characters, the first merged first.
    special_tokens: matched in the text before everything else, and left out in decoding. One that is in the vocab (as
        its UTF-8 bytes, or literally if the vocab is in characters) keeps its id, another one gets the next id. If
        there are any, only they have names (`eos_id`); without any, see `reftok.formats.named_ids`.
    pattern: what a pre-token is, in the syntax of Oniguruma; None for GPT-2's pattern.
    source: the name for messages.
    Raises ModelFormatError if an entry is of another type, a token or an id is there twice, or a merge is not in the
    vocab; UnsupportedFeature for a pattern that is not known to mean the same in Python.
    Quirk: a byte that is not in the vocab vanishes.

    >>> byte_level_bpe({"a": 0, "b": 1, "ab": 2}, [("a", "b")]).encode_ids("aba")
    [2, 0]
    >>> tokenizer = byte_level_bpe({0: b"\xc3", 1: b"\xa9", 2: b"\xc3\xa9"}, [(b"\xc3", b"\xa9")], ["<|end|>"])
    >>> tokenizer.encode_ids("é<|end|>"), tokenizer.decode([2, 3])
    ([2, 3], 'é')
    """
    return Tokenizer(byte_level_bpe_rules(vocab, merges, special_tokens, pattern=pattern, source=source))


def llama_spm(
    tokens: Sequence[str],
    scores: Sequence[float],
    unk_id: int | None = None,
    bos_id: int | None = None,
    eos_id: int | None = None,
    add_space_prefix: bool = True,
    token_types: Sequence[int] | None = None,
) -> Tokenizer:
    """The tokenizer SPM of llama.cpp from tokens and scores in memory, as in a GGUF file with the model `llama`.

    tokens, scores: by id.
    unk_id, bos_id, eos_id: None if there is none. BOS is added before each text if it is given; EOS is not added.
    add_space_prefix: put a space before each text, so that its first word gets the same tokens as within a text.
    token_types: as in GGUF: 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused, 6 byte. None makes the three ids
        above unknown and control tokens, `<0x00>` to `<0xFF>` byte tokens and every other one a normal token.
    Raises ModelFormatError if the lists differ in length or a token is there twice.

    The unknown token is never given: a character that is no token and has no byte tokens raises InvalidText, since
    llama.cpp ends the process there.

    >>> tokenizer = llama_spm(["<unk>", "<s>", "▁", "h", "i", "hi", "▁hi"], [0, 0, -4, -4, -4, -2, -1], 0, 1)
    >>> tokenizer.encode_ids("hi<s>hi hi")
    [1, 6, 1, 6, 6]
    """
    # Few programs need llama.cpp's stages, and their modules take a while to import.
    from reftok.formats.llama_cpp.build import llama_spm_rules

    return Tokenizer(llama_spm_rules(tokens, scores, unk_id, bos_id, eos_id, add_space_prefix, token_types))
