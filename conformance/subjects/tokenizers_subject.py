"""HuggingFace `tokenizers`: the oracle for tokenizer.json and for vocab.json + merges.txt."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from conformance.core.observation import Encoded, Encoding, Failure
from conformance.core.settings import Padding, Question, Truncation
from conformance.core.streaming import Feeding, Streaming
from conformance.subjects.base import Adapter, Format, Ids, InBulk, Snippets, UnavailableError
from conformance.subjects.library import LibrarySubject, attempt, each
from conformance.subjects.streams import streaming
from reftok.formats.huggingface.hub_folder import hub_tokenizer_json

NAME = "tokenizers"


def version() -> str:
    """The installed version."""
    import tokenizers

    return str(tokenizers.__version__)


class TokenizersSubject(LibrarySubject):
    """The library itself; its batch call is used, on one thread, since the harness runs on all cores anyway.

    It is not used where the file asks for padding: what a text is padded to would depend on the rest of the batch.
    Releases before 0.21.0 have no DecodeStream, and so nothing that streams.
    """

    name = NAME

    def __init__(self, path: Path, model_format: str) -> None:
        from tokenizers import decoders

        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        self._has_streams = hasattr(decoders, "DecodeStream")
        try:
            self._tokenizer = _from_vocab_file(path) if model_format == "vocab_merges" else _from_file(path)
        except Exception as error:
            raise UnavailableError(f"tokenizers refuses the model: {error}") from None
        self.has_batch = self._tokenizer.padding is None

    def encoding(self, text: str | bytes) -> Encoded:
        return encoded(self._tokenizer.encode(text))

    def encodings(self, texts: Sequence[str | bytes]) -> list[Encoding]:
        return [encoded(encoding) for encoding in self._tokenizer.encode_batch(list(texts))]

    def encode_bare(self, texts: Sequence[str]) -> list[Encoding]:
        encode = partial(self._tokenizer.encode, add_special_tokens=False)
        found = each(encode, texts)
        return [Failure("refused", "") if one is None else encoded(one) for one in found]

    def encodings_with(self, question: Question) -> Sequence[Any] | None:
        """By the batch call, with the settings put in the place of the file's for as long as it takes.

        None for words where numpy is missing: the library panics on them there, each time with a
        stack trace on standard error.
        """
        if question.is_pretokenized and find_spec("numpy") is None:
            return None
        tokenizer, before = self._tokenizer, (self._tokenizer.truncation, self._tokenizer.padding)
        inputs = [tuple(map(list, one)) if question.is_pretokenized else one for one in question.inputs]
        try:
            _set(tokenizer, question.truncation, question.padding)
            found: Sequence[Any] = tokenizer.encode_batch(
                [one if len(one) > 1 else one[0] for one in inputs],
                is_pretokenized=question.is_pretokenized,
                add_special_tokens=question.add_special_tokens,
            )
        finally:
            _restore(tokenizer, *before)
        return found

    def text(self, ids: Ids, skip_special_tokens: bool) -> str:
        found: str = self._tokenizer.decode(list(ids), skip_special_tokens=skip_special_tokens)
        return found

    def in_bulk(self) -> InBulk | None:
        if not self.has_batch:
            return None
        tokenizer = self._tokenizer
        encode_batch = getattr(tokenizer, "encode_batch_fast", tokenizer.encode_batch)
        slowly = self.one_by_one(lambda text: tokenizer.encode(text).ids)

        def ids(texts: Sequence[str | bytes]) -> list[Ids | None]:
            found = attempt(encode_batch, list(texts))
            return slowly.ids(texts) if found is None else [encoding.ids for encoding in found]

        def texts(skip: bool, questions: Sequence[Ids]) -> list[str | None]:
            found: list[str | None] | None
            found = attempt(partial(tokenizer.decode_batch, skip_special_tokens=skip), list(questions))
            return each(partial(self.text, skip_special_tokens=skip), questions) if found is None else found

        return InBulk(ids, partial(texts, False), partial(texts, True))

    def stream(self, feedings: Sequence[Feeding]) -> list[Streaming]:
        return [streaming(self, feeding) if self._has_streams else None for feeding in feedings]

    def stream_decoder(self, skip_special_tokens: bool) -> _Decoder:
        """A stream of the library's."""
        return _Decoder(self._tokenizer, skip_special_tokens)


