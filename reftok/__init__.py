"""A reference implementation of tokenizers that reads like a specification and is exact to the id.

tokenizer = reftok.load("tokenizer.json")
encoding = tokenizer.encode("Hello world")       ids, tokens, offsets, special_tokens_mask, word_ids
tokenizer.decode(encoding.ids)
tokenizer.trace("Hello world")                   what every stage took and gave
reftok.encode_files("bpe-qwen", "texts.txt", "tokens.npy")
reftok.train("hf-bpe", files="texts.txt", vocab_size=8000, output="tokenizer.json")

Each is imported when it is first used: importing the package alone costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from reftok.encode_files.encode_files import encode_files
from reftok.errors import (
    EncodingStopped,
    InvalidIds,
    InvalidText,
    ModelFormatError,
    ReftokError,
    StreamFinished,
    TrainingStopped,
    UnsupportedFeature,
    VerificationFailed,
)
from reftok.version import __version__

if TYPE_CHECKING:
    from reftok.encode_files.result import EncodedFiles
    from reftok.engine.encode.stream import StreamEncoder
    from reftok.formats import embedded_models, load
    from reftok.formats.huggingface.vocab_merges import byte_level_bpe
    from reftok.formats.llama_cpp.build import llama_spm
    from reftok.rules.byte_level import bytes_to_unicode, unicode_to_bytes
    from reftok.rules.sentencepiece.n_best import n_best
    from reftok.rules.sentencepiece.options import SentencePieceOptions
    from reftok.rules.trace import Trace
    from reftok.rules.types import AddedToken, Encoding, Span, Token
    from reftok.streams.decoder import StreamDecoder
    from reftok.tokenizer import Tokenizer
    from reftok.training.train import train
else:
    _HOMES = {
        "EncodedFiles": "reftok.encode_files.result",
        "StreamDecoder": "reftok.streams.decoder",
        "StreamEncoder": "reftok.engine.encode.stream",
        **dict.fromkeys(("embedded_models", "load"), "reftok.formats"),
        "llama_spm": "reftok.formats.llama_cpp.build",
        "byte_level_bpe": "reftok.formats.huggingface.vocab_merges",
        **dict.fromkeys(("bytes_to_unicode", "unicode_to_bytes"), "reftok.rules.byte_level"),
        "n_best": "reftok.rules.sentencepiece.n_best",
        "SentencePieceOptions": "reftok.rules.sentencepiece.options",
        "Trace": "reftok.rules.trace",
        **dict.fromkeys(("AddedToken", "Encoding", "Span", "Token"), "reftok.rules.types"),
        "Tokenizer": "reftok.tokenizer",
        "train": "reftok.training.train",
    }

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module 'reftok' has no attribute {name!r}")
        found = globals()[name] = getattr(import_module(_HOMES[name]), name)
        return found


__all__ = [
    "AddedToken",
    "EncodedFiles",
    "Encoding",
    "EncodingStopped",
    "InvalidIds",
    "InvalidText",
    "ModelFormatError",
    "ReftokError",
    "SentencePieceOptions",
    "Span",
    "StreamDecoder",
    "StreamEncoder",
    "StreamFinished",
    "Token",
    "Tokenizer",
    "Trace",
    "TrainingStopped",
    "UnsupportedFeature",
    "VerificationFailed",
    "__version__",
    "byte_level_bpe",
    "bytes_to_unicode",
    "embedded_models",
    "encode_files",
    "llama_spm",
    "load",
    "n_best",
    "train",
    "unicode_to_bytes",
]
