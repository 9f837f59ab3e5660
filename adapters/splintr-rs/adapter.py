"""splintr-rs, tokenizers of four kinds in Rust, as a subject.

Reads tokenizer.json; and rank files, with the pattern that it has for their encoding, which the name of the file tells:
cl100k_base or o200k_base. (The encodings that it brings along have special tokens of its own beside those of OpenAI:
they are not asked.) Of rank files it decodes to bytes, and cannot skip special tokens; its streams of them are not
asked, since those of the harness skip them.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

SPECIAL_TOKENS = {
    "cl100k_base": {
        "<|endoftext|>": 100257,
        "<|fim_prefix|>": 100258,
        "<|fim_middle|>": 100259,
        "<|fim_suffix|>": 100260,
        "<|endofprompt|>": 100276,
    },
    "o200k_base": {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
}
"""The special tokens of OpenAI, which a rank file lacks."""


class Subject:
    """The library with the model at `model_path`."""

    def __init__(self, model_path: str) -> None:
        import splintr

        self.version = version("splintr-rs")
        path = Path(model_path)
        self._is_ranks = path.read_bytes()[:1] != b"{"
        self.capabilities: dict[str, Any] = {
            "encode": {},
            "decode": {"skip_special_tokens": "never"} if self._is_ranks else {},
            "encode_batch": True,
            "stream_decode": None if self._is_ranks else ["reset", "beside"],
        }
        if not self._is_ranks:
            self._tokenizer = splintr.from_json(model_path)
        elif path.stem in SPECIAL_TOKENS:
            pattern = getattr(splintr, f"{path.stem.upper()}_PATTERN")
            self._tokenizer = splintr.Tokenizer(model_path, pattern, SPECIAL_TOKENS[path.stem])
        else:
            raise ValueError(f"no encoding is called {path.stem}")

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text."""
        if self._is_ranks:
            return list(self._tokenizer.encode_with_special(text))
        return list(self._tokenizer.encode(text) if add_special_tokens else self._tokenizer.encode_raw(text))

    def encode_batch(self, texts: list[str], add_special_tokens: bool) -> list[list[int]]:
        """The ids of several texts; the library's call adds the template, so that without it each is asked alone."""
        if add_special_tokens or self._is_ranks:
            return [list(ids) for ids in self._tokenizer.encode_batch_with_special(texts)]
        return [self.encode(text, add_special_tokens) for text in texts]

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str | bytes:
        """The text of ids."""
        if self._is_ranks:
            return bytes(self._tokenizer.decode_bytes(ids))
        if skip_special_tokens:
            return str(self._tokenizer.decode(ids))
        return str(self._tokenizer.decode_with_special(ids))

    def stream_decoder(self, skip_special_tokens: bool) -> Decoder:
        """A decoder that is fed one id after the other."""
        if skip_special_tokens:
            return Decoder(self._tokenizer.streaming_decoder())
        return Decoder(self._tokenizer.streaming_decoder_with_special())


class Decoder:
    """A stream of the library, by the names of the harness."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def feed(self, token_id: int) -> str:
        """The text that has become certain with this id."""
        return self._stream.add_token(token_id) or ""

    def finish(self) -> str:
        """The text that is held."""
        return str(self._stream.flush())

    def reset(self) -> None:
        """Forget what has come."""
        self._stream.reset()
