"""Ports that change the text before they tokenize it."""

from __future__ import annotations

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
