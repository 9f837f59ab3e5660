"""The pre-tokenizers that cut by a pattern, in a text that comes bit by bit: Split, ByteLevel and Whitespace."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

from reftok.engine.encode.merges import StreamedMerges
from reftok.engine.patterns.patterns import Matcher, matcher_of, stream_matches
from reftok.engine.patterns.streamable import streamable
from reftok.engine.sinks import StreamedStage, TextSink
from reftok.regex_dialects.pattern import compile_oniguruma
from reftok.rules.byte_level import BYTE_TO_CHARACTER, to_byte_characters
from reftok.rules.huggingface.pre_tokenizers import GPT2_PATTERN, WORDS, ByteLevel, Split, Whitespace
from reftok.rules.llama_cpp.pre_tokenizers import RegexSplit
from reftok.rules.text import JOINED, Behavior

_IN_NO_TEXT = b"\xff"


def stream_split(split: Split, sink: TextSink) -> StreamedSplit:
    """The streamed form of a Split."""
    return StreamedSplit(stream_matches(split.pattern, opens=True), split.behavior, split.invert, sink)


def stream_whitespace(_: Whitespace, sink: TextSink) -> StreamedSplit:
    """The streamed form of Whitespace: the matches are what is kept."""
    return StreamedSplit(stream_matches(WORDS, opens=True), "Removed", True, sink)


def stream_regex_split(split: RegexSplit, sink: TextSink) -> StreamedSplit:
    """The streamed form of llama.cpp's RegexSplit, which reads other characters than those of the text."""
    matcher = matcher_of(streamable(split.pattern, split.read), split.matches, opens=True)
    return StreamedSplit(matcher, "Isolated", False, sink)


def stream_byte_level(pre_tokenizer: ByteLevel, sink: TextSink) -> TextSink:
    """The streamed form of ByteLevel."""
    stage: TextSink = sink.behind_bytes() if type(sink) is StreamedMerges else StreamedBytes(sink)
    if pre_tokenizer.use_regex:
        matcher = stream_matches(compile_oniguruma(GPT2_PATTERN), opens=True)
        stage = _SplitBeforeBytes(matcher, "Isolated", False, stage)
    return StreamedPrefixSpace(stage) if pre_tokenizer.add_prefix_space else stage


