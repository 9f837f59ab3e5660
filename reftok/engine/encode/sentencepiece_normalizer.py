"""The streamed form of `reftok.rules.sentencepiece.normalizer`.

It holds the text from where a longer text could match a longer rule or symbol, and the spaces that may turn out to be
the last.
"""

from __future__ import annotations

from collections.abc import Sequence

from reftok.engine.encode.sentencepiece_rewriting import rewriter
from reftok.engine.encode.sentencepiece_unigram import StreamedSentencePieceUnigram
from reftok.engine.sinks import StreamedStage, TextSink
from reftok.engine.unigram.raw_words import RawWords
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer


def _raw_words(
    normalizer: SentencePieceNormalizer, sink: TextSink
) -> tuple[StreamedSentencePieceUnigram, RawWords] | None:
    """The model, where it is the next stage and takes words that are not normalized, and these."""
    if not isinstance(sink, StreamedSentencePieceUnigram):
        return None
    raw = RawWords.of(normalizer, sink.model)
    return None if raw is None else (sink, raw)


def _behind_words(model: StreamedSentencePieceUnigram, raw: RawWords, text: str) -> str:
    """What is left of a text when the model has taken the words that it knows as they stand there."""
    words = raw.words(text)
    paths, count = raw.known(words)
    model.raw_words(words[:count], paths, raw)
    return "" if count == len(words) else raw.behind(text, words[:count])


class StreamedSentencePieceNormalizer(StreamedStage):
    """Holds what is open, and how many spaces (as they are written in the end) may be the last."""

    def __init__(self, normalizer: SentencePieceNormalizer, sink: TextSink) -> None:
        super().__init__(sink)
        options = normalizer.options
        self._rewriter = rewriter(normalizer)
        self._step = self._rewriter.step
        self._space = "▁" if options.escape_whitespaces else " "
        self._trims = options.remove_extra_whitespaces
        self._has_prefix = options.add_dummy_prefix and not options.treat_whitespace_as_suffix
        self._has_suffix = options.add_dummy_prefix and options.treat_whitespace_as_suffix
        self._raw = _raw_words(normalizer, sink)
        self._start_pre_token()

    def _start_pre_token(self) -> None:
        self._open = ""
        self._is_begun = False
        self._follows_space = self._trims
        self._spaces = 0

    @property
    def held(self) -> int:
        """How many code points are held."""
        return len(self._open) + self._spaces

    def pre_tokens(self, pre_tokens: Sequence[str]) -> None:
        for pre_token in pre_tokens:
            text = pre_token if self._raw is None else _behind_words(*self._raw, pre_token)
            if text:
                self.text(text)
            self.end_pre_token()

    def text(self, fragment: str) -> None:
        if not self._is_begun and not (fragment := self._begun(self._open + fragment, is_end=False)):
            return
        runs, self._open = self._step(self._open + fragment)
        for run in runs:
            self._hand_on(run)

    def _begun(self, text: str, is_end: bool) -> str:
        """The text without the spaces that it begins with; '' while nothing else has come, and what is open is kept."""
        position = self._rewriter.spaces_before(text) if self._trims else 0
        self._open = ""
        while self._trims and position < len(text):
            part, length, is_open = self._rewriter.prefix(text, position)
            if is_open and not is_end:
                self._open = text[position:]
                return ""
            if part != " ":
                break
            position += length
        text = text[position:]
        if text:
            self._is_begun = True
            self._begin()
        return text

    def _begin(self) -> None:
        if self._has_prefix:
            if self._trims:
                self._spaces = 1
            else:
                self.sink.text(self._space)

    def _hand_on(self, run: str) -> None:
        """A run of replaced text; what is `▁` in the text itself is a space as well, but only at the end."""
        if self._trims:
            if not self._spaces and not self._follows_space and " " not in run and self._space not in run:
                self.sink.text(run)
                return
            if self._follows_space:
                run = run.lstrip(" ")
                if not run:
                    return
            self._follows_space = run[-1] == " "
        text = run.replace(" ", self._space)
        if self._trims:
            text = self._without_last_spaces(text)
        if text:
            self.sink.text(text)

    def _without_last_spaces(self, text: str) -> str:
        size = len(text)
        spaces = self._spaces
        if text[-1] == self._space:
            text = text.rstrip(self._space)
            if not text:
                self._spaces += size
                return ""
            self._spaces = size - len(text)
        else:
            self._spaces = 0
        return self._space * spaces + text if spaces else text

    def end_pre_token(self) -> None:
        if self._open and not self._is_begun:
            self._open = self._begun(self._open, is_end=True)
        if self._is_begun:
            for run in self._rewriter.last(self._open):
                self._hand_on(run)
            if self._has_suffix:
                self.sink.text(self._space)
        self._start_pre_token()
        self.sink.end_pre_token()