class _Decoder:
    """DecodeStream, which has nothing that ends it: what it holds then is lost."""

    def __init__(self, tokenizer: Any, skip_special_tokens: bool) -> None:
        from tokenizers.decoders import DecodeStream

        self._tokenizer = tokenizer
        self._stream = DecodeStream(skip_special_tokens=skip_special_tokens)

    def feed(self, token_id: int) -> str:
        """The text that an id brings."""
        return self._stream.step(self._tokenizer, token_id) or ""

    def finish(self) -> str:
        """Nothing."""
        return ""


def _set(tokenizer: Any, truncation: Truncation | None, padding: Padding | None) -> None:
    """Switch on what is not None."""
    if truncation is not None:
        tokenizer.enable_truncation(**asdict(truncation))
    if padding is not None:
        tokenizer.enable_padding(**asdict(padding))


def _restore(tokenizer: Any, truncation: dict[str, Any] | None, padding: dict[str, Any] | None) -> None:
    """The settings that the library gave out before."""
    tokenizer.no_truncation()
    tokenizer.no_padding()
    if truncation is not None:
        tokenizer.enable_truncation(**truncation)
    if padding is not None:
        tokenizer.enable_padding(**padding)


def encoded(encoding: Any) -> Encoded:
    """An encoding of the library's as an observation."""
    return Encoded(
        tuple(encoding.ids),
        tuple(encoding.tokens),
        tuple(encoding.offsets),
        tuple(encoding.special_tokens_mask),
    )


def _from_file(path: Path) -> Any:
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(path))


def _from_vocab_file(path: Path) -> Any:
    """The stages that vocab.json or vocab.txt lack are those that reftok names, or else GPT-2's."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

    if path.name == "vocab.txt" or path.with_name("tokenizer_config.json").is_file():
        return Tokenizer.from_str(json.dumps(hub_tokenizer_json(path)))
    tokenizer = Tokenizer(models.BPE.from_file(str(path), str(path.with_name("merges.txt"))))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer


def load(path: Path, model_format: str, encoding: str = "") -> TokenizersSubject:
    """The subject with a model."""
    return TokenizersSubject(path, model_format)


def stages(path: Path, text: str) -> dict[str, tuple[str, ...]]:
    """The text after Normalizer and PreTokenizer; where added tokens stand in it, that is not what encoding does.

    Source: `normalizer.normalize_str` and `pre_tokenizer.pre_tokenize_str` of tokenizers 0.23.
    """
    tokenizer = _loaded(path)
    normalizer, pre_tokenizer = tokenizer.normalizer, tokenizer.pre_tokenizer
    normalized = text if normalizer is None else normalizer.normalize_str(text)
    found: dict[str, tuple[str, ...]] = {"Normalizer": (normalized,)}
    if pre_tokenizer is not None:
        found["PreTokenizer"] = tuple(piece for piece, _ in pre_tokenizer.pre_tokenize_str(normalized))
    return found


@lru_cache(maxsize=1)
def _loaded(path: Path) -> Any:
    return _from_file(path)


_REPRODUCTION = """\
class Official:
    def __init__(self, path):
        from tokenizers import Tokenizer

        self.tokenizer = Tokenizer.from_file(path)

    def encode(self, text):
        encoding = self.tokenizer.encode(as_text(text))
        return parts(encoding.ids, encoding.tokens, encoding.offsets, encoding.special_tokens_mask)

    def bare(self, text):
        return self.tokenizer.encode(as_text(text), add_special_tokens=False).ids

    def encode_batch(self, texts):
        return [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]

    def decode(self, ids):
        return [self.tokenizer.decode(ids, skip_special_tokens=skips) for skips in (True, False)]

    def stream_decode(self, ids, skips):
        from tokenizers.decoders import DecodeStream

        stream = DecodeStream(skip_special_tokens=skips)
        return "".join(stream.step(self.tokenizer, token_id) or "" for token_id in ids)
"""

_SNIPPETS = Snippets(
    load="from tokenizers import Tokenizer\ntokenizer = Tokenizer.from_file({path})",
    encode="encoding = tokenizer.encode({input})\nprint(encoding.ids, encoding.tokens, encoding.offsets)",
    decode="print(ascii(tokenizer.decode({input})))",
    stream="from tokenizers.decoders import DecodeStream\n"
    "ids = {ids}\n"
    "stream = DecodeStream(skip_special_tokens=True)\n"
    "print(ascii([stream.step(tokenizer, token_id) for token_id in ids]), ascii(tokenizer.decode(ids)))",
)

ADAPTER = Adapter(
    NAME,
    package="tokenizers",
    reads=("tokenizer.json", "vocab_merges"),
    version=version,
    load=load,
    official=(Format("tokenizer.json", "tokenizer.json", stages, _REPRODUCTION, _SNIPPETS), Format("vocab_merges")),
)
