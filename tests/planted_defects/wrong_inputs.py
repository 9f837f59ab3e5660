"""Ports that change the text before they tokenize it."""

from __future__ import annotations

import re
from typing import ClassVar

from official import Official, Spans


class _Changed(Official):
    def before(self, text: str) -> str:
        return text

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        return super().encode_with_offsets(self.before(text), add_special_tokens)


class LineEnds(_Changed):
    """Line ends are converted: a file that was opened in text mode."""

    def before(self, text: str) -> str:
        return text.replace("\r\n", "\n").replace("\r", "\n")


class CarriageReturns(_Changed):
    """Every carriage return is dropped, alone or before a line feed."""

    def before(self, text: str) -> str:
        return text.replace("\r", "")


class LineEndsAreSpaces(_Changed):
    """A line end of any form becomes a space: a text that is read into one line."""

    def before(self, text: str) -> str:
        return re.sub(r"\r\n|\r|\n", " ", text)


class ByteOrderMark(_Changed):
    """A byte order mark is dropped: the encoding "utf-8-sig"."""

    def before(self, text: str) -> str:
        return text.removeprefix("\ufeff")


class UnitByUnit(_Changed):
    """Each char of Java is encoded by itself: half a surrogate pair is a question mark."""

    def before(self, text: str) -> str:
        return "".join(char if char <= "\uffff" else "??" for char in text)


class TrailingSpace(_Changed):
    """White space at the end is stripped: a line that was read with rstrip."""

    def before(self, text: str) -> str:
        return text.rstrip()


class SpecialTokenStrings(_Changed):
    """What looks like a special token is removed from the text: a port that guards against injection."""

    strings: ClassVar[tuple[str, ...]] = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")

    def before(self, text: str) -> str:
        for string in self.strings:
            text = text.replace(string, "")
        return text


class ZeroWidth(_Changed):
    """Zero-width characters are removed: a port that takes them for noise."""

    def before(self, text: str) -> str:
        return text.translate(dict.fromkeys((0x200B, 0x200C, 0x200D, 0xFEFF)))


class FirstCharacters(_Changed):
    """A fixed buffer of 512 characters: the rest of the text is lost."""

    def before(self, text: str) -> str:
        return text[:512]


class FirstBytes(_Changed):
    """A fixed buffer of 255 bytes: the rest is lost, with the character that it ends in."""

    def before(self, text: str) -> str:
        return text.encode()[:255].decode("utf-8", "ignore")


class ByteLength(_Changed):
    """The length in bytes is kept in one byte: a text of 258 bytes is one of 2."""

    def before(self, text: str) -> str:
        data = text.encode()
        return data[: len(data) & 0xFF].decode("utf-8", "ignore") if len(data) > 0xFF else text


class FullBuffers(_Changed):
    """Bytes are read into a buffer of 128, each of which is decoded alone: characters on the seam are lost."""

    def before(self, text: str) -> str:
        data = text.encode()
        return "".join(data[start : start + 128].decode("utf-8", "replace") for start in range(0, len(data), 128))


class Blocks(Official):
    """The text is tokenized in blocks of 100 characters, without a look at where words end."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        ids: list[int] = []
        tokens: list[str] = []
        spans: Spans = []
        for start in range(0, max(1, len(text)), 100):
            block = super().encode_with_offsets(text[start : start + 100], add_special_tokens)
            ids += block[0]
            tokens += block[1]
            spans += [(start + first, start + last) for first, last in block[2]]
        return ids, tokens, spans
