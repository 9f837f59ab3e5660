"""The special tokens of llama.cpp, cut out of text that comes bit by bit."""

from __future__ import annotations

import regex

from reftok.engine.sinks import StreamedStage, TextSink
from reftok.rules.llama_cpp.special_tokens import SPACES, LlamaSpecialTokens
from reftok.rules.llama_cpp.vocab import SPECIAL, Attribute
from reftok.rules.longest_first import EntriesByBeginning
from reftok.rules.text import NormalizedString, Part
from reftok.rules.types import Span


class StreamedLlamaSpecialTokens(StreamedStage):
    """Cuts the text where no token reaches across, and gives what is before to the stage itself.

    llama.cpp searches for one token after the other, so that what is found in one place depends on all occurrences
    that overlap there: none of them may lie across the cut, nor begin before it and go on in text that has not come.
    The same holds for the white space that some tokens take.
    """

    def __init__(self, tokens: LlamaSpecialTokens, encode_special_tokens: bool, sink: TextSink) -> None:
        super().__init__(sink)
        self._tokens = tokens
        self._encode_special_tokens = encode_special_tokens
        vocab = tokens.vocab
        self._attributes = {
            vocab.tokens[token_id]: vocab.attributes[token_id]
            for token_id in tokens.longest_first
            if vocab.tokens[token_id] and not (encode_special_tokens and vocab.attributes[token_id] & SPECIAL)
        }
        self._entries = EntriesByBeginning(self._attributes)
        beginnings = "".join(map(regex.escape, sorted({content[0] for content in self._attributes})))
        self._find = regex.compile(f"[{beginnings}]" if beginnings else "(?!)", regex.V0).search
        self._strips_left = any(attribute & Attribute.LSTRIP for attribute in self._attributes.values())
        self._buffer = ""
        self._next_look = 0

    @property
    def held(self) -> int:
        """How many code points are held."""
        return len(self._buffer)

    def text(self, fragment: str) -> None:
        ends_open = self._strips_left and fragment[-1] in SPACES
        if not self._buffer and not ends_open and self._find(fragment) is None:
            self.sink.text(fragment)
            return
        self._buffer += fragment
        if len(self._buffer) >= self._next_look:
            self._hand_on(self._decided())
            self._next_look = len(self._buffer) + len(self._buffer) // 4

    def end_pre_token(self) -> None:
        self._hand_on(len(self._buffer))
        self._next_look = 0
        self.sink.end_pre_token()

    def _hand_on(self, end: int) -> None:
        decided, self._buffer = self._buffer[:end], self._buffer[end:]
        if not decided:
            return
        for split in self._tokens.split_raw([Part(NormalizedString(decided))], self._encode_special_tokens):
            if split.tokens is None:
                self.sink.text(split.normalized.text)
            else:
                self.sink.end_pre_token()
                self.sink.token(split.tokens[0].id)

    def _decided(self) -> int:
        """Up to where no continuation can change what is found, and nothing that is found lies across."""
        text = self._buffer
        spans, end = self._occurrences(text)
        strips_right = {stop for start, stop in spans if self._attributes[text[start:stop]] & Attribute.RSTRIP}
        while True:
            before = end
            if self._strips_left:
                end = len(text[:end].rstrip(SPACES))
            solid = len(text[:end].rstrip(SPACES))
            if end == len(text) or text[end] in SPACES:
                end = min([end, *(stop - 1 for stop in strips_right if solid <= stop <= end)])
            for start, stop in reversed(spans):
                if start < end < stop:
                    end = start
            if end == before:
                return end

    def _occurrences(self, text: str) -> tuple[list[Span], int]:
        """Every token that stands anywhere, by its start; and where one may begin and not be complete."""
        spans: list[Span] = []
        position = 0
        while (found := self._find(text, position)) is not None:
            start = found.start()
            if self._entries.may_continue(text, start):
                return spans, start
            spans += [(start, start + len(entry)) for entry in self._entries.at(text, start)]
            position = start + 1
        return spans, len(text)