class StreamedSplit(StreamedStage):
    """Cuts where a matcher says.

    invert: the matches are what is kept and the gaps the delimiters.
    Whether two neighbours are cut apart depends on nothing but what they are. The end of a match is known when it
    comes, unless the matcher says that it is open; the end of a gap is where the next match begins.
    """

    def __init__(self, matcher: Matcher, behavior: Behavior, invert: bool, sink: TextSink) -> None:
        super().__init__(sink)
        self._matcher = matcher
        self._pieces = matcher.pieces
        self._invert = invert
        self._joined = JOINED[behavior]
        self._keeps = {is_match: behavior != "Removed" or is_match == invert for is_match in (True, False)}
        self._cuts_everywhere = not self._joined
        self._match_ends_pre_token = not any(left == (not invert) for left, _ in self._joined)
        self._last: bool | None = None
        self._is_open = False
        self.held_until_end = matcher.held_until_end

    @property
    def held(self) -> int:
        return self._matcher.held

    def text(self, fragment: str) -> None:
        texts, are_matches = self._pieces(fragment)
        if texts:
            if self._is_open or self._matcher.is_open:
                self._take_open(texts, are_matches or [True] * len(texts))
            else:
                self._take(texts, are_matches)

    def end_pre_token(self) -> None:
        texts, are_matches = self._matcher.last_pieces()
        if self._is_open:
            self._take_open(texts, are_matches or [True] * len(texts))
        elif texts:
            self._take(texts, are_matches)
        self.sink.end_pre_token()
        self._last = None

    def pre_tokens(self, pre_tokens: Sequence[str]) -> None:
        for pre_token in pre_tokens:
            texts, are_matches = self._matcher.whole(pre_token)
            if are_matches is None and self._cuts_everywhere:
                if self._keeps[True]:
                    self.sink.pre_tokens(texts)
            else:
                self._take(texts, are_matches)
                self.sink.end_pre_token()
                self._last = None

    def _take_open(self, texts: Sequence[str], are_matches: Sequence[bool]) -> None:
        """Pieces of which the first goes on with a match, or the last is one that may go on."""
        was_open, self._is_open = self._is_open, self._matcher.is_open
        last = len(texts) - self._is_open
        if was_open:
            self._hand_on(texts[0], True)
            if last:
                self._end_match()
        if was_open < last:
            self._take(texts[was_open:last], are_matches[was_open:last])
        if was_open <= last < len(texts):
            self._begin_piece(True)
            self._hand_on(texts[last], True)

    def _take(self, texts: Sequence[str], are_matches: Sequence[bool] | None) -> None:
        if self._cuts_everywhere:
            self._take_apart(texts, are_matches)
        else:
            for text, is_match in zip(texts, are_matches or [True] * len(texts), strict=True):
                self._take_one(text, is_match)

    def _take_apart(self, texts: Sequence[str], are_matches: Sequence[bool] | None) -> None:
        """Pieces that are all parts of their own, but for a gap at either end, which may be a bit of one."""
        if are_matches is None:
            if self._last is False:
                self.sink.end_pre_token()
            self._last = True
            if self._keeps[True]:
                self.sink.pre_tokens(texts)
            return
        first, last = int(not are_matches[0]), len(texts) - (not are_matches[-1])
        if first:
            self._take_one(texts[0], False)
        if first < last:
            if self._last is False:
                self.sink.end_pre_token()
            kept = [self._keeps[is_match] for is_match in are_matches[first:last]]
            pre_tokens = [text for text in compress(texts[first:last], kept) if text]
            self._last = True
            if pre_tokens:
                self.sink.pre_tokens(pre_tokens)
        if first <= last < len(texts):
            self._take_one(texts[last], False)

    def _take_one(self, text: str, is_match: bool) -> None:
        self._begin_piece(is_match)
        self._hand_on(text, is_match)
        if is_match:
            self._end_match()

    def _begin_piece(self, is_match: bool) -> None:
        last = self._last
        if (
            last is not None
            and (last or is_match)
            and (last ^ self._invert, is_match ^ self._invert) not in self._joined
        ):
            self.sink.end_pre_token()
        self._last = is_match

    def _hand_on(self, text: str, is_match: bool) -> None:
        if text and self._keeps[is_match]:
            self.sink.text(text)

    def _end_match(self) -> None:
        if self._match_ends_pre_token:
            self.sink.end_pre_token()


class _SplitBeforeBytes(StreamedSplit):
    """The split of ByteLevel: what is behind it belongs to the same stage."""

    @property
    def held(self) -> int:
        return self._matcher.held + self.sink.held


class StreamedPrefixSpace(StreamedStage):
    """Puts a space before every pre-token that does not start with one, for the stage behind it."""

    def __init__(self, sink: TextSink) -> None:
        super().__init__(sink)
        self._is_begun = False
        self.held_until_end = sink.held_until_end

    @property
    def held(self) -> int:
        return self.sink.held

    def text(self, fragment: str) -> None:
        if not self._is_begun:
            self._is_begun = True
            if fragment[0] != " ":
                self.sink.text(" " + fragment)
                return
        self.sink.text(fragment)

    def end_pre_token(self) -> None:
        self._is_begun = False
        self.sink.end_pre_token()


class StreamedBytes(StreamedStage):
    """Every character as the visible characters of its UTF-8 bytes."""

    def text(self, fragment: str) -> None:
        self.sink.text(to_byte_characters(fragment.encode()))

    def end_pre_token(self) -> None:
        self.sink.end_pre_token()

    def pre_tokens(self, pre_tokens: Sequence[str]) -> None:
        """All at once, with a byte between that is in no UTF-8."""
        if len(pre_tokens) == 1:
            self.sink.pre_tokens([to_byte_characters(pre_tokens[0].encode())])
            return
        encoded = to_byte_characters(_IN_NO_TEXT.join(map(str.encode, pre_tokens)))
        self.sink.pre_tokens(encoded.split(BYTE_TO_CHARACTER[0xFF]))
