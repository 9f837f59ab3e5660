"""Chunks of a text, as str and as bytes, made into what the stages take."""

from __future__ import annotations

from codecs import utf_8_decode

from reftok.errors import InvalidText

_TAKE_ANY_BYTES = ("sentencepiece", "llama.cpp")


class ChunkReader:
    r"""Keeps the bytes of a character that is not complete, and for tiktoken the first half of a surrogate pair.

    library: what decides about lone surrogates and bytes that are not UTF-8, as for a whole text: `tokenizers` refuses
        both; sentencepiece and llama.cpp take such bytes, which come out as lone surrogates U+DC80 to U+DCFF; tiktoken
        joins surrogates to pairs and replaces lone ones.
    errors: "replace" for U+FFFD instead of refused bytes.

    >>> reader = ChunkReader("tokenizers")
    >>> reader.from_bytes(b"a\xc3"), reader.waiting, reader.from_bytes(b"\xa9"), reader.end()
    ('a', 1, 'é', '')
    """

    def __init__(self, library: str, errors: str = "strict") -> None:
        self._library = library
        self._errors = "surrogateescape" if library in _TAKE_ANY_BYTES else errors
        self._joins_surrogates = library in ("tiktoken", "mistral-common")
        self._bytes = b""
        self._high = ""

    @property
    def waiting(self) -> int:
        """How many bytes and surrogates wait for more."""
        return len(self._bytes) + len(self._high)

    def from_str(self, chunk: str) -> str:
        """Raises InvalidText for what is no str, for surrogates that the library refuses, and within a character."""
        if not isinstance(chunk, str):
            raise InvalidText(f"feed takes str, not {type(chunk).__name__}; feed_bytes takes bytes")
        if self._bytes:
            self._refuse_surrogates(chunk)
            if chunk and self._errors == "strict":
                problem = f"the character that feed_bytes began with {self._bytes.hex(' ').upper()} is not complete"
                raise InvalidText(f"{problem}: its other bytes come first, with feed_bytes")
            return self.from_bytes(chunk.encode("utf-8"))
        if self._joins_surrogates:
            chunk, self._high = self._high + chunk, ""
            if "\ud800" <= chunk[-1:] <= "\udbff":
                chunk, self._high = chunk[:-1], chunk[-1]
            chunk = _paired(chunk)
        elif not chunk.isascii():
            self._refuse_surrogates(chunk)
        return chunk

    def from_bytes(self, chunk: bytes) -> str:
        """Raises InvalidText for bytes that are not UTF-8, where the library does not take them."""
        if not isinstance(chunk, bytes | bytearray | memoryview):
            raise InvalidText(f"feed_bytes takes bytes, not {type(chunk).__name__}")
        return self._decoded(bytes(chunk), final=False)

    def end(self) -> str:
        """The text that waited for more that does not come."""
        rest = self._decoded(b"", final=True)
        rest, self._high = _paired(self._high) + rest, ""
        return rest

    def _decoded(self, chunk: bytes, final: bool) -> str:
        data = self._bytes + chunk
        try:
            text, size = utf_8_decode(data, self._errors, final)
        except UnicodeDecodeError as error:
            if final:
                raise InvalidText("the stream ends within a character") from None
            place = error.start - len(self._bytes)
            begins = "before" if place < 0 else f"at byte {place} of"
            raise InvalidText(f"not UTF-8: {error.reason} for what begins {begins} this chunk") from None
        self._bytes = data[size:]
        if self._high and text:
            text, self._high = _paired(self._high) + text, ""
        return text

    def _refuse_surrogates(self, chunk: str) -> None:
        try:
            chunk.encode("utf-8")
        except UnicodeEncodeError as error:
            found = f"U+{ord(chunk[error.start]):04X} at code point {error.start} of this chunk"
            raise InvalidText(f"lone surrogate {found}: not a text; {self._library} refuses it too") from None


def _paired(text: str) -> str:
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
