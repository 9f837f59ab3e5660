"""Units of text to ids, in the process that writes or in a worker."""

from __future__ import annotations

import sys
from array import array
from codecs import utf_8_decode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import regex

from reftok.encode_files.sources import LONGEST, Unit
from reftok.errors import EncodingStopped, ReftokError
from reftok.formats.files import read_file
from reftok.formats.model_files import files_beside, find_model
from reftok.tokenizer import Tokenizer, load
from reftok.version import __version__


@dataclass(frozen=True, slots=True)
class Task:
    """The options that decide the ids of a document, as `encode_files` has them."""

    model: str
    errors: str = "strict"
    add_special_tokens: bool = True
    end_token: str | None = None
    encoding: str | None = None


@dataclass(frozen=True, slots=True)
class Encoded:
    """The ids of a unit.

    ids: as they are written. lengths: number of ids of each document that ends in the unit.
    replaced: number of these documents that had bytes which are not UTF-8.
    """

    ids: bytes
    lengths: Sequence[int]
    replaced: int


class Encoder:
    """Encodes units with a tokenizer.

    Raises EncodingStopped, as `encode` does, for a model that cannot be loaded or has not the end token.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        try:
            self._tokenizer = tokenizer = load(task.model, encoding=task.encoding)
        except ReftokError as error:
            raise EncodingStopped(str(error)) from None
        self._long: _LongDocument | None = None
        end = None if task.end_token is None else tokenizer.token_to_id(task.end_token)
        if end is None and task.end_token is not None:
            raise EncodingStopped(f"{task.model}: has no token {task.end_token!r} to end a document with")
        self._end = [] if end is None else [end]
        # Not `vocab_size`: ids may have gaps, and a template may have ids that no other stage knows.
        rules, inserted = tokenizer.rules, tokenizer.encode_ids("", add_special_tokens=task.add_special_tokens)
        largest = max([rules.model.size - 1, *rules.model.vocab.values(), *rules.added_tokens.tokens, *inserted])
        self._id_bytes = 2 if largest < 1 << 16 else 4

    def identity(self) -> dict[str, Any]:
        """What decides the ids besides the options: the model's files, with their SHA-256, and versions.

        alters: what the model's own file does to the ids of each document ("truncation and padding"), or "".
        """
        path, rules = find_model(self._task.model), self._tokenizer.rules
        return {
            "files": {file.name: sha256(read_file(file)).hexdigest() for file in (path, *files_beside(path))},
            "library": self._tokenizer.library,
            "versions": {"reftok": __version__, "regex": str(regex.__version__)},
            "dtype": f"<u{self._id_bytes}",
            "alters": " and ".join(name for name in ("truncation", "padding") if getattr(rules, name) is not None),
        }

    def encode(self, unit: Unit) -> Encoded:
        """The ids of a unit. The parts of a long document must all come to one encoder, in order.

        Raises EncodingStopped for a document that cannot be encoded.
        """
        number, replaced = unit.number, 0
        ids: list[int] = []
        lengths: list[int] = []
        try:
            if unit.is_part:
                long = self._long = self._long or _LongDocument(self._task, self._tokenizer)
                ids += long.encode(unit.documents[0], unit.is_last)
                if unit.is_last:
                    self._long = None
                    ids += self._end
                    lengths, replaced = [long.tokens + len(self._end)], long.replaced
            else:
                for document in unit.documents:
                    text = document.decode("utf-8", self._task.errors)
                    found = self._tokenizer.encode_ids(text, add_special_tokens=self._task.add_special_tokens)
                    ids += found
                    ids += self._end
                    lengths.append(len(found) + len(self._end))
                    replaced += _is_replaced(text, document)
                    number += 1
        except UnicodeDecodeError as error:
            byte = error.start + (self._long.bytes if self._long else 0)
            problem = f"byte {byte} is not UTF-8: --errors replace goes on with U+FFFD in its place"
            raise EncodingStopped(f"{unit.source}, document {number:,}: {problem}") from None
        except ReftokError as error:
            raise EncodingStopped(f"{unit.source}, document {number:,}: {error}") from None
        return Encoded(little_endian(ids, self._id_bytes), lengths, replaced)


class _LongDocument:
    """A document that is too long to be held, encoded as a stream.

    bytes, tokens: how many are encoded. replaced: whether some bytes were not UTF-8.
    """

    def __init__(self, task: Task, tokenizer: Tokenizer) -> None:
        self._errors = task.errors
        self._stream = tokenizer.stream_encoder(add_special_tokens=task.add_special_tokens)
        self._waiting = b""  # the beginning of a character, at most 3 bytes
        self.bytes = self.tokens = 0
        self.replaced = False

    def encode(self, part: bytes, is_last: bool) -> list[int]:
        """The ids that are final with this part."""
        data = self._waiting + part
        text, size = utf_8_decode(data, self._errors, is_last)
        self._waiting, self.bytes = data[size:], self.bytes + size
        self.replaced |= _is_replaced(text, data[:size])
        ids = self._stream.feed(text)
        if is_last:
            ids += self._stream.finish()
        elif self._stream.held > LONGEST:
            why = f" ({self._stream.held_until_end[0]})" if self._stream.held_until_end else ""
            raise ReftokError(f"the tokenizer must hold back more than {LONGEST >> 20} Mi code points{why}: split it")
        self.tokens += len(ids)
        return ids


def _is_replaced(text: str, data: bytes) -> bool:
    return "\ufffd" in text and text.encode("utf-8") != data


def little_endian(numbers: Iterable[int], size: int) -> bytes:
    r"""Numbers as they are written on any machine, each with `size` bytes.

    >>> little_endian([1, 258], 2)
    b'\x01\x00\x02\x01'
    """
    values = array({2: "H", 4: "I", 8: "Q"}[size], numbers)
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()
