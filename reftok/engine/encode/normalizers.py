"""The normalizers on text that comes bit by bit: the streamed forms of `reftok.rules.huggingface.normalizers`.

A normalizer that rewrites each character by itself hands everything on at once. The others hold what may still change:
the end of the text that a mark may join, the beginning of a match, white space that may turn out to be the last.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reftok.engine.encode.buffered import buffer_for_normalizer
from reftok.engine.encode.llama_stages import StreamedCodePoints
from reftok.engine.encode.precompiled import StreamedPrecompiled
from reftok.engine.encode.rewriting import BLANKS, bert_steps, most_growth, rewriter
from reftok.engine.encode.sentencepiece_normalizer import StreamedSentencePieceNormalizer
from reftok.engine.encode.unicode_forms import StreamedBert, stream_form
from reftok.engine.patterns.literals import overlap
from reftok.engine.patterns.patterns import stream_matches
from reftok.engine.sinks import StreamedStage, TextSink, hand_on_rewritten
from reftok.limits import MOST_GROWTH
from reftok.rules.huggingface.normalizers import (
    NFC,
    NFD,
    NFKC,
    NFKD,
    BertNormalizer,
    ByteLevel,
    Lowercase,
    Nmt,
    Precompiled,
    Prepend,
    Replace,
    Strip,
    StripAccents,
    UnicodeForm,
)
from reftok.rules.llama_cpp.stages import ReadCodePoints
from reftok.rules.llama_cpp.wpm import BertText
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.rules.stages import Normalizer


class StreamedRewrite(StreamedStage):
    """A normalizer that rewrites each character by itself."""

    def __init__(self, normalizer: Normalizer, sink: TextSink) -> None:
        super().__init__(sink)
        self._rewrite = rewriter(normalizer)

    def text(self, fragment: str) -> None:
        fragment = self._rewrite(fragment)
        if fragment:
            self.sink.text(fragment)

    def end_pre_token(self) -> None:
        self.sink.end_pre_token()

    def pre_tokens(self, pre_tokens: Sequence[str]) -> None:
        hand_on_rewritten(pre_tokens, self._rewrite, self.sink)


class StreamedPrefix(StreamedStage):
    """A text before each pre-token."""

    def __init__(self, prefix: str, sink: TextSink) -> None:
        super().__init__(sink)
        self._prefix = prefix
        self._is_first = True

    def text(self, fragment: str) -> None:
        if self._is_first:
            self._is_first = False
            fragment = self._prefix + fragment
        self.sink.text(fragment)

    def end_pre_token(self) -> None:
        self._is_first = True
        self.sink.end_pre_token()

    def pre_tokens(self, pre_tokens: Sequence[str]) -> None:
        self.sink.pre_tokens([self._prefix + pre_token for pre_token in pre_tokens])


class StreamedStrip(StreamedStage):
    """White space off the ends of each pre-token; what may be the last of it is held."""

    def __init__(self, strip: Strip, sink: TextSink) -> None:
        super().__init__(sink)
        self._strip = strip
        self._start_pre_token()

    def _start_pre_token(self) -> None:
        self._is_leading = self._strip.strip_left
        self._blanks: list[str] = []
        self._held = 0

    @property
    def held(self) -> int:
        """How many code points are held."""
        return self._held

    def text(self, fragment: str) -> None:
        if self._is_leading:
            kept = fragment.lstrip(BLANKS)
            if not kept:
                return
            self._is_leading = False
            fragment = kept
        if self._strip.strip_right and (self._blanks or fragment[-1] in BLANKS):
            self._hold_blanks(fragment)
        else:
            self.sink.text(fragment)

    def _hold_blanks(self, fragment: str) -> None:
        kept = fragment.rstrip(BLANKS)
        if kept:
            ready = "".join((*self._blanks, kept))
            self._blanks.clear()
            self._held = 0
            self.sink.text(ready)
        if len(kept) < len(fragment):
            self._blanks.append(fragment[len(kept) :])
            self._held += len(fragment) - len(kept)

    def end_pre_token(self) -> None:
        self._start_pre_token()
        self.sink.end_pre_token()


class StreamedLiteralReplace(StreamedStage):
    """Replace with a pattern that is a string; holds what may be the beginning of a match."""

    def __init__(self, pattern: str, content: str, sink: TextSink) -> None:
        super().__init__(sink)
        self._pattern = pattern
        self._content = content
        self._inside = frozenset(pattern[:-1])
        self._held = ""

    @property
    def held(self) -> int:
        """How many code points are held."""
        return len(self._held)

    def text(self, fragment: str) -> None:
        ready = self._held + fragment
        cut = len(ready)
        if fragment[-1] in self._inside:
            cut -= self._size_of_beginning(ready)
        self._held = ready[cut:]
        self._hand_on(ready[:cut])

    def _size_of_beginning(self, text: str) -> int:
        """How many characters at the end of `text`, behind the last match, are the beginning of a match."""
        return overlap(text.split(self._pattern)[-1], self._pattern)

    def _hand_on(self, ready: str) -> None:
        ready = ready.replace(self._pattern, self._content)
        if ready:
            self.sink.text(ready)

    def end_pre_token(self) -> None:
        if self._held:
            self._hand_on(self._held)
        self._held = ""
        self.sink.end_pre_token()


class StreamedReplace(StreamedStage):
    """Replace with a regular expression."""

    def __init__(self, replace: Replace, sink: TextSink) -> None:
        super().__init__(sink)
        self._matcher = stream_matches(replace.pattern)
        self._content = replace.content
        self.held_until_end = self._matcher.held_until_end

    @property
    def held(self) -> int:
        """How many code points are held."""
        return self._matcher.held

    def text(self, fragment: str) -> None:
        self._hand_on(self._matcher.feed(fragment))

    def _hand_on(self, pieces: list[tuple[str, bool]]) -> None:
        content = self._content
        if pieces and (ready := "".join([content if is_match else text for text, is_match in pieces])):
            self.sink.text(ready)

    def end_pre_token(self) -> None:
        self._hand_on(self._matcher.finish())
        self.sink.end_pre_token()


def stream_normalizer(normalizer: Normalizer, sink: TextSink) -> TextSink:
    """The stage before `sink` that normalizes each pre-token; a class not known here, derived ones too, is buffered."""
    return STREAMED_NORMALIZERS.get(type(normalizer), buffer_for_normalizer)(normalizer, sink)


def _stream_bert(normalizer: BertNormalizer, sink: TextSink) -> TextSink:
    return (StreamedBert if bert_steps(normalizer)[1].strip_accents else StreamedRewrite)(normalizer, sink)


def _stream_replace(replace: Replace, sink: TextSink) -> TextSink:
    if most_growth(replace) > MOST_GROWTH:
        return buffer_for_normalizer(replace, sink, "refuses a long text that it makes much longer")
    if not isinstance(replace.pattern, str):
        return StreamedReplace(replace, sink)
    if len(replace.pattern) == 1:
        return StreamedRewrite(replace, sink)
    if not replace.pattern:
        return buffer_for_normalizer(replace, sink, "puts its content between all characters")
    return StreamedLiteralReplace(replace.pattern, replace.content, sink)


STREAMED_NORMALIZERS: Mapping[type[Any], Callable[[Any, TextSink], TextSink]] = {
    **dict.fromkeys((UnicodeForm, NFC, NFD, NFKC, NFKD), stream_form),
    **dict.fromkeys((Nmt, StripAccents, Lowercase, ByteLevel, BertText), StreamedRewrite),
    BertNormalizer: _stream_bert,
    Prepend: lambda step, sink: StreamedPrefix(step.prepend, sink),
    Strip: StreamedStrip,
    Precompiled: StreamedPrecompiled,
    SentencePieceNormalizer: StreamedSentencePieceNormalizer,
    ReadCodePoints: StreamedCodePoints,
    Replace: _stream_replace,
}
"""By class what streams it; of all others a pre-token is buffered until its end."""
