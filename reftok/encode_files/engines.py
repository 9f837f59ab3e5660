"""Who makes the ids: reftok, or the official library of the model's family."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import regex

from reftok.encode_files.optional_libraries import optional_library
from reftok.errors import EncodingStopped
from reftok.formats import VOCAB_FILES, find_model
from reftok.formats.files import read_file
from reftok.formats.huggingface.hub_folder import hub_tokenizer_json
from reftok.formats.tiktoken.rank_file import rank_encoding, read_ranks
from reftok.tokenizer import Tokenizer
from reftok.version import __version__

Encode = Callable[[Sequence[str]], Sequence[Sequence[int]]]


@dataclass(frozen=True, slots=True)
class Engine:
    """A tokenizer behind `encode_files`. versions: of the libraries that take part, by name."""

    name: str
    versions: dict[str, str]
    encode: Encode


def reftok_engine(tokenizer: Tokenizer, add_special_tokens: bool) -> Engine:
    """The reference."""
    encode_ids = tokenizer.encode_ids
    versions = {"reftok": __version__, "regex": str(regex.__version__)}
    return Engine(
        "reftok",
        versions,
        lambda texts: [encode_ids(text, add_special_tokens=add_special_tokens) for text in texts],
    )


def official_engine(tokenizer: Tokenizer, model: str, encoding: str | None, add_special_tokens: bool) -> Engine:
    """The library that the tokenizer follows, with the same model.

    Raises EncodingStopped where the library is missing, or where there is none to be had.
    """
    path = find_model(model)
    name = tokenizer.library
    match name:
        case "tokenizers":
            library = optional_library(name)
            encode = _tokenizers(library, path, add_special_tokens)
        case "sentencepiece":
            library = optional_library(name)
            encode = _sentencepiece(library, path)
        case "tiktoken":
            library = optional_library(name)
            encode = _tiktoken(library, path, encoding)
        case _:
            raise EncodingStopped(f"{model}: follows {name}, which encode-file cannot call")
    return Engine(name, {name: str(library.__version__)}, encode)


def _tokenizers(library: Any, path: Path, add_special_tokens: bool) -> Encode:
    """On one thread: there is a process for each core. Padding looks at all texts of a batch, so it gets no batches."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    tokenizer = tokenizers_model(library, path)
    if tokenizer.padding is not None:
        return lambda texts: [tokenizer.encode(text, add_special_tokens=add_special_tokens).ids for text in texts]
    encode = tokenizer.encode_batch_fast
    return lambda texts: [encoding.ids for encoding in encode(texts, add_special_tokens=add_special_tokens)]


def tokenizers_model(library: Any, path: Path) -> Any:
    """The `Tokenizer` of the library `tokenizers`, from tokenizer.json or vocab files."""
    if path.name == "vocab.txt" or (path.name in VOCAB_FILES and path.with_name("tokenizer_config.json").is_file()):
        return library.Tokenizer.from_str(json.dumps(hub_tokenizer_json(path)))
    if path.name not in VOCAB_FILES:
        return library.Tokenizer.from_file(str(path))
    # GPT-2's stages, as reftok.formats.huggingface.vocab_merges has them.
    tokenizer = library.Tokenizer(library.models.BPE.from_file(str(path), str(path.with_name("merges.txt"))))
    tokenizer.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = library.processors.ByteLevel(trim_offsets=False)
    return tokenizer


def _sentencepiece(library: Any, path: Path) -> Encode:
    processor = library.SentencePieceProcessor(model_file=str(path))
    return lambda texts: processor.Encode(list(texts), num_threads=1)


def tiktoken_encoding(library: Any, path: Path, name: str | None) -> Any:
    """The `Encoding` of the library `tiktoken`, from a rank file. name: of its encoding, None to recognise it."""
    data = read_file(path)
    found = rank_encoding(data, path, name)
    return library.Encoding(
        found.name,
        pat_str=found.pattern,
        mergeable_ranks=read_ranks(data, str(path)),
        special_tokens=dict(found.special_tokens),
    )


def _tiktoken(library: Any, path: Path, name: str | None) -> Encode:
    encoding = tiktoken_encoding(library, path, name)
    return lambda texts: encoding.encode_batch(list(texts), num_threads=1, allowed_special="all")


def id_bound(tokenizer: Tokenizer, add_special_tokens: bool) -> int:
    """A number above every id that can come out: of the vocab, of added tokens, of what is put around a text.

    >>> import reftok
    >>> id_bound(reftok.load("bpe-gpt2"), add_special_tokens=True) == reftok.load("bpe-gpt2").vocab_size
    True
    """
    inserted = tokenizer.encode_ids("", add_special_tokens=add_special_tokens)
    model, added_tokens = tokenizer.rules.model, tokenizer.rules.added_tokens
    ids = [model.size - 1, *model.vocab.values(), *added_tokens.tokens, *inserted]
    return max(ids) + 1
