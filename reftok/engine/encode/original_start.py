"""Where pre-tokens begin in the original text: what Metaspace asks with the prepend scheme "first"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reftok.engine.sinks import StreamedStage, TextSink
from reftok.rules.pipeline import Pipeline

_AT_ONCE = 32
"""So many code points go on first."""


class OriginalStart:
    """Tells a pre-tokenizer which of its pre-tokens begin where the original text does.

    It runs the plain stages before that pre-tokenizer over the text so far: what their streamed forms have handed on
    is a beginning of that. Alignments never go back, so that behind a character that begins later in the original no
    pre-token begins at its start. The text so far is kept until then; it is not counted as held.

    place: how many pre-tokenizers stand before the one that asks.
    is_passed: whether nothing that may still come begins at the start.

    >>> import reftok
    >>> start = OriginalStart(reftok.load("bpe-qwen").rules, place=1)
    >>> start.come("a b"); start.takes("a"), start.takes(" "), start.is_passed
    (True, False, True)
    """

    def __init__(self, pipeline: Pipeline, place: int) -> None:
        self._before = replace(pipeline, pre_tokenizers=pipeline.pre_tokenizers[:place])
        self.forget()

    def forget(self) -> None:
        """Be ready for another text."""
        self._fragments: list[str] = []
        self._starts: list[tuple[int, int]] = []
        self._taken = 0
        self.is_passed = False

    def come(self, text: str) -> None:
        """More of the original text."""
        self._fragments.append(text)
        self._starts = []

    def takes(self, fragment: str) -> bool:
        """Whether the pre-token of `fragment` begins at the start; `fragment` is what the pre-tokenizer takes next."""
        if not self._starts:
            self._starts = self._found()
        pre_token_start, _ = self._starts[self._taken]
        self._taken += len(fragment)
        self.is_passed = self._starts[self._taken - 1][1] > 0
        return pre_token_start == 0

    def _found(self) -> list[tuple[int, int]]:
        """For each character of the pre-tokens where its pre-token, and where it itself, begins in the original."""
        self._fragments = ["".join(self._fragments)]
        splits = self._before.pre_tokenized(self._fragments[0])
        pre_tokens = [split.normalized for split in splits if split.tokens is None]
        return [(pre_token.original_start, start) for pre_token in pre_tokens for start, _ in pre_token.spans()]


class RecordedStart(StreamedStage):
    """Tells of the text to those who ask for its start; much text at once goes on in pieces until they know it."""

    def __init__(self, starts: Sequence[OriginalStart], sink: TextSink) -> None:
        super().__init__(sink)
        self._starts = starts

    def text(self, fragment: str) -> None:
        size = _AT_ONCE
        while fragment and not all(start.is_passed for start in self._starts):
            piece, fragment = fragment[:size], fragment[size:]
            size *= 2
            for start in self._starts:
                start.come(piece)
            self.sink.text(piece)
        if fragment:
            self.sink.text(fragment)

    def end_pre_token(self) -> None:
        self.sink.end_pre_token()
        for start in self._starts:
            start.forget()
