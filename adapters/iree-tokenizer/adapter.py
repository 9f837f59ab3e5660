"""iree-tokenizer, the tokenizer in C of the compiler IREE, as a subject.

Reads tokenizer.json and the rank files of OpenAI, whose encoding is told by the name of the file. Its offsets are bytes
of UTF-8. It streams both ways.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar


class Subject:
    """The library with the model at `model_path`."""

    capabilities: ClassVar[dict[str, Any]] = {
        "encode": {"fields": ["offsets"], "offsets_unit": "utf8"},
        "decode": {},
        "encode_batch": True,
        "stream_encode": ["beside"],
        "stream_decode": ["beside"],
    }

    def __init__(self, model_path: str) -> None:
        from iree.tokenizer import Tokenizer

        self.version = version("iree-tokenizer")
        path = Path(model_path)
        if path.read_bytes()[:1] == b"{":
            self._tokenizer = Tokenizer.from_file(model_path)
        else:
            self._tokenizer = Tokenizer.from_tiktoken(model_path, path.stem)

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        """The ids of a text."""
        return list(self._tokenizer.encode(text, add_special_tokens))

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], None, list[tuple[int, int]]]:
        """The ids of a text, with their places in its bytes."""
        found = self._tokenizer.encode_rich(text, add_special_tokens, track_offsets=True)
        return [int(i) for i in found.ids], None, [(int(begin), int(end)) for begin, end in found.offsets]

    def encode_batch(self, texts: list[str], add_special_tokens: bool) -> list[list[int]]:
        """The ids of several texts."""
        return [list(ids) for ids in self._tokenizer.encode_batch(texts, add_special_tokens)]

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        """The text of ids."""
        return str(self._tokenizer.decode(ids, skip_special_tokens))

    def stream_encoder(self, add_special_tokens: bool) -> Encoder:
        """An encoder that is fed one piece of a text after the other."""
        return Encoder(self._tokenizer.encode_stream(add_special_tokens))

    def stream_decoder(self, skip_special_tokens: bool) -> Decoder:
        """A decoder that is fed one id after the other."""
        return Decoder(self._tokenizer.decode_stream(skip_special_tokens))


class Encoder:
    """A stream of the library, by the names of the harness."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def feed(self, text: str) -> list[int]:
        """The ids that have become certain with this piece."""
        return list(self._stream.feed(text))

    def finish(self) -> list[int]:
        """The ids of what is held."""
        return list(self._stream.finalize())


class Decoder:
    """A stream of the library, by the names of the harness."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def feed(self, token_id: int) -> str:
        """The text that has become certain with this id."""
        return str(self._stream.feed([token_id]))

    def finish(self) -> str:
        """The text that is held."""
        return str(self._stream.finalize())
