"""Ports that change the text before they tokenize it."""

from __future__ import annotations

import re
from typing import ClassVar

from official import Official, OtherInput, Spans


class LineEnds(OtherInput):
    """Line ends are converted: a file that was opened in text mode."""

    def before(self, text: str) -> str:
        return text.replace("\r\n", "\n").replace("\r", "\n")


class CarriageReturns(OtherInput):
    """Every carriage return is dropped, alone or before a line feed."""

    def before(self, text: str) -> str:
        return text.replace("\r", "")


class LineEndsAreSpaces(OtherInput):
    """A line end of any form becomes a space: a text that is read into one line."""

    def before(self, text: str) -> str:
        return re.sub(r"\r\n|\r|\n", " ", text)


class ByteOrderMark(OtherInput):
    """A byte order mark is dropped: the encoding "utf-8-sig"."""

    def before(self, text: str) -> str:
        return text.removeprefix("\ufeff")


class UnitByUnit(OtherInput):
    """Each char of Java is encoded by itself: half a surrogate pair is a question mark."""

    def before(self, text: str) -> str:
        return "".join(char if char <= "\uffff" else "??" for char in text)


class TrailingSpace(OtherInput):
    """White space at the end is stripped: a line that was read with rstrip."""

    def before(self, text: str) -> str:
        return text.rstrip()


class SpecialTokenStrings(OtherInput):
    """What looks like a special token is removed from the text: a port that guards against injection."""

    strings: ClassVar[tuple[str, ...]] = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")

    def before(self, text: str) -> str:
        for string in self.strings:
            text = text.replace(string, "")
        return text


class ZeroWidth(OtherInput):
    """Zero-width characters are removed: a port that takes them for noise."""

    def before(self, text: str) -> str:
        return text.translate(dict.fromkeys((0x200B, 0x200C, 0x200D, 0xFEFF)))


class FirstCharacters(OtherInput):
    """A fixed buffer of 512 characters: the rest of the text is lost."""

    def before(self, text: str) -> str:
        return text[:512]


class FirstBytes(OtherInput):
    """A fixed buffer of 255 bytes: the rest is lost, with the character that it ends in."""

    def before(self, text: str) -> str:
        return text.encode()[:255].decode("utf-8", "ignore")


class ByteLength(OtherInput):
    """The length in bytes is kept in one byte: a text of 258 bytes is one of 2."""

    def before(self, text: str) -> str:
        data = text.encode()
        return data[: len(data) & 0xFF].decode("utf-8", "ignore") if len(data) > 0xFF else text


class FullBuffers(OtherInput):
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


class JavaTrim(OtherInput):
    """`text.trim()` in Java: every code point up to the space is taken off, controls as well."""

    def before(self, text: str) -> str:
        return text.strip("".join(map(chr, range(0x21))))


class JavaStrip(OtherInput):
    """`text.strip()` in Java, which goes by Character.isWhitespace: no-break spaces stay, information separators go."""

    def before(self, text: str) -> str:
        return text.strip(
            "\t\n\v\f\r\x1c\x1d\x1e\x1f \u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006"
            "\u2008\u2009\u200a\u2028\u2029\u205f\u3000"
        )


class EcmaTrim(OtherInput):
    """`text.trim()` in JavaScript: a byte order mark is white space there, U+0085 is none."""

    def before(self, text: str) -> str:
        return text.strip(
            "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
            "\u2028\u2029\u202f\u205f\u3000\ufeff"
        )


class CTrim(OtherInput):
    """Two loops with `isspace` in C, over the bytes of UTF-8 in the locale "C"."""

    def before(self, text: str) -> str:
        return text.encode().strip().decode()


class GoTrim(OtherInput):
    """`strings.TrimSpace(text)` in Go: what Unicode says is white space."""

    def before(self, text: str) -> str:
        return text.strip(
            "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
            "\u2028\u2029\u202f\u205f\u3000"
        )


class EcmaTrimEnd(EcmaTrim):
    """`text.trimEnd()` in JavaScript."""

    def before(self, text: str) -> str:
        return super().before(f".{text}").removeprefix(".")


class CTrimStart(OtherInput):
    """One loop with `isspace` in C, over the bytes at the start."""

    def before(self, text: str) -> str:
        return text.encode().lstrip().decode()


class Chomped(OtherInput):
    """A line as `lines()` of Rust and a Scanner of Go give it: without its end, \\n or \\r\\n."""

    def before(self, text: str) -> str:
        return text.removesuffix("\r\n") if text.endswith("\r\n") else text.removesuffix("\n")
