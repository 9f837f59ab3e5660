"""Mistakes in encoding a text that comes in chunks."""

from __future__ import annotations

from tests.planted_defects.second.plain import Plain

CONTINUATION, LEAD_OF_TWO, LEAD_OF_THREE = 0x80, 0xC0, 0xE0


class KeepsOneToken(Plain):
    """All ids so far but the last are taken for final, though a merge may reach back further than one token."""

    def stream_encoder(self, add_special_tokens: bool) -> _OneToken:
        return _OneToken(self, add_special_tokens)


class _OneToken:
    def __init__(self, subject: Plain, add_special_tokens: bool) -> None:
        self.subject = subject
        self.add_special_tokens = add_special_tokens
        self.text = ""
        self.given = 0

    def feed(self, text: str) -> list[int]:
        self.text += text
        ids = self.subject.encode(self.text, self.add_special_tokens)[self.given : -1]
        self.given += len(ids)
        return ids

    def finish(self) -> list[int]:
        return self.subject.encode(self.text, self.add_special_tokens)[self.given :]


class ForgetsFourBytes(Plain):
    """A character cut between two chunks of bytes waits for the rest where it has two bytes or three, but not four."""

    def stream_encoder(self, add_special_tokens: bool) -> _Bytes:
        return _Bytes(self, add_special_tokens)


class _Bytes:
    def __init__(self, subject: Plain, add_special_tokens: bool) -> None:
        self.stream = subject.tokenizer.stream_encoder(add_special_tokens)
        self.waiting = b""

    def feed(self, text: str) -> list[int]:
        return self.stream.feed(text)

    def feed_bytes(self, data: bytes) -> list[int]:
        data = self.waiting + data
        whole = len(data) - _cut_character(data)
        self.waiting = data[whole:]
        return self.stream.feed(data[:whole].decode("utf-8", "replace"))

    def finish(self) -> list[int]:
        return self.stream.feed(self.waiting.decode("utf-8", "replace")) + self.stream.finish()


def _cut_character(data: bytes) -> int:
    """How many bytes at the end begin a character of two or three."""
    if data[-1:] and 0xC2 <= data[-1] <= 0xEF:
        return 1
    return 2 if len(data) > 1 and data[-2] & 0xF0 == LEAD_OF_THREE and data[-1] & LEAD_OF_TWO == CONTINUATION else 0


class BeginsOnce(Plain):
    """The flag that the special tokens were written is not among what `reset` sets back."""

    def stream_encoder(self, add_special_tokens: bool) -> _Once:
        return _Once(self, add_special_tokens)


class _Once:
    def __init__(self, subject: Plain, add_special_tokens: bool) -> None:
        self.subject = subject
        self.stream = subject.tokenizer.stream_encoder(add_special_tokens)

    def feed(self, text: str) -> list[int]:
        return self.stream.feed(text)

    def finish(self) -> list[int]:
        return self.stream.finish()

    def reset(self) -> None:
        self.stream = self.subject.tokenizer.stream_encoder(False)
