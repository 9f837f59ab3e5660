"""Stages of `reftok.rules.llama_cpp` on text that comes bit by bit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import regex

from reftok.engine.encode.character_splits import StreamedCharacterSplit, class_of
from reftok.engine.sinks import StreamedStage, TextSink
from reftok.rules.byte_level import to_byte_characters
from reftok.rules.llama_cpp.characters import CLASSES, folded
from reftok.rules.llama_cpp.pre_tokenizers import DigitGroups, ThousandsSplit
from reftok.rules.llama_cpp.stages import ReadCodePoints
from reftok.rules.llama_cpp.wpm import stands_alone
from reftok.rules.text import NormalizedString, Part
from reftok.unicode.characters import WHITE_SPACE
from reftok.unicode.ranges import as_ranges

_ESCAPED = regex.compile("[\udc80-\udcff]")
_NO_NUMBER = regex.compile(f"(?r)[^{CLASSES['N']}]")
_LAST_THAT_STANDS_ALONE = 0x2FFFF
_ESCAPED_AT_END = regex.compile("(?r)[\udc80-\udcff]*\\Z")


def _open_at_end(run: str) -> int:
    """How many bytes at the end of a run of bytes that are not UTF-8 may be the beginning of a code point."""
    place = 0
    while place < len(run):
        lead = ord(run[place]) - 0xDC00
        size = 1 if not 0xC0 <= lead < 0xF8 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
        rest = run[place + 1 : place + size]
        is_sound = all(byte < "\udcc0" for byte in rest)
        if is_sound and len(rest) < size - 1:
            return len(run) - place
        place += size if is_sound else 1
    return 0


class StreamedCodePoints(StreamedStage):
    """ReadCodePoints: holds the beginning of a code point among bytes that are not UTF-8."""

    def __init__(self, normalizer: ReadCodePoints, sink: TextSink) -> None:
        super().__init__(sink)
        self._normalizer = normalizer
        self._held = ""

    @property
    def held(self) -> int:
        """How many code points are held."""
        return len(self._held)

    def text(self, fragment: str) -> None:
        if not self._held and (fragment.isascii() or _ESCAPED.search(fragment) is None):
            self.sink.text(fragment)
            return
        text = self._held + fragment
        run = _ESCAPED_AT_END.search(text)
        cut = len(text) - _open_at_end(run.group() if run else "")
        self._held = text[cut:]
        self._hand_on(text[:cut])

    def _hand_on(self, ready: str) -> None:
        if ready:
            self.sink.text(self._normalizer.normalize(NormalizedString(ready)).text)

    def end_pre_token(self) -> None:
        self._hand_on(self._held)
        self._held = ""
        self.sink.end_pre_token()


class StreamedByteCharacters(StreamedStage):
    """ByteCharacters: every character by itself."""

    def text(self, fragment: str) -> None:
        self.sink.text(to_byte_characters(fragment.encode("utf-8", "surrogatepass")))

    def end_pre_token(self) -> None:
        self.sink.end_pre_token()

    def pre_tokens(self, pre_tokens: Sequence[str]) -> None:
        self.sink.pre_tokens(
            [to_byte_characters(pre_token.encode("utf-8", "surrogatepass")) for pre_token in pre_tokens]
        )


class StreamedNumberRuns(StreamedStage):
    """DigitGroups and ThousandsSplit: a run of numbers is cut from its end, and held until it has one."""

    def __init__(self, pre_tokenizer: DigitGroups | ThousandsSplit, sink: TextSink) -> None:
        super().__init__(sink)
        self._pre_tokenizer = pre_tokenizer
        self._run: list[str] = []
        self._held = 0

    @property
    def held(self) -> int:
        """How many code points are held."""
        return self._held

    def text(self, fragment: str) -> None:
        last_other = _NO_NUMBER.search(folded(fragment))
        if last_other is not None:
            self._hand_on("".join((*self._run, fragment[: last_other.end()])))
            self._run.clear()
            self._held = 0
            fragment = fragment[last_other.end() :]
        if fragment:
            self._run.append(fragment)
            self._held += len(fragment)

    def _hand_on(self, text: str) -> None:
        """Cut text that does not end within a run; a letter before it shows whether there is a cut at its start."""
        first, *pre_tokens = self._pre_tokenizer.pre_tokenize([Part(NormalizedString("a" + text))])
        self._hand_on_piece(first.normalized.text[1:])
        for pre_token in pre_tokens:
            self.sink.end_pre_token()
            self._hand_on_piece(pre_token.normalized.text)

    def _hand_on_piece(self, text: str) -> None:
        if text:
            self.sink.text(text)

    def end_pre_token(self) -> None:
        if self._run:
            self._hand_on("".join(self._run))
            self._run.clear()
            self._held = 0
        self.sink.end_pre_token()


def stream_bert_words(sink: TextSink) -> StreamedCharacterSplit:
    """BertWords: cut at white space, which goes, and around each character that stands alone."""
    words = StreamedCharacterSplit(_class_that_stands_alone(), "Isolated", sink)
    return StreamedCharacterSplit(class_of(WHITE_SPACE), "Removed", words)


@cache
def _class_that_stands_alone() -> str:
    ranges = as_ranges(code for code in range(_LAST_THAT_STANDS_ALONE + 1) if stands_alone(chr(code)))
    return "".join(f"\\U{first:08X}-\\U{last:08X}" for first, last in ranges)
