"""Stages without a streamed form: they see a part when it is complete."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from reftok.engine.sinks import StreamedStage, TextSink, rewritten
from reftok.spec.stages import Normalizer, PreTokenizer
from reftok.spec.text import NormalizedString, Split

Parts: TypeAlias = Callable[[str, int], Iterable[tuple[str, int]]]
"""A part and its at_start, made into parts and theirs."""


class BufferedStage(StreamedStage):
    """Holds each part until its end, for a stage that cannot be sure of anything before.

    parts: what the stage makes of a part.
    reason: which stage it is, and why.
    """

    def __init__(self, parts: Parts, sink: TextSink, reason: str) -> None:
        super().__init__(sink)
        self.holds_parts = reason
        self._parts = parts
        self._fragments: list[str] = []
        self._size = self._at_start = 0

    @property
    def held(self) -> int:
        """How many code points are held."""
        return self._size

    def text(self, fragment: str, at_start: int = 0) -> None:
        self._fragments.append(fragment)
        self._size += len(fragment)
        self._at_start += at_start

    def end_part(self) -> None:
        if not self._fragments:
            return
        part, at_start = "".join(self._fragments), self._at_start
        self._fragments, self._size, self._at_start = [], 0, 0
        for text, text_at_start in self._parts(part, at_start):
            if text:
                self.sink.text(text, text_at_start)
                self.sink.end_part()


def buffer_for_normalizer(normalizer: Normalizer, sink: TextSink, reason: str = "is not streamed") -> BufferedStage:
    """The stage before `sink` that runs a normalizer over complete parts; the reason begins with its name."""

    def parts(text: str, at_start: int) -> Iterable[tuple[str, int]]:
        return (rewritten(normalizer, text, at_start),)

    return BufferedStage(parts, sink, f"{type(normalizer).__name__} {reason}")


def buffer_for_pre_tokenizer(
    pre_tokenizer: PreTokenizer, sink: TextSink, reason: str = "is not streamed"
) -> BufferedStage:
    """The stage before `sink` that runs a pre-tokenizer over complete parts; the reason begins with its name."""

    def parts(text: str, at_start: int) -> Iterable[tuple[str, int]]:
        spans = [(0, 1)] * at_start + [(1, 2)] * (len(text) - at_start)
        normalized = NormalizedString(text, 0, spans) if at_start else NormalizedString(text, 1)
        for split in pre_tokenizer.pre_tokenize([Split(normalized)]):
            yield split.normalized.text, sum(start == 0 for start, _ in split.normalized.spans()) if at_start else 0

    return BufferedStage(parts, sink, f"{type(pre_tokenizer).__name__} {reason}")
