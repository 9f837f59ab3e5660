"""One input, and where it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "bytes", "ids"]


@dataclass(frozen=True, slots=True)
class Case:
    """One input of a run; exactly one of `text`, `data` and `ids` is set, as `kind` says, or `tokens` in place of ids.

    origin: where it came from, such as "corpora/languages/de-Latn.txt:12" or "fuzz:text:17".
    language: the corpus file's name without its ending, for the break-down by language; "" for made inputs.
    text: what is encoded.
    data: bytes that need not be UTF-8, for subjects that take bytes; the others get them decoded with U+FFFD.
    ids: what is decoded.
    tokens: what is decoded in whatever model has these; their ids there take their place before a subject is asked.
    """

    kind: Kind
    origin: str
    language: str = ""
    text: str = ""
    data: bytes = b""
    ids: tuple[int, ...] = ()
    tokens: tuple[str, ...] = ()

    @property
    def readable_text(self) -> str:
        """The text that a subject without bytes is given."""
        return self.data.decode("utf-8", "replace") if self.kind == "bytes" else self.text

    @property
    def content(self) -> tuple[Kind, str, bytes, tuple[int, ...]]:
        """The input itself, wherever it came from."""
        return self.kind, self.text, self.data, self.ids

    @property
    def size(self) -> int:
        """Code points, bytes or ids."""
        return len(self.text) + len(self.data) + len(self.ids)


def text_case(text: str, origin: str, language: str = "") -> Case:
    """A text to encode."""
    return Case("text", origin, language, text=text)


def bytes_case(data: bytes, origin: str, language: str = "") -> Case:
    """Bytes to encode."""
    return Case("bytes", origin, language, data=data)


def ids_case(ids: tuple[int, ...], origin: str) -> Case:
    """Ids to decode."""
    return Case("ids", origin, ids=ids)


def made_case(drawn: str | bytes | tuple[int, ...], origin: str) -> Case:
    """A drawn input as a case."""
    if isinstance(drawn, tuple):
        return ids_case(drawn, origin)
    return bytes_case(drawn, origin) if isinstance(drawn, bytes) else text_case(drawn, origin)


def tokens_case(tokens: tuple[str, ...], origin: str) -> Case:
    """Tokens to decode, by their ids in the model that has them."""
    return Case("ids", origin, tokens=tokens)
