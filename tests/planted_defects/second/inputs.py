"""Mistakes on the way to the tokenizer: strings of other languages, buffers, transports."""

from __future__ import annotations

from tests.planted_defects.second.plain import Plain, Spans

BUFFER_BYTES = 64


class Before(Plain):
    """The text is another one before any stage sees it."""

    def received(self, text: str) -> str:
        return text

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[list[int], list[str], Spans]:
        return super().encode_with_offsets(self.received(text), add_special_tokens)


class ModifiedUtf8(Before):
    """JNI's GetStringUTFChars is taken for UTF-8: a surrogate is three bad bytes, and NUL is C0 80."""

    def received(self, text: str) -> str:
        units = ("\ufffd" * 6 if character > "\uffff" else character for character in text)
        return "".join(units).replace("\0", "\ufffd" * 2)


class BufferCutsCharacters(Before):
    """The bytes come through a buffer of 64 of them, and what is in it is decoded by itself."""

    def received(self, text: str) -> str:
        data = text.encode("utf-8")
        filled = range(0, len(data), BUFFER_BYTES)
        return "".join(data[start : start + BUFFER_BYTES].decode("utf-8", "replace") for start in filled)


class PlusIsSpace(Before):
    """The text is the parameter of a form in an HTTP request, and its plus signs are not escaped."""

    def received(self, text: str) -> str:
        return text.replace("+", " ")
