"""Mistakes in decoding ids that come one by one."""

from __future__ import annotations

from dataclasses import replace

from reftok import Tokenizer
from reftok.rules.byte_level import from_byte_characters
from reftok.rules.sentencepiece.decoder import SentencePieceDecoder
from tests.planted_defects.second.plain import Plain

MOST_HELD = 3
LENGTHS = ((0xF0, 4), (0xE0, 3), (0xC0, 2))
"""The least first byte of a character, and how many bytes that has."""


class CountsFollowers(Plain):
    """After the first byte of a character its others are counted, not looked at: what comes instead is swallowed."""

    def stream_decoder(self, skip_special_tokens: bool) -> _Counts:
        return _Counts(self, skip_special_tokens)


class _Counts:
    def __init__(self, subject: Plain, skip_special_tokens: bool) -> None:
        self.pipeline = subject.pipeline
        self.skip_special_tokens = skip_special_tokens
        self.data = b""

    def feed(self, token_id: int) -> str:
        token = self.pipeline.decodable_token(token_id, self.skip_special_tokens) or ""
        self.data += from_byte_characters(token) or token.encode("utf-8")
        text = ""
        while self.data and (size := _length(self.data[0])) <= len(self.data):
            text += _character(self.data[:size])
            self.data = self.data[size:]
        return text

    def finish(self) -> str:
        text, self.data = self.data.decode("utf-8", "replace"), b""
        return text


def _length(first: int) -> int:
    return next((length for least, length in LENGTHS if first >= least), 1)


def _character(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return "\ufffd"


class HoldsThreeTokens(Plain):
    """What ends in U+FFFD waits for the next id, but there is room for three: a character of four ids is broken."""

    def stream_decoder(self, skip_special_tokens: bool) -> _Three:
        return _Three(self, skip_special_tokens)


class _Three:
    def __init__(self, subject: Plain, skip_special_tokens: bool) -> None:
        self.subject = subject
        self.skip_special_tokens = skip_special_tokens
        self.waiting: list[int] = []

    def feed(self, token_id: int) -> str:
        self.waiting.append(token_id)
        text = self.subject.decode(self.waiting, self.skip_special_tokens)
        return "" if text.endswith("\ufffd") and len(self.waiting) < MOST_HELD else self.finish()

    def finish(self) -> str:
        text, self.waiting = self.subject.decode(self.waiting, self.skip_special_tokens), []
        return text


class SpecialTokenFlushes(Plain):
    """A special token flushes what is held, though it is skipped and the next id would complete the character."""

    def stream_decoder(self, skip_special_tokens: bool) -> _Flushes:
        return _Flushes(self, skip_special_tokens)


class _Flushes:
    def __init__(self, subject: Plain, skip_special_tokens: bool) -> None:
        self.tokenizer = subject.tokenizer
        self.skip_special_tokens = skip_special_tokens
        self.stream = self.tokenizer.stream_decoder(skip_special_tokens)

    def feed(self, token_id: int) -> str:
        if not self.tokenizer.is_special(token_id):
            return self.stream.feed(token_id)
        before = self.stream.finish()
        self.stream = self.tokenizer.stream_decoder(self.skip_special_tokens)
        return before + self.stream.feed(token_id)

    def finish(self) -> str:
        return self.stream.finish()


class FirstIdIsFirstWord(Plain):
    """The prefix space is taken off the first id, whatever it is: where that is `<s>`, the first word keeps it."""

    def stream_decoder(self, skip_special_tokens: bool) -> _First:
        return _First(self, skip_special_tokens)


class _First:
    def __init__(self, subject: Plain, skip_special_tokens: bool) -> None:
        table = subject.pipeline.piece_table()
        spaced = Tokenizer(
            replace(subject.tokenizer.rules, decoders=(SentencePieceDecoder(table, strips_first_space=False),))
        )
        self.subject = subject
        self.is_first = True
        self.stream = subject.tokenizer.stream_decoder(skip_special_tokens)
        self.spaced = spaced.stream_decoder(skip_special_tokens)

    def feed(self, token_id: int) -> str:
        if self.is_first and self.subject.pipeline.is_special(token_id):
            self.stream = self.spaced
        self.is_first = False
        return self.stream.feed(token_id)

    def finish(self) -> str:
        return self.stream.finish()
