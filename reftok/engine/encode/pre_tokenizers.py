"""The pre-tokenizers on text that comes bit by bit: the streamed forms of `reftok.rules.huggingface.pre_tokenizers`.

Those of this module hold nothing: they hand text on as more of the pre-token, and end it where a boundary is decided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reftok.engine.encode.buffered import buffer_for_pre_tokenizer
from reftok.engine.encode.character_splits import StreamedCharacterSplit, class_of, class_of_table
from reftok.engine.encode.llama_stages import (
    StreamedByteCharacters,
    StreamedNumberRuns,
    stream_bert_words,
)
from reftok.engine.encode.original_start import OriginalStart
from reftok.engine.encode.splits import stream_byte_level, stream_regex_split, stream_split, stream_whitespace
from reftok.engine.sinks import StreamedStage, TextSink
from reftok.rules.huggingface.pre_tokenizers import (
    BertPreTokenizer,
    ByteLevel,
    CharDelimiterSplit,
    Digits,
    FixedLength,
    Metaspace,
    Punctuation,
    Split,
    UnicodeScripts,
    Whitespace,
    WhitespaceSplit,
)
from reftok.rules.llama_cpp.pre_tokenizers import ByteCharacters, DigitGroups, RegexSplit, ThousandsSplit
from reftok.rules.llama_cpp.wpm import BertWords
from reftok.rules.stages import PreTokenizer
from reftok.rules.text import Behavior
from reftok.unicode.characters import WHITE_SPACE, script
from reftok.unicode.tables import BERT_PUNCTUATION, NUMERIC_IN_17


class StreamedMetaspace(StreamedStage):
    """Spaces as the replacement, and a cut before each of them; a pre-token that begins with none is given one."""

    def __init__(self, metaspace: Metaspace, sink: TextSink, start: OriginalStart | None) -> None:
        super().__init__(sink)
        self._start = start
        self._replacement = metaspace.replacement
        self._splits = metaspace.split
        self._prepends_always = metaspace.prepend_scheme == "always"
        self._is_first = True

    def text(self, fragment: str) -> None:
        start, replacement = self._start, self._replacement
        prepends = self._prepends_always if start is None or start.is_passed else start.takes(fragment)
        text = fragment.replace(" ", replacement)
        if self._is_first:
            self._is_first = False
            if prepends and text[0] != replacement:
                text = replacement + text
        if not self._splits or replacement not in text:
            self.sink.text(text)
            return
        first, *words = text.split(replacement)
        if first:
            self.sink.text(first)
        self.sink.end_pre_token()
        last = words.pop()
        if words:
            self.sink.pre_tokens([replacement + word for word in words])
        self.sink.text(replacement + last)

    def pre_tokens(self, pre_tokens: Sequence[str]) -> None:
        replacement = self._replacement
        text = "".join(pre_tokens)
        if " " in text or replacement in text or not (self._start is None or self._start.is_passed):
            super().pre_tokens(pre_tokens)
        elif self._prepends_always:
            self.sink.pre_tokens(list(map(replacement.__add__, pre_tokens)))
        else:
            self.sink.pre_tokens(pre_tokens)

    def end_pre_token(self) -> None:
        self._is_first = True
        self.sink.end_pre_token()


class _Scripts(dict[str, str | None]):
    """The script of each character that was asked for."""

    def __missing__(self, character: str) -> str | None:
        found = self[character] = script(character)
        return found


_scripts = _Scripts()


class StreamedUnicodeScripts(StreamedStage):
    """Cuts where the script changes; what has none goes with the pre-token before it, and is lost at the start."""

    def __init__(self, sink: TextSink) -> None:
        super().__init__(sink)
        self._script: str | None = None

    def text(self, fragment: str) -> None:
        pre_tokens: list[str] = []
        here, start, is_lost = self._script, 0, self._script is None
        for place, character in enumerate(fragment):
            found = _scripts[character]
            if found is not None and found != here:
                pre_tokens.append("" if is_lost else fragment[start:place])
                here, start, is_lost = found, place, False
        self._script = here
        if is_lost:
            return
        for pre_token in pre_tokens:
            if pre_token:
                self.sink.text(pre_token)
            self.sink.end_pre_token()
        self.sink.text(fragment[start:])

    def end_pre_token(self) -> None:
        self._script = None
        self.sink.end_pre_token()


class StreamedFixedLength(StreamedStage):
    """Cuts pre-tokens of one length."""

    def __init__(self, length: int, sink: TextSink) -> None:
        super().__init__(sink)
        self._length = length
        self._room = length

    def text(self, fragment: str) -> None:
        room, size = self._room, len(fragment)
        if size < room:
            self.sink.text(fragment)
            self._room -= size
            return
        self.sink.text(fragment[:room])
        self.sink.end_pre_token()
        last = size - (size - room) % self._length
        pre_tokens = [fragment[start : start + self._length] for start in range(room, last, self._length)]
        if pre_tokens:
            self.sink.pre_tokens(pre_tokens)
        if last < size:
            self.sink.text(fragment[last:])
        self._room = self._length - (size - last)

    def end_pre_token(self) -> None:
        self._room = self._length
        self.sink.end_pre_token()


def stream_pre_tokenizer(pre_tokenizer: PreTokenizer, sink: TextSink, start: OriginalStart | None = None) -> TextSink:
    """The stage before `sink` that cuts each pre-token; one of a class not known here, derived ones too, buffers it.

    start: for a pre-tokenizer that asks which pre-tokens begin where the original text does.
    """
    if start is not None:
        return _stream_metaspace(pre_tokenizer, sink, start)
    return STREAMED_PRE_TOKENIZERS.get(type(pre_tokenizer), buffer_for_pre_tokenizer)(pre_tokenizer, sink)


def _stream_metaspace(metaspace: PreTokenizer, sink: TextSink, start: OriginalStart | None = None) -> TextSink:
    if type(metaspace) is not Metaspace:
        return buffer_for_pre_tokenizer(metaspace, sink, start=start)
    return StreamedMetaspace(metaspace, sink, start)


def _stream_delimiter_split(pre_tokenizer: CharDelimiterSplit, sink: TextSink) -> TextSink:
    if len(pre_tokenizer.delimiter) != 1:
        return buffer_for_pre_tokenizer(pre_tokenizer, sink)
    return StreamedCharacterSplit(class_of(pre_tokenizer.delimiter), "Removed", sink)


def _stream_digits(pre_tokenizer: Digits, sink: TextSink) -> TextSink:
    behavior: Behavior = "Isolated" if pre_tokenizer.individual_digits else "Contiguous"
    return StreamedCharacterSplit(class_of_table(NUMERIC_IN_17), behavior, sink)


def _stream_punctuation(pre_tokenizer: Punctuation, sink: TextSink) -> TextSink:
    return StreamedCharacterSplit(class_of_table(BERT_PUNCTUATION), pre_tokenizer.behavior, sink)


def _without_blanks(sink: TextSink) -> TextSink:
    return StreamedCharacterSplit(class_of(WHITE_SPACE), "Removed", sink)


STREAMED_PRE_TOKENIZERS: Mapping[type[Any], Callable[[Any, TextSink], TextSink]] = {
    Split: stream_split,
    ByteLevel: stream_byte_level,
    Whitespace: stream_whitespace,
    Metaspace: _stream_metaspace,
    UnicodeScripts: lambda _, sink: StreamedUnicodeScripts(sink),
    FixedLength: lambda step, sink: StreamedFixedLength(step.length, sink),
    WhitespaceSplit: lambda _, sink: _without_blanks(sink),
    CharDelimiterSplit: _stream_delimiter_split,
    Digits: _stream_digits,
    Punctuation: _stream_punctuation,
    BertPreTokenizer: lambda _, sink: _without_blanks(_stream_punctuation(Punctuation("Isolated"), sink)),
    RegexSplit: stream_regex_split,
    ByteCharacters: lambda _, sink: StreamedByteCharacters(sink),
    BertWords: lambda _, sink: stream_bert_words(sink),
    DigitGroups: StreamedNumberRuns,
    ThousandsSplit: StreamedNumberRuns,
}
"""By class what streams it; of all others a pre-token is buffered until its end."""
