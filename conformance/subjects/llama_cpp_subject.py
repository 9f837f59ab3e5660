"""llama.cpp through `llama-cpp-python`: the oracle for GGUF files. An extra: pip install "reftok[llama]"."""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conformance.core.observation import Encoded
from conformance.subjects.base import Adapter, Format, Ids, UnavailableError
from conformance.subjects.library import LibrarySubject

NAME = "llama.cpp"


def version() -> str:
    """The installed version, of llama-cpp-python: llama.cpp itself tells none."""
    import llama_cpp

    return str(llama_cpp.__version__)


class LlamaCppSubject(LibrarySubject):
    """The library itself: `llama_tokenize` with special tokens added and parsed, and `llama_detokenize`.

    It gives ids only. What it would end the process over counts as refused, and is not given to it: the bytes of code
    points above 10FFFF; a model of the type SPM that lacks byte tokens is not loaded at all.
    """

    name = NAME
    takes_bytes = True

    def __init__(self, path: Path) -> None:
        import llama_cpp

        self._library: Any = llama_cpp
        _silence(llama_cpp)
        parameters = llama_cpp.llama_model_default_params()
        parameters.vocab_only = True
        self._model = llama_cpp.llama_model_load_from_file(os.fsencode(path), parameters)
        if not self._model:
            raise UnavailableError("llama.cpp refuses the model")
        self._vocab = llama_cpp.llama_model_get_vocab(self._model)
        self._type = llama_cpp.llama_vocab_type(self._vocab)

    def encoding(self, text: str | bytes) -> Encoded:
        return Encoded(tuple(self.token_ids(text)))

    def token_ids(self, text: str | bytes, add_special: bool = True, parse_special: bool = True) -> list[int]:
        """The ids of `llama_tokenize`; an error for a str with lone surrogates, and where it would end the process."""
        data = text.encode() if isinstance(text, str) else text
        reads_code_points = self._type in (self._library.LLAMA_VOCAB_TYPE_BPE, self._library.LLAMA_VOCAB_TYPE_WPM)
        if reads_code_points and (found := _ABOVE_UNICODE.search(data)):
            raise ValueError(f"llama.cpp ends the process over the bytes {found.group().hex()}")
        size = len(data) + 8
        while True:
            ids = (ctypes.c_int32 * size)()
            count = self._library.llama_tokenize(self._vocab, data, len(data), ids, size, add_special, parse_special)
            if count >= 0:
                return list(ids[:count])
            size = -count

    def has_every_byte(self) -> bool:
        """Whether no text can end the process for want of a token; only SPM needs byte tokens for that."""
        if self._type != self._library.LLAMA_VOCAB_TYPE_SPM:
            return True
        count = self._library.llama_vocab_n_tokens(self._vocab)
        tokens = {self._library.llama_vocab_get_text(self._vocab, token_id) for token_id in range(count)}
        return all(b"<0x%02X>" % byte in tokens or (byte and bytes([byte]) in tokens) for byte in range(256))

    def text(self, ids: Ids, skip_special_tokens: bool) -> str:
        return self.text_bytes(ids, skip_special_tokens, not skip_special_tokens).decode("utf-8", "replace")

    def text_bytes(self, ids: Sequence[int], remove_special: bool, unparse_special: bool) -> bytes:
        """The bytes of `llama_detokenize`; an error for an id outside the vocab, which would end the process."""
        last = self._library.llama_vocab_n_tokens(self._vocab) - 1
        if any(not 0 <= token_id <= last for token_id in ids):
            raise ValueError(f"ids are from 0 to {last}")
        given = (ctypes.c_int32 * len(ids))(*ids)
        size = 16 * len(ids) + 16
        while True:
            text = ctypes.create_string_buffer(size)
            count = self._library.llama_detokenize(
                self._vocab, given, len(ids), text, size, remove_special, unparse_special
            )
            if count >= 0:
                return text.raw[:count]
            size = -count

    def close(self) -> None:
        self._library.llama_model_free(self._model)


_ABOVE_UNICODE = re.compile(rb"(?:\xf4[\x90-\xbf]|[\xf5-\xf7][\x80-\xbf])[\x80-\xbf]{2}")


def _silence(llama_cpp: Any) -> None:
    """Let it write nothing to the error stream."""
    global _quiet
    if _quiet is None:
        _quiet = llama_cpp.llama_log_callback(lambda level, text, data: None)
        llama_cpp.llama_log_set(_quiet, None)


_quiet: Any = None
"""The library keeps a pointer to it."""


def load(path: Path, model_format: str, encoding: str = "") -> LlamaCppSubject:
    """The subject with a model."""
    subject = LlamaCppSubject(path)
    if not subject.has_every_byte():
        raise UnavailableError("llama.cpp ends the process over any character that this vocab has no token for")
    return subject


ADAPTER = Adapter(
    NAME,
    package="llama-cpp-python",
    extra="llama",
    reads=("gguf",),
    version=version,
    load=load,
    official=(Format("gguf"),),
)
