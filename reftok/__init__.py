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
    ChatRefused,
    EncodingStopped,
    InvalidIds,
    InvalidText,
    ModelFormatError,
    ReftokError,
    StreamFinished,
    TrainingStopped,
    UnsupportedFeature,
)
from reftok.version import __version__

if TYPE_CHECKING:
    from reftok.encode_files.run import EncodedFiles
    from reftok.formats.model_files import embedded_models
    from reftok.nbest import n_best
    from reftok.rules.byte_level import bytes_to_unicode, unicode_to_bytes
    from reftok.rules.sentencepiece.options import SentencePieceOptions
    from reftok.rules.trace import Trace
    from reftok.rules.types import AddedToken, Encoding, Span, Token
    from reftok.streams.decoder import StreamDecoder
    from reftok.streams.encoder import StreamEncoder
    from reftok.tokenizer import Tokenizer, byte_level_bpe, llama_spm, load
    from reftok.training.train import train
else:
    _HOMES = {
        "EncodedFiles": "reftok.encode_files.run",
        "StreamDecoder": "reftok.streams.decoder",
        "StreamEncoder": "reftok.streams.encoder",
        "embedded_models": "reftok.formats.model_files",
        **dict.fromkeys(("bytes_to_unicode", "unicode_to_bytes"), "reftok.rules.byte_level"),
        "n_best": "reftok.nbest",
        "SentencePieceOptions": "reftok.rules.sentencepiece.options",
        "Trace": "reftok.rules.trace",
        **dict.fromkeys(("AddedToken", "Encoding", "Span", "Token"), "reftok.rules.types"),
        **dict.fromkeys(("Tokenizer", "byte_level_bpe", "llama_spm", "load"), "reftok.tokenizer"),
        "train": "reftok.training.train",
    }

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module 'reftok' has no attribute {name!r}")
        found = globals()[name] = getattr(import_module(_HOMES[name]), name)
        return found


__all__ = [
    "AddedToken",
    "ChatRefused",
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
