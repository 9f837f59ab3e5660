"""Added tokens, cut out of text that comes bit by bit: the streamed form of `reftok.rules.huggingface.added_tokens`.

A place in the text is decided when no continuation can change what is found there: the text from there on is not the
beginning of a content, and the character behind a `single_word` token has come. White space that a token with `lstrip`
might still take waits for the character behind it; `rstrip` takes what comes when it comes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from reftok.engine.patterns.literals import beginnings
from reftok.engine.sinks import StreamedStage, TextSink
from reftok.rules.huggingface.added_tokens import (
    AddedTokenPattern,
    end_of_white_space_after,
    stands_alone,
    start_of_white_space_before,
)
from reftok.unicode.characters import WHITE_SPACE

_BLANKS = "".join(sorted(WHITE_SPACE))


class StreamedAddedTokens(StreamedStage):
    """Cuts the tokens out of each pre-token.

    The state counts from the start of `_buffer`, whose first `_covered` characters have been handed on or belong to a
    token; the search goes on at `_position`. The two can be apart: `rstrip` covers white space that is still searched.

    ignored: the ids of the tokens that are ordinary text where they match.
    """

    def __init__(self, pattern: AddedTokenPattern, ignored: frozenset[int], sink: TextSink) -> None:
        super().__init__(sink)
        self._pattern = pattern
        self._ignored = ignored
        self._strips_left = pattern.strips_left
        self._find = _beginnings_of(pattern).search
        self._start_pre_token()

    def _start_pre_token(self) -> None:
        self._buffer = ""
        self._blanks: list[str] = []
        self._blank_size = 0
        self._waits_behind_blanks = False
        self._covered = 0
        self._position = 0
        self._strips_on = False

    @property
    def held(self) -> int:
        """How many code points are held."""
        return len(self._buffer) - self._covered + self._blank_size

    def text(self, fragment: str) -> None:
        if (
            self._find(fragment) is None
            and self._covered == len(self._buffer)
            and not self._strips_on
            and not (self._strips_left and fragment[-1] in WHITE_SPACE)
        ):
            self._buffer = fragment[-1]
            self._covered = self._position = 1
            self.sink.text(fragment)
            return
        self._blanks.append(fragment)
        self._blank_size += len(fragment)
        if not (self._waits_behind_blanks and not fragment.strip(_BLANKS)):
            self._settle(is_end=False)

    def end_pre_token(self) -> None:
        if self._position < len(self._buffer) or self._covered < len(self._buffer):
            self._settle(is_end=True)
        self._start_pre_token()
        self.sink.end_pre_token()

    def pre_tokens(self, pre_tokens: Sequence[str]) -> None:
        for pre_token in pre_tokens:
            if self._find(pre_token) is not None:
                super().pre_tokens(pre_tokens)
                return
        self.sink.pre_tokens(pre_tokens)

    def _settle(self, is_end: bool) -> None:
        """Hand on all that is decided, and keep one character before it for `single_word`."""
        self._buffer = buffer = self._buffer + "".join(self._blanks)
        self._blanks.clear()
        self._blank_size = 0
        if self._strips_on:
            self._cover(end_of_white_space_after(buffer, self._covered), strips_on=True)
        undecided = self._cut_out_tokens(is_end)
        end = undecided
        if self._strips_left and not is_end:
            end = start_of_white_space_before(buffer, end, min(self._covered, end))
        self._hand_on(end)
        is_blank = end < undecided == len(buffer)
        self._waits_behind_blanks = is_blank and not self._pattern.begins_with_white_space
        self._position = undecided
        self._forget(max(min(self._covered, undecided) - 1, 0))

    def _cut_out_tokens(self, is_end: bool) -> int:
        """Hand on the tokens that are decided, with the text before each; from where on the text is undecided."""
        pattern, text = self._pattern, self._buffer
        while (found := self._find(text, self._position)) is not None:
            start = found.start()
            if not is_end and pattern.contents.may_continue(text, start):
                return start
            content = next(pattern.contents.at(text, start), None)
            if content is None:
                self._position = start + 1
                continue
            token_id, stop = pattern.ids[content], start + len(content)
            token = pattern.tokens[token_id]
            if token.single_word and stop == len(text) and not is_end:
                return start
            self._position = stop
            if token_id not in self._ignored and (not token.single_word or stands_alone(text, start, stop)):
                end = end_of_white_space_after(text, max(stop, self._covered)) if token.rstrip else stop
                if token.lstrip:
                    start = start_of_white_space_before(text, start, self._covered)
                self._hand_on_token(token_id, start, end, token.rstrip)
        return len(text)

    def _hand_on_token(self, token_id: int, start: int, end: int, strips_right: bool) -> None:
        if start >= end:
            # It lies in white space that is covered, of which more may come.
            return
        self._hand_on(start)
        self.sink.end_pre_token()
        self.sink.token(token_id)
        self._cover(end, strips_right)

    def _cover(self, end: int, strips_on: bool) -> None:
        """Nothing up to `end` is handed on as text; more white space behind it is not either, if `strips_on`."""
        self._covered = end
        self._strips_on = strips_on and end == len(self._buffer)

    def _hand_on(self, end: int) -> None:
        start = self._covered
        if start < end:
            self.sink.text(self._buffer[start:end])
            self._covered = end

    def _forget(self, count: int) -> None:
        self._buffer = self._buffer[count:]
        self._covered -= count
        self._position -= count


@lru_cache(maxsize=32)
def _beginnings_of(pattern: AddedTokenPattern) -> re.Pattern[str]:
    return beginnings(pattern.ids)


def stream_added_tokens(
    pattern: AddedTokenPattern | None, ignored: frozenset[int], sink: TextSink
) -> list[StreamedAddedTokens]:
    """The stage before `sink`; none where there are no such tokens."""
    return [] if pattern is None else [StreamedAddedTokens(pattern, ignored, sink)]
